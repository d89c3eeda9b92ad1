package signature

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// day is a day in seconds.
const day = 86400.0

// written is public.t to which 1,000 rows a day are written for 10 days, with a
// primary key that is scanned.
func written(t *testing.T) *hygiene {
	h := &hygiene{t: t}
	for i := range 11 {
		h.table(day*float64(i), 10_000, 0, 10_000+1000*i, 0, 0, 0, 0)
		h.index(day*float64(i), "t_pkey", 400, kv("idx_scan", 100*i), "indisunique=t", "indisprimary=t", "conname=t_pkey",
			"indexdef=CREATE UNIQUE INDEX t_pkey ON public.t USING btree (id)")
	}
	return h
}

// also adds an index of 400 pages whose scans go up by scans a day.
func (h *hygiene) also(name, keys string, scans int, more ...string) *hygiene {
	for i := range 11 {
		h.index(day*float64(i), name, 400, append(more, kv("idx_scan", 7+scans*i), "indisunique=f",
			"indexdef=CREATE INDEX "+name+" ON public.t USING "+keys)...)
	}
	return h
}

func TestUnusedIndex(t *testing.T) {
	f := written(t).also("x", "btree (a)", 0).one(unneededIndex)
	if f.Subject.Index != "public.x" || f.Severity != finding.Info || f.Confidence != finding.Confirmed {
		t.Errorf("%s %v %v, want public.x, info, confirmed", f.Subject.Index, f.Severity, f.Confidence)
	}
	wantText(t, "title", f.Title, "was not read for 10 days")
	wantText(t, "summary", f.Summary, "10,000 rows written in the 10 days")
	wantText(t, "actions", f.Actions, "drop index concurrently public.x", "contype = 'f'", "CREATE INDEX x ON public.t USING btree (a)")
	wantText(t, "notes", f.Notes, "less than 35 days")
	wantText(t, "rivals", f.RuledOut, "standby", "foreign key")
}

func TestIndexUnusedSinceItsLastScan(t *testing.T) {
	h := &hygiene{t: t}
	h.table(0, 10_000, 0, 10_000, 0, 0, 0, 0)
	h.table(day, 10_000, 0, 12_000, 0, 0, 0, 0)
	last := second(-50 * day).Std().Format("2006-01-02 15:04:05+00")
	h.index(day, "x", 400, "idx_scan=9", "indisunique=f", "last_idx_scan="+last)
	f := h.one(unneededIndex)
	if got := figure(t, f, "without a scan").Value; got < 50.9 || got > 51.1 {
		t.Errorf("%v days, want 51", got)
	}
	if strings.Contains(strings.Join(f.Notes, " "), "35 days") {
		t.Error("warns of month ends after 51 days")
	}
}

func TestRedundantIndexes(t *testing.T) {
	for name, c := range map[string]struct{ x, y, named string }{
		"prefix":           {"btree (a)", "btree (a, b)", "public.x"},
		"alike":            {"btree (a)", "btree (a)", "public.y"},
		"include":          {"btree (a) INCLUDE (c)", "btree (a, b) INCLUDE (c, d)", "public.x"},
		"include in keys":  {"btree (a) INCLUDE (b)", "btree (a, b)", "public.x"},
		"expression":       {"btree (lower(a))", "btree (lower(a), b)", "public.x"},
		"predicate":        {"btree (a) WHERE (b > 1)", "btree (a, c) WHERE (b > 1)", "public.x"},
		"gin alike":        {"gin (a)", "gin (a)", "public.y"},
		"operator classes": {"btree (a text_pattern_ops)", "btree (a text_pattern_ops, b)", "public.x"},
	} {
		t.Run(name, func(t *testing.T) {
			f := written(t).also("x", c.x, 10).also("y", c.y, 10).one(unneededIndex)
			if f.Subject.Index != c.named || f.Confidence != finding.Confirmed {
				t.Errorf("%s %v: %s", f.Subject.Index, f.Confidence, f.Title)
			}
		})
	}
}

func TestOfTwoAlikeTheOneThatIsReadIsKept(t *testing.T) {
	f := written(t).also("t_a", "btree (a)", 50).also("t_a_dup", "btree (a)", 900).one(unneededIndex)
	if f.Subject.Index != "public.t_a" {
		t.Errorf("%s: t_a_dup is read more", f.Title)
	}
	f = written(t).also("t_a", "btree (a)", 900).also("t_a_dup", "btree (a)", 50).one(unneededIndex)
	if f.Subject.Index != "public.t_a_dup" {
		t.Errorf("%s: t_a is read more", f.Title)
	}
}

func TestUnneededIndexStaysSilent(t *testing.T) {
	for name, build := range map[string]func() *hygiene{
		"scanned":          func() *hygiene { return written(t).also("x", "btree (a)", 1) },
		"unique":           func() *hygiene { return written(t).also("x", "btree (a)", 0, "indisunique=t") },
		"constraint":       func() *hygiene { return written(t).also("x", "gist (a)", 0, "conname=no_overlap") },
		"replica identity": func() *hygiene { return written(t).also("x", "btree (a)", 0, "indisreplident=t") },
		"invalid (210)":    func() *hygiene { return written(t).also("x", "btree (a)", 0, "indisvalid=f") },
		"other order":      func() *hygiene { return written(t).also("x", "btree (a)", 1).also("y", "btree (b, a)", 1) },
		"other operator class": func() *hygiene {
			return written(t).also("x", "btree (a text_pattern_ops)", 1).also("y", "btree (a, b)", 1)
		},
		"other predicate":    func() *hygiene { return written(t).also("x", "btree (a)", 1).also("y", "btree (a, b) WHERE (c)", 1) },
		"include is missing": func() *hygiene { return written(t).also("x", "btree (a) INCLUDE (c)", 1).also("y", "btree (a, b)", 1) },
		"gin prefix":         func() *hygiene { return written(t).also("x", "gin (a)", 1).also("y", "gin (a, b)", 1) },
		"covered by an invalid index": func() *hygiene {
			return written(t).also("x", "btree (a)", 1).also("y", "btree (a, b)", 1, "indisvalid=f")
		},
		"nobody writes": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 11 {
				h.table(day*float64(i), 10_000, 0, 10_000, 0, 0, 0, 0)
			}
			return h.also("x", "btree (a)", 0)
		},
	} {
		t.Run(name, func(t *testing.T) { build().silent(unneededIndex) })
	}
}

func TestUnneededIndexSaysWhatItLacks(t *testing.T) {
	h := &hygiene{t: t}
	h.index(0, "x", 400, "idx_scan=0", "indisunique=f")
	h.index(3*day, "x", 400, "idx_scan=0", "indisunique=f")
	h.lacks(unneededIndex, "no index definitions")
	h = &hygiene{t: t}
	h.index(0, "x", 400, "idx_scan=0", "indexdef=CREATE INDEX x ON public.t USING btree (a)")
	h.lacks(unneededIndex, "only duplicates were looked for")
}

func TestIndexThatNothingReadsIsNoReasonToDropTheOneItCovers(t *testing.T) {
	f := written(t).also("x", "btree (a)", 10).also("y", "btree (a, b)", 0).one(unneededIndex)
	wantText(t, "title", f.Title, "public.y was not read")
}

func TestIndexUnusedSinceTheStatisticsWereReset(t *testing.T) {
	h := &hygiene{t: t}
	h.table(0, 10_000, 0, 10_000, 0, 0, 0, 0)
	h.table(3600, 10_000, 0, 12_000, 0, 0, 0, 0)
	h.sample(record.ViewDatabase, second(0), "datname=db", "numbackends=1", "stats_reset="+second(-20*day).Std().Format("2006-01-02 15:04:05+00"))
	h.index(3600, "x", 400, "idx_scan=0", "indisunique=f")
	f := h.one(unneededIndex)
	wantText(t, "why", f.WhyConfidence, "a crash loses counters too")
	if got := figure(t, f, "without a scan").Value; got < 20 || got > 20.1 {
		t.Errorf("%v days, want 20", got)
	}
}

// A reset in between ends the span: what was scanned before it is not known.
func TestUnusedIndexCountsFromTheLastReset(t *testing.T) {
	h := &hygiene{t: t}
	for i, scans := range []int{900, 900, 900, 0, 0, 0, 0, 0} {
		h.table(2*day*float64(i), 10_000, 0, 10_000+1000*i, 0, 0, 0, 0)
		h.index(2*day*float64(i), "x", 400, kv("idx_scan", scans), "indisunique=f")
	}
	if got := figure(t, h.one(unneededIndex), "without a scan").Value; got != 8 {
		t.Errorf("%v days, want the 8 since the reset", got)
	}
}

func TestRealUnneededIndexes(t *testing.T) {
	small := Thresholds{"PGA211.min_size": 1, "PGA211.min_days": 10 / day}
	for _, version := range []string{"pg13", "pg15", "pg18"} {
		p := Run(serverModel(t, version, "bloat"), []*Signature{unneededIndex}, small)
		var got []string
		for _, f := range p.Findings {
			got = append(got, f.Title)
		}
		wantText(t, version, got, "public.hits_at was not read", "public.stock_qty was not read")
		// hits_path is the beginning of hits_path_at: as long as that is read.
		p = Run(serverModel(t, version, "bloat"), []*Signature{unneededIndex}, Thresholds{"PGA211.min_size": 1})
		wantText(t, version, only(t, p, "PGA211").Title, "public.hits_path_at can do all that public.hits_path does")
		for _, title := range got {
			if strings.Contains(title, "pkey") {
				t.Errorf("%s: %s", version, title)
			}
		}
	}
}
