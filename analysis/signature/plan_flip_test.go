package signature

import (
	"math/rand/v2"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// realFlips runs the signature over a log of a real server in which a plan
// flips.
func realFlips(t *testing.T, name string) *Pass {
	t.Helper()
	return Run(modelOf(t, "testdata/flips/"+name), []*Signature{planFlip}, nil)
}

// New statistics tell that a tenant has many rows: the planner takes the index
// of the order and hopes to meet ten of them soon. They are the oldest.
func TestRealFlipAfterAnalyze(t *testing.T) {
	f := only(t, realFlips(t, "pg13-analyze.log.gz"), "PGA105")
	if f.Severity != finding.Critical || f.Effect < 100 || f.Subject.Relation != "public.events" {
		t.Errorf("%s, %gx on %s", f.Severity, f.Effect, f.Subject.Relation)
	}
	if f.Onset.Event != "analyze of public.events" || f.Onset.Lag > record.Second || f.Onset.End.Known() {
		t.Errorf("onset %+v, want the analyze less than a second before, lasting", f.Onset)
	}
	wantText(t, "summary", f.Summary, "Index Scan using events_created_at on events instead of Sort, Bitmap Heap Scan on events", "It is not other parameters")
	wantText(t, "actions", f.Actions[0].Do, "hopes to meet the LIMIT early")
}

func TestRealFlipAfterADroppedIndexReturns(t *testing.T) {
	f := only(t, realFlips(t, "pg15-index-dropped.csv.gz"), "PGA105")
	if f.Confidence != finding.Confirmed || f.Effect < 10 {
		t.Errorf("%s %gx: %s", f.Confidence, f.Effect, f.WhyConfidence)
	}
	if f.Onset.Event != "drop of index orders_customer_id" || !f.Onset.End.Known() {
		t.Errorf("onset %+v, want the dropped index, and its end", f.Onset)
	}
	wantText(t, "flips", figure(t, f, "flips that changed the cost").Text, "2: ")
	wantText(t, "control", figure(t, f, "other statement on the table: select note from orders where id = $1").Says, "control quiet")
	wantText(t, "actions", f.Actions[0].Do, "Nothing now")
}

// Beside it another statement uses two plans all the time, as its constant asks
// for: no finding.
func TestRealFlipForTheBetterIsInfo(t *testing.T) {
	f := only(t, realFlips(t, "pg18-index-created.json.gz"), "PGA105")
	if f.Severity != finding.Info || f.Effect > 0.1 {
		t.Errorf("%s %gx, want info and less", f.Severity, f.Effect)
	}
	wantText(t, "title", f.Title, "less with another plan")
	wantText(t, "event", f.Onset.Event, "creation of index tickets_queue")
	wantText(t, "statement", f.Subject.Statement, "select count(*) from tickets where queue")
}

func TestRealFlipToTheGenericPlan(t *testing.T) {
	f := only(t, realFlips(t, "pg18-generic.json.gz"), "PGA105")
	wantText(t, "event", f.Onset.Event, "the prepared statement took its generic plan")
	wantText(t, "actions", f.Actions[0].Do, "SET plan_cache_mode = force_custom_plan;")
}

// flipLoad is a statement whose plan flips at second 300 of 600, one execution a
// second.
type flipLoad struct {
	after    int64  // buffers of the new plan; 100 before
	wait     int64  // ms of the new plan; 17 before
	rows     int64  // of the new plan; 10 if 0, as before
	values   string // the parameters: "same", "others since", "by value", "" none
	analyzed bool   // the table was analyzed at second 299
	back     int    // second at which the earlier plan returns; 0 never
	noPlans  bool
	period   int // seconds after which the plan changes to and fro, all the time; 0 never
}

func (l flipLoad) run() *Pass {
	draw := rand.New(rand.NewPCG(3, 4))
	b := &record.Batch{}
	query := &record.Statement{Fingerprint: "q", Normalized: "select * from orders where a = $1", Command: "SELECT", Relations: []string{"orders"}}
	for s := range 600 {
		late := s >= 300 && (l.back == 0 || s < l.back)
		if l.period > 0 {
			late = s/l.period%2 == 1
		}
		value := "$1 = '" + string(rune('a'+draw.IntN(5))) + "'"
		switch l.values {
		case "":
			value = ""
		case "others since":
			if late {
				value = "$1 = '" + string(rune('p'+draw.IntN(5))) + "'"
			}
		case "by value":
			late = draw.IntN(2) == 0
		}
		buffers, ms, rows, shape := int64(100), int64(17), int64(10), uint64(1)
		if late {
			buffers, ms, shape = l.after, l.wait, 2
			rows = max(rows, l.rows)
		}
		b.Executions = append(b.Executions, record.Execution{
			Pos: record.Pos{File: "log", Line: int64(s), Offset: int64(s)}, LogTime: sec(float64(s)), Kind: record.ExecPlan, Session: "1", Statement: query,
			Duration: record.Duration(ms)*record.Millisecond + record.Duration(draw.IntN(500)), HasDuration: true, Parameters: value, HasPlan: !l.noPlans,
			Figures: record.Figures{Shape: shape, HasRows: true, Rows: record.WholeRows(rows), HasBuffers: true, Total: record.Buffers{SharedHit: buffers}},
		})
	}
	b.Vacuums = append(b.Vacuums, record.Vacuum{Pos: record.Pos{File: "log", Line: 1}, LogTime: sec(1), Kind: record.KindAnalyze, Schema: "public", Relation: "other"})
	if l.analyzed {
		b.Vacuums = append(b.Vacuums, record.Vacuum{Pos: record.Pos{File: "log", Line: 299}, LogTime: sec(299), Kind: record.KindAnalyze, Schema: "public", Relation: "orders"})
	}
	return run(b, planFlip)
}

var fullFlip = flipLoad{after: 5000, wait: 200, values: "same", analyzed: true}

func TestFlipAfterAnalyzeIsConfirmed(t *testing.T) {
	f := only(t, fullFlip.run(), "PGA105")
	if f.Severity != finding.Critical || f.Confidence != finding.Confirmed || f.Onset.Event != "analyze of public.orders" {
		t.Errorf("%s %s after %q: %s", f.Severity, f.Confidence, f.Onset.Event, f.WhyConfidence)
	}
}

func TestFlipThatNothingExplainsIsLikelyAtMost(t *testing.T) {
	l := fullFlip
	l.analyzed = false
	if f := only(t, l.run(), "PGA105"); f.Confidence > finding.Likely || f.Onset.Event != "" {
		t.Errorf("%s after %q", f.Confidence, f.Onset.Event)
	}
}

func TestFlipThatReturnedIsToldWithItsEnd(t *testing.T) {
	l := fullFlip
	l.back = 450
	if f := only(t, l.run(), "PGA105"); f.Onset.End < sec(449) || f.Onset.End > sec(451) {
		t.Errorf("ended at %s, want second 450", f.Onset.End.Std())
	}
}

func TestNoFlip(t *testing.T) {
	for name, change := range map[string]func(*flipLoad){
		"the cost does not change":                      func(l *flipLoad) { l.after, l.wait = 100, 17 },
		"to and fro, and no event":                      func(l *flipLoad) { l.period, l.analyzed = 100, false },
		"it changes by a fifth":                         func(l *flipLoad) { l.after, l.wait = 120, 20 },
		"parameters choose the plan":                    func(l *flipLoad) { l.values = "by value" },
		"other parameters with more rows, and no event": func(l *flipLoad) { l.values, l.rows, l.analyzed = "", 100, false },
		"other parameters since, and no event":          func(l *flipLoad) { l.values, l.analyzed = "others since", false },
	} {
		l := fullFlip
		change(&l)
		t.Run(name, func(t *testing.T) { silent(t, l.run(), "PGA105") })
	}
}

func TestOtherParametersSinceAreToldBesideAnEvent(t *testing.T) {
	l := fullFlip
	l.values = "others since"
	if f := only(t, l.run(), "PGA105"); f.Confidence != finding.Possible {
		t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestFlipNeedsPlans(t *testing.T) {
	l := fullFlip
	l.noPlans = true
	if p := l.run(); len(p.NotEvaluated) != 1 {
		t.Errorf("not evaluated %+v, want PGA105: no plans", p.NotEvaluated)
	}
}
