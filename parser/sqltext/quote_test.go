package sqltext

import "testing"

func TestQuoteName(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"public", "items"}, "public.items"},
		{[]string{"", "items"}, "items"},
		{[]string{"v1.2", "a.b"}, `"v1.2"."a.b"`},
		{[]string{"Sales", `say "hi"`}, `"Sales"."say ""hi"""`},
		{[]string{"public", "order"}, `public."order"`}, // reserved
		{[]string{"left"}, `"left"`},                    // a function, no table
		{[]string{"position"}, "position"},              // a keyword that may name a table
		{[]string{"2nd"}, `"2nd"`},
		{[]string{"été"}, `"été"`},
	} {
		if got := QuoteName(c.parts...); got != c.want {
			t.Errorf("%q: %s, want %s", c.parts, got, c.want)
		}
	}
}

func TestQuoteLiteralDoublesQuotes(t *testing.T) {
	if got := QuoteLiteral("it's"); got != "'it''s'" {
		t.Error(got)
	}
}
