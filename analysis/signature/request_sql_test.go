package signature

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

func TestCountByKeyIsDerivedFromSimpleSelectsOnly(t *testing.T) {
	for _, c := range []struct{ text, key, want string }{
		{"select id, score from memories where tenant_id = $1 and bucket_id = $2 order by score desc limit $3", "bucket_id",
			"select bucket_id, count(*) from memories where tenant_id = $1 group by bucket_id;"},
		{`select * from "Order" o where o.customer = $2 and o.state = $1`, "o.customer",
			`select o.customer, count(*) from "Order" o where o.state = $1 group by o.customer;`},
		{"select * from t where $1 = id", "id", "select id, count(*) from t group by id;"},
		{"select a from t where k = $1 and lower(b) = any($2) and (c is null)", "k",
			"select k, count(*) from t where lower(b) = any($1) and (c is null) group by k;"},
		{"select a from t where k = $1 or b = $2", "k", ""},
		{"select a from t join u on t.id = u.id where k = $1", "k", ""},
		{"select a from t, u where k = $1", "k", ""},
		{"select a from t where k = (select b from u)", "k", ""},
		{"select a from t where k between $1 and $2", "k", ""},
		{"update t set a = $1 where k = $2", "k", ""},
		{"select a from t", "k", ""},
		{"", "k", ""},
	} {
		q, ok := parseChildQuery(c.text)
		got := ""
		for i, column := range q.columns {
			if ok && column == c.key {
				got = q.countByKey(i)
			}
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestAtOnceUsesAnArrayOrALateralJoin(t *testing.T) {
	plain, _ := parseChildQuery("select a from t where x = $1 and k = $2")
	if got := plain.atOnce(1); got != "select a from t where x = $1 and k = any($2);" {
		t.Error(got)
	}
	limited, _ := parseChildQuery("select a from t where k = $1 order by b limit $2")
	if got := limited.atOnce(0); !strings.Contains(got, "lateral (select a from t where k = asked.key order by b limit $2)") {
		t.Error(got)
	}
}

func TestParameterValuesAsTheServerLogsThem(t *testing.T) {
	got := parameterValues(`$1 = 'it''s, $2 = ''x''', $2 = NULL, $3 = ''`)
	if len(got) != 3 || got[1] != `'it''s, $2 = ''x'''` || got[2] != "NULL" || got[3] != "''" {
		t.Errorf("%v", got)
	}
}

func FuzzChildQuery(f *testing.F) {
	f.Add("select id from t where a = $1 and b = $2 limit 3", "$1 = 'a', $2 = NULL")
	f.Add(`select "a""b" from t where ((`, `$1 = 'x''`)
	f.Fuzz(func(_ *testing.T, text, parameters string) {
		if q, ok := parseChildQuery(text); ok {
			for i, n := range q.parameters {
				if n > 0 {
					q.countByKey(i)
					q.atOnce(i)
				}
			}
		}
		parameterValues(parameters)
	})
}

func TestAskOnceKeepsOrderAndLimitOfEachChild(t *testing.T) {
	for text, want := range map[string]string{
		"select id from t where a = $1 and b = $2 order by id limit $3": "lateral",
		"select id from t where a = $1 and b = $2":                      "= ANY($1)",
	} {
		child := &dataset.Statement{Statement: &record.Statement{Normalized: text}}
		wantText(t, text, askOnce(child), want)
	}
}
