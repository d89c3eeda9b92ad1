package signature

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func TestRealStaleStatistics(t *testing.T) {
	for _, version := range []string{"pg13", "pg15", "pg18"} {
		f := only(t, Run(serverModel(t, version, "bloat"), []*Signature{staleStatistics}, nil), "PGA213")
		if f.Subject.Relation != "public.events" || f.Severity != finding.Warning || f.Confidence != finding.Confirmed {
			t.Errorf("%s: %s %v %v, want public.events, warning, confirmed", version, f.Subject.Relation, f.Severity, f.Confidence)
		}
		wantText(t, version, f.Summary, "planned to give 1 rows and gave 60,000", "ran its inner side 60,000 times")
		wantText(t, version, figure(t, f, "rows changed").Text, "61,000 of 62,000")
		wantText(t, version, figure(t, f, "error after the analyze").Text, "1.0x")
		wantText(t, version, f.Actions, "analyze public.events;", "reset (autovacuum_enabled)")
		if f.Effect < 5 {
			t.Errorf("%s: the plan was %v times as long before the analyze", version, f.Effect)
		}
	}
}

// The misestimate that stale statistics cause is no incident of its own.
func TestMisestimateIsASideOfStaleStatistics(t *testing.T) {
	p := Run(serverModel(t, "pg15", "bloat"), []*Signature{staleStatistics, rowMisestimate}, nil)
	if len(p.Findings) != 2 || p.Findings[0].ID != "PGA213" || p.Findings[1].Cause != p.Findings[0].Fingerprint() {
		t.Errorf("%v", p.Findings)
	}
}

// loaded is the model of a real server, with the captures of public.events
// changed.
func loaded(t *testing.T, change func(*dataset.TablePoint)) *Pass {
	m := serverModel(t, "pg15", "bloat")
	r := m.Relation("events")
	for i := range r.Points {
		change(&r.Points[i])
	}
	return Run(m, []*Signature{staleStatistics}, nil)
}

func TestStaleStatisticsStaySilent(t *testing.T) {
	for name, change := range map[string]func(*dataset.TablePoint){
		"few rows changed since the last analyze": func(p *dataset.TablePoint) { p.ModSinceAnalyze = record.Some(500) },
		"few of many rows changed":                func(p *dataset.TablePoint) { p.LiveTup = record.Some(1_000_000) },
	} {
		t.Run(name, func(t *testing.T) {
			if p := loaded(t, change); len(p.Findings) > 0 || len(p.Evaluated) != 1 {
				t.Errorf("%v, not evaluated: %v", p.Findings, p.NotEvaluated)
			}
		})
	}
	for _, scenario := range []string{"healthy-shop", "vacuum-sawtooth", "vacuum-pinned", "hnsw-page-walk"} {
		if p := Run(sampleModel(t, scenario), []*Signature{staleStatistics}, nil); len(p.Findings) > 0 || len(p.Evaluated) != 1 {
			t.Errorf("%s: %v, not evaluated: %v", scenario, p.Findings, p.NotEvaluated)
		}
	}
}

// Right estimates of a table that changed are no trouble, and what stops early
// tells no estimate.
func TestStaleStatisticsNeedAWrongEstimate(t *testing.T) {
	for name, plan := range map[string]string{
		"right": `Seq Scan on t  (cost=0.00..900.00 rows=50000 width=8) (actual time=0.010..20.000 rows=60000 loops=1)
Execution Time: 30.000 ms
`,
		"below a Limit": `Limit  (cost=0.00..1.00 rows=10 width=8) (actual time=0.010..20.000 rows=10 loops=1)
  ->  Seq Scan on t  (cost=0.00..900.00 rows=50000 width=8) (actual time=0.010..20.000 rows=10 loops=1)
Execution Time: 30.000 ms
`,
	} {
		if p := estimated(t, plan); len(p.Findings) > 0 || len(p.Evaluated) != 1 {
			t.Errorf("%s: %v, not evaluated: %v", name, p.Findings, p.NotEvaluated)
		}
	}
	wrong := `Nested Loop  (cost=0.00..900.00 rows=1 width=8) (actual time=0.010..95.000 rows=60000 loops=1)
  ->  Seq Scan on t  (cost=0.00..400.00 rows=1 width=8) (actual time=0.010..20.000 rows=60000 loops=1)
  ->  Index Scan using u_pkey on u  (cost=0.00..4.00 rows=1 width=8) (actual time=0.001..0.001 rows=1 loops=60000)
        Index Cond: (id = t.id)
Execution Time: 100.000 ms
`
	f := only(t, estimated(t, wrong), "PGA213")
	if f.Confidence != finding.Possible {
		t.Errorf("%v: %s, want possible: neither the change nor a later analyze is seen", f.Confidence, f.WhyConfidence)
	}
}

// estimated is a plan logged while public.t, of 60,000 rows, has seen 59,000
// changes since its last analyze.
func estimated(t *testing.T, plan string) *Pass {
	in := &planInput{t: t}
	in.text(plan)
	in.asLog(10, 100*record.Millisecond, 100*record.Millisecond)
	h := &hygiene{t: t}
	for i := range 3 {
		h.sample(record.ViewTables, in.batch.Executions[0].LogTime.Add(record.Duration(i)*record.Second), "schemaname=public", "relname=t", "n_live_tup=60000", "n_mod_since_analyze=59000")
	}
	in.batch.Samples = h.batch.Samples
	return Run(in.model(), []*Signature{staleStatistics}, nil)
}

func TestStaleStatisticsSayWhatTheyLack(t *testing.T) {
	h := &hygiene{t: t}
	h.table(0, 1000, 0, 1000, 0, 0, 0, 0)
	h.lacks(staleStatistics, "no plans")
	m := serverModel(t, "pg15", "bloat")
	for _, r := range m.Relations {
		for i := range r.Points {
			r.Points[i].ModSinceAnalyze = record.Count{}
		}
	}
	p := Run(m, []*Signature{staleStatistics}, nil)
	if len(p.NotEvaluated) != 1 {
		t.Fatalf("evaluated without n_mod_since_analyze: %v", p.Findings)
	}
	wantText(t, "lacks", p.NotEvaluated[0].Lacks, "n_mod_since_analyze")
}
