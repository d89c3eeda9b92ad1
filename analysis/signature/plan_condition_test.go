package signature

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadConditionTakesOnlySimpleComparisons(t *testing.T) {
	for text, want := range map[string]string{
		`(id <= 5)`: "id<",
		`((status = 'new'::text) AND (created_at >= (now() - '1 day'::interval)))`: "status= created_at<",
		`((t.a = $1) AND (t.b = o.b) AND (t.c IS NULL))`:                           "a= b= c=",
		`(((kind)::text = 'x'::text) AND (n = ANY ('{1,2,3}'::integer[])))`:        "kind=text n=",
		`active`:                             "active=",
		`(NOT active)`:                       "active=",
		`("c:ol" = 3)`:                       `"c:ol"=`,
		`('it''s ) AND (x'::text = name)`:    "name=",
		`(v > (InitPlan 2).col1)`:            "v<",
		`(v > $10)`:                          "v<",
		`((a = 1) OR (b = 2))`:               "-",
		`((a = 1) AND ((b = 2) OR (c = 3)))`: "a= -",
		`(lower(name) = 'x'::text)`:          "-",
		`((id % 7) = 3)`:                     "-",
		`((x)::date = '2026-01-01'::date)`:   "-",
		`(pad ~~ '%y%'::text)`:               "-",
		`(a <> 3)`:                           "-",
		`(a = b)`:                            "-",
		`(t.a = t.b)`:                        "-",
		`(NOT (a = 3))`:                      "-",
		`(v < random())`:                     "-",
		`(hashed SubPlan 1)`:                 "-",
		`(id = (SubPlan 1))`:                 "-",
		`(CASE WHEN a AND b THEN 1 END = 1)`: "-",
		`(d = '2026-01-01 00:00'::timestamp with time zone)`: "d=",
		`(unterminated = 'x`: "-",
		``:                   "-",
	} {
		c := readCondition(text, "t")
		var got []string
		for _, s := range c.Simple {
			op := "="
			if s.Kind == conjunctRange {
				op = "<"
			}
			if s.TextCast {
				op += "text"
			}
			got = append(got, s.Column+op)
		}
		for range c.Rest {
			got = append(got, "-")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", text, got, want)
		}
	}
}

func TestConditionTextHidesLiterals(t *testing.T) {
	if got := conditionText(`((name = 'Mrs. Smith'::text) AND (x = ANY ('{1,2}'::integer[])))`); got != `((name = '…'::text) AND (x = ANY ('…'::integer[])))` {
		t.Error(got)
	}
}

func TestLeadingColumnsOfDefinitions(t *testing.T) {
	for text, want := range map[string]string{
		"CREATE INDEX x ON public.t USING btree (a, b DESC NULLS LAST) INCLUDE (c)": "[a b]",
		`CREATE UNIQUE INDEX x ON t USING btree ("A b", lower(c), d)`:               `["A b"]`,
		"CREATE INDEX x ON t USING btree (a) WHERE (b > 3)":                         "[]",
		"CREATE INDEX x ON t USING gin (a)":                                         "[]",
		"CREATE INDEX x ON t USING btree (a text_pattern_ops)":                      "[a]",
		"": "[]",
	} {
		if got := fmt.Sprint(leadingColumns(text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestMemorySettingRoundsUp(t *testing.T) {
	for kb, want := range map[float64]string{1: "1MB", 1024: "1MB", 1025: "2MB", 2500: "3MB", 28000: "32MB", 36000: "48MB", 700000: "768MB", 1 << 20: "1GB"} {
		if got := memorySetting(kb); got != want {
			t.Errorf("%v kB: %s, want %s", kb, got, want)
		}
	}
}

// FuzzCondition holds that no condition, key or definition makes the readers
// panic, and that what is read as a column is a word of the input.
func FuzzCondition(f *testing.F) {
	for _, s := range []string{`((a = 1) AND (b > '2'::text))`, `CREATE INDEX x ON t USING btree (a, b)`, `["a", "b DESC"]`, `((((`, `'`, `"`, `a::`, `::::(`, `NOT`, `a = ANY`, `$`, `E'`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range readCondition(s, "t").Simple {
			if !strings.Contains(s, c.Column) {
				t.Errorf("column %q is not in %q", c.Column, s)
			}
		}
		leadingColumns("CREATE INDEX x ON t USING btree (" + s)
		splitList(s)
		isUnprunable(s, "t")
		conditionText(s)
		kilobytes(s)
	})
}

func BenchmarkReadCondition(b *testing.B) {
	const text = `((status = 'new'::text) AND (created_at >= (now() - '1 day'::interval)) AND ((kind)::text = 'x'::text) AND (n = ANY ('{1,2,3}'::integer[])))`
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		readCondition(text, "t")
	}
}
