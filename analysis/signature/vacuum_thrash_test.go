package signature

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// Up to 16 a dead item takes six bytes: 400,000 do not fit into 1 MB, which 17
// and later fill with bitmaps.
func TestRealIndexPasses(t *testing.T) {
	for version, want := range map[string]finding.Confidence{"pg13": finding.Likely, "pg15": finding.Confirmed} {
		f := only(t, Run(serverModel(t, version, "thrash"), []*Signature{vacuumThrash}, nil), "PGA206")
		wantText(t, version, f.Title, "public.jobs read its indexes up to 3 times over")
		if f.Confidence != want || f.Severity != finding.Info {
			t.Errorf("%s: %v %v, want %v, info: seconds of vacuum", version, f.Confidence, f.Severity, want)
		}
		if got := figure(t, f, "passes by the arithmetic").Value; got != 3 {
			t.Errorf("%s: %v passes by the arithmetic", version, got)
		}
		wantText(t, version, f.Actions, "autovacuum_work_mem = '3MB'")
	}
	if p := Run(serverModel(t, "pg18", "thrash"), []*Signature{vacuumThrash}, nil); len(p.Findings) > 0 {
		t.Errorf("18 needs one pass: %v", p.Findings[0].Title)
	}
}

func TestRealCancelledVacuums(t *testing.T) {
	for version, want := range map[string]string{"pg13": "5 times", "pg15": "4 times", "pg18": "4 times"} {
		p := Run(serverModel(t, version, "thrash"), []*Signature{vacuumThrash}, Thresholds{"PGA206.min_kept_away": 5})
		f := only(t, p, "PGA206")
		wantText(t, version, f.Title, "public.jobs were cancelled "+want+" in a row")
		wantText(t, version, f.WhyConfidence, "log_lock_waits = on", "a vacuum was completed once it was left alone")
	}
}

// cancel adds the entry of a worker that gave way, and perhaps of what waited.
func (h *hygiene) cancel(at float64, pid int32, waiter string) {
	line := int64(len(h.batch.Events) + 500)
	h.batch.Events = append(h.batch.Events, record.Event{Pos: record.Pos{File: "log", Line: line, Offset: line}, LogTime: second(at), Kind: record.EventError, SQLState: "57014",
		ProcessID: pid, Object: "db.public.t", Text: "canceling autovacuum task"})
	if waiter != "" {
		h.batch.Events = append(h.batch.Events, record.Event{Pos: record.Pos{File: "log", Line: line + 1, Offset: line + 1}, LogTime: second(at), Kind: record.EventLockWait,
			Holders: []int32{pid}, Statement: &record.Statement{Fingerprint: "w", Normalized: waiter}})
	}
}

func TestCancelledVacuumsNameWhatWaited(t *testing.T) {
	h := &hygiene{t: t}
	for i := range 12 {
		h.cancel(600*float64(i), int32(100+i), "lock table t in share mode")
	}
	h.read(7200, 3000, 1000)
	f := h.one(vacuumThrash)
	if f.Confidence != finding.Confirmed || f.Severity != finding.Warning {
		t.Errorf("%v %v, want confirmed, warning: two hours without a vacuum", f.Confidence, f.Severity)
	}
	wantText(t, "summary", f.Summary, "lock table t in share mode")
	// No vacuum is ever completed: the table is known by these entries only.
	h = &hygiene{t: t}
	for i := range 12 {
		h.cancel(600*float64(i), int32(100+i), "")
	}
	wantText(t, "subject", h.one(vacuumThrash).Subject.Relation, "public.t")
}

// busy adds vacuums that ran from each to the next, with buffers as given.
func busy(t *testing.T, hits, dirtied int64, gap float64) *hygiene {
	h := &hygiene{t: t}
	h.setting("server_version", "15.4")
	h.setting("autovacuum_vacuum_cost_delay", "20")
	h.setting("autovacuum_vacuum_cost_limit", "-1")
	h.setting("vacuum_cost_limit", "200")
	for i := range 4 {
		v := h.read(1000+(600+gap)*float64(i), hits, 50_000)
		v.BufferDirtied, v.Elapsed = record.Some(dirtied), 600*record.Second
	}
	return h
}

func (h *hygiene) setting(name, value string) {
	h.sample(record.ViewSettings, second(0), "name="+name, "setting="+value)
}

func TestThrottledVacuumsFillTheTime(t *testing.T) {
	// 20 × 200,000 + 1,000,000 cost ÷ 200 × 20 ms are 500 of 600 s.
	f := busy(t, 1_000_000, 200_000, 60).one(vacuumThrash)
	wantText(t, "title", f.Title, "sleep 83 % of their time and fill 93 %")
	if f.Severity != finding.Warning || f.Effect < 5.9 || f.Effect > 6.1 {
		t.Errorf("%v, effect %v, want a warning and 6 times as long", f.Severity, f.Effect)
	}
	wantText(t, "actions", f.Actions, "alter table public.t set (autovacuum_vacuum_cost_limit = 1000)")
	h := busy(t, 1000, 0, 60)
	for i := range h.batch.Vacuums {
		h.batch.Vacuums[i].HasDelay, h.batch.Vacuums[i].DelayTime = true, 540*record.Second
	}
	wantText(t, "measured delay", figure(t, h.one(vacuumThrash), "asleep").Says, "measured")
}

// The vacuums of the real servers sleep most of their few seconds.
func TestRealThrottledVacuums(t *testing.T) {
	short := Thresholds{"PGA206.min_slow": 1, "PGA206.min_busy": 0.1, "PGA206.min_extra": 1e9}
	for version, says := range map[string]string{"pg15": "computed", "pg18": "measured"} {
		f := only(t, Run(serverModel(t, version, "thrash"), []*Signature{vacuumThrash}, short), "PGA206")
		wantText(t, version, f.Title, "of their time and fill")
		wantText(t, version, figure(t, f, "asleep").Says, says)
	}
}

// trickle is a table whose vacuums read 3,000 pages or so for few dead items.
func trickle(t *testing.T, items int64) *hygiene {
	h := &hygiene{t: t}
	h.index(0, "x", 2000)
	for i := range 8 {
		h.read(4000*float64(i+1), 5000, items).IndexScan = record.IndexScanNeeded
	}
	return h
}

func TestVacuumsThatRemoveNextToNothing(t *testing.T) {
	f := trickle(t, 30).one(vacuumThrash)
	wantText(t, "title", f.Title, "pages for each dead item")
	wantText(t, "actions", f.Actions, "autovacuum_vacuum_threshold = 2030")
}

func TestVacuumThrashStaysSilent(t *testing.T) {
	for name, build := range map[string]func() *hygiene{
		"many dead items, few tuples": func() *hygiene {
			h := trickle(t, 10_000)
			for i := range h.batch.Vacuums {
				h.batch.Vacuums[i].TuplesRemoved = record.Some(3)
			}
			return h
		},
		"started by inserts": func() *hygiene { return trickle(t, 0) },
		"to freeze": func() *hygiene {
			h := trickle(t, 30)
			for i := range h.batch.Vacuums {
				h.batch.Vacuums[i].Aggressive = true
			}
			return h
		},
		"version 13, which visits the indexes for a single dead row": func() *hygiene {
			h := trickle(t, 30)
			for i := range h.batch.Vacuums {
				h.batch.Vacuums[i].IndexScan = record.IndexScanUnreported
			}
			return h
		},
		"held back (205)": func() *hygiene {
			h := trickle(t, 30)
			for i := range h.batch.Vacuums {
				h.batch.Vacuums[i].TuplesNotRemovable = record.Some(90_000)
			}
			return h
		},
		"slow by design, done long before the next": func() *hygiene { return busy(t, 1_000_000, 200_000, 6000) },
		"long, but not asleep":                      func() *hygiene { return busy(t, 10_000, 20_000, 60) },
		"two passes over small indexes": func() *hygiene {
			h := &hygiene{t: t}
			h.index(0, "x", 100)
			h.read(60, 5000, 10_000).IndexScans = 2
			return h
		},
		"cancelled now and then": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 12 {
				h.cancel(600*float64(i), int32(100+i), "")
				h.read(600*float64(i)+300, 3000, 1000)
			}
			return h
		},
		"kept away by a build": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 12 {
				h.cancel(float64(i), int32(100+i), "")
			}
			return h
		},
	} {
		t.Run(name, func(t *testing.T) { build().silent(vacuumThrash) })
	}
}

func TestVacuumThrashStaysSilentOnSamples(t *testing.T) {
	for _, scenario := range []string{"hnsw-page-walk", "hnsw-dense-control", "healthy-shop", "vacuum-sawtooth", "vacuum-pinned"} {
		if p := Run(sampleModel(t, scenario), []*Signature{vacuumThrash}, nil); len(p.Findings) > 0 || len(p.Evaluated) != 1 {
			t.Errorf("%s: %v, not evaluated: %v", scenario, p.Findings, p.NotEvaluated)
		}
	}
}

func TestVacuumThrashSaysWhatItLacks(t *testing.T) {
	h := &hygiene{t: t}
	h.table(0, 1000, 0, 1000, 0, 0, 0, 0)
	h.lacks(vacuumThrash, "vacuum lines")
	if !strings.Contains(vacuumThrash.Needs[0].Doc, "log_autovacuum_min_duration") {
		t.Error("does not say how to log vacuums")
	}
}
