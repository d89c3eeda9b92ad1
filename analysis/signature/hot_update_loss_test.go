package signature

import (
	"slices"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func TestRealHotUpdateLoss(t *testing.T) {
	for version, want := range map[string]finding.Confidence{"pg13": finding.Possible, "pg15": finding.Possible, "pg18": finding.Likely} {
		f := only(t, Run(serverModel(t, version, "bloat"), []*Signature{hotUpdateLoss}, nil), "PGA214")
		if f.Subject.Relation != "public.stock" || f.Severity != finding.Info || f.Confidence != want {
			t.Errorf("%s: %s %v %v, want public.stock, info, %v: %s", version, f.Subject.Relation, f.Severity, f.Confidence, want, f.WhyConfidence)
		}
		wantText(t, version, f.Title, "100 % before, 0.0 % after")
		wantText(t, version, f.Onset.Event, "new index public.stock_qty")
		wantText(t, version, figure(t, f, "growth of stock_pkey").Text, "57 to 111 pages")
		wantText(t, version, f.Actions, "drop index concurrently public.stock_qty")
	}
}

// updated is public.t with 2,000 updates before each capture, of which hot are
// HOT before an event at 300 s and cold after it.
func updated(t *testing.T, hot, cold int, more ...string) *hygiene {
	h := &hygiene{t: t}
	sum := 0
	for i := range 11 {
		h.table(60*float64(i), 10_000, 0, 10_000, 2000*i, sum, 0, 0)
		s := &h.batch.Samples[len(h.batch.Samples)-1]
		for _, m := range more {
			s.Columns, s.Values = record.NewColumns(append(slices.Clone(s.Columns.Names), "reloptions")), append(slices.Clone(s.Values), record.Value{Text: m, Valid: i > 5})
		}
		h.index(60*float64(i), "t_pkey", 100)
		if i < 5 {
			sum += hot
		} else {
			sum += cold
		}
	}
	return h
}

// created adds an index that is seen from 300 s on.
func (h *hygiene) created(name, keys string) *hygiene {
	for i := 5; i < 11; i++ {
		h.index(60*float64(i), name, 50, "indexdef=CREATE INDEX "+name+" ON public.t USING "+keys)
	}
	return h
}

func TestHotUpdateLossByANewIndex(t *testing.T) {
	h := updated(t, 1900, 100).created("x", "btree (qty)")
	f := h.one(hotUpdateLoss)
	if f.Effect < 2.6 || f.Effect > 2.8 {
		t.Errorf("effect %v, want 2.9 entries per update after 1.05", f.Effect)
	}
	// The statement tells that qty is what changes.
	h.batch.Executions = append(h.batch.Executions, record.Execution{Pos: record.Pos{File: "log", Line: 1}, LogTime: second(400), Kind: record.ExecStatement, Duration: record.Millisecond, HasDuration: true,
		Statement: &record.Statement{Fingerprint: "u", Command: "UPDATE", Target: "t", Relations: []string{"t"}, Normalized: "update t set seen = f(a = 1), qty = qty + $1 where id = $2"}})
	f = h.one(hotUpdateLoss)
	wantText(t, "why", f.WhyConfidence, "a statement updates qty, a column of the new index")
	if f.Confidence != finding.Likely {
		t.Errorf("%v, want likely", f.Confidence)
	}
}

func TestHotUpdateLossByFillfactor(t *testing.T) {
	f := updated(t, 1900, 100, "{fillfactor=100}").one(hotUpdateLoss)
	wantText(t, "event", f.Onset.Event, "fillfactor=100")
	wantText(t, "actions", f.Actions, "set (fillfactor = 9")
}

func TestHotUpdateLossStaysSilent(t *testing.T) {
	for name, build := range map[string]func() *hygiene{
		"never HOT":                    func() *hygiene { return updated(t, 100, 50).created("x", "btree (qty)") },
		"a new index on other columns": func() *hygiene { return updated(t, 1900, 1850).created("x", "btree (born)") },
		"falls without an event":       func() *hygiene { return updated(t, 1900, 100) },
		"names of a rebuild":           func() *hygiene { return updated(t, 1900, 100).created("t_pkey_ccnew", "btree (id)") },
		"BRIN on 16": func() *hygiene {
			h := updated(t, 1900, 100).created("x", "brin (qty)")
			h.setting("server_version", "16.1")
			return h
		},
		"insert-only": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 11 {
				h.table(60*float64(i), 1000*i, 0, 1000*i, 0, 0, 0, 0)
				h.index(60*float64(i), "t_pkey", 100)
			}
			return h.created("x", "btree (qty)")
		},
	} {
		t.Run(name, func(t *testing.T) { build().silent(hotUpdateLoss) })
	}
	for _, scenario := range []string{"healthy-shop", "vacuum-sawtooth", "hnsw-page-walk", "bucket-fanout"} {
		if p := Run(sampleModel(t, scenario), []*Signature{hotUpdateLoss}, nil); len(p.Findings) > 0 {
			t.Errorf("%s: %s", scenario, p.Findings[0].Title)
		}
	}
}

func TestHotUpdateLossSaysWhatItLacks(t *testing.T) {
	h := &hygiene{t: t}
	h.table(0, 1000, 0, 1000, 50, 0, 0, 0)
	h.lacks(hotUpdateLoss, "n_tup_hot_upd over time")
}

func TestUpdatedColumns(t *testing.T) {
	for text, want := range map[string][]string{
		`UPDATE t SET a = $1, "B" = b + $2 WHERE c = $3`:            {"a", `"B"`},
		"update t set a = (select x from y where z = 1) from u":     {"a"},
		"insert into t values ($1) on conflict do update set n = 1": {"n"},
		"select a = b from t": nil,
	} {
		if got := updatedColumns(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
