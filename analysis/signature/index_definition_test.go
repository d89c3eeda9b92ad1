package signature

import (
	"reflect"
	"testing"
)

func TestDefinitionOf(t *testing.T) {
	for text, want := range map[string]indexDefinition{
		`CREATE UNIQUE INDEX x ON public.t USING btree (a, lower(b) DESC NULLS LAST) INCLUDE (c, d) NULLS NOT DISTINCT WITH (fillfactor='70') WHERE (e IS NULL)`: {
			Method: "btree", Keys: []string{"a", "lower ( b ) DESC NULLS LAST"}, Include: []string{"c", "d"}, Predicate: "( e IS NULL )", Unique: true, NullsNotDistinct: true},
		`CREATE INDEX "odd, (name" ON ONLY public."T" USING gin ("A b" gin_trgm_ops)`: {Method: "gin", Keys: []string{`"A b" gin_trgm_ops`}},
		`CREATE INDEX x ON public.t USING btree (((a -> 'k'::text)), f('a,b'::text))`: {Method: "btree", Keys: []string{"( ( a -> 'k' :: text ) )", "f ( 'a,b' :: text )"}},
	} {
		got, ok := definitionOf(text)
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v\nwant %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "CREATE INDEX x ON t", "CREATE INDEX x ON t USING btree", "CREATE INDEX x ON t USING btree (a", "drop index x"} {
		if d, ok := definitionOf(text); ok {
			t.Errorf("%q is %+v", text, d)
		}
	}
}

func FuzzDefinitionOf(f *testing.F) {
	f.Add("CREATE INDEX x ON public.t USING btree (a, lower(b)) INCLUDE (c) WHERE (d)")
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := definitionOf(text); ok {
			for _, k := range d.Keys {
				keyColumn(k)
			}
		}
	})
}
