package signature

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
)

func TestScanThatFollowsItsTable(t *testing.T) {
	f := only(t, run(growingTable().batch(), costTracksTableSize), "PGA103")
	if f.Severity != finding.Warning || f.Confidence != finding.Confirmed || f.Subject.Relation != "public.orders" {
		t.Errorf("%s %s on %s: %s", f.Severity, f.Confidence, f.Subject.Relation, f.WhyConfidence)
	}
	if v := f.Figures[0]; v.Value < 0.95 || v.Value > 1.05 || v.Interval == nil {
		t.Errorf("slope %+v, want 1 buffer per page", v)
	}
	wantText(t, "explains", explainingIn(&f), "pages of the table orders")
	wantText(t, "do", f.Actions[0].Do, "CREATE INDEX CONCURRENTLY ON public.orders (note)")
	if len(f.Evidence) != 3 || f.Evidence[0].Pos.Line == 0 {
		t.Errorf("evidence %+v", f.Evidence)
	}
}

func TestScanInProportionIsTold(t *testing.T) {
	l := growingTable()
	l.buffers, l.seqScan = rising(400, 1000), false
	f := only(t, run(l.batch(), costTracksTableSize), "PGA103")
	if f.Confidence != finding.Likely {
		t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
	}
	wantText(t, "title", f.Title, "a fixed share of public.orders")
}

func TestCostThatDoesNotTrackTheTable(t *testing.T) {
	for name, change := range map[string]func(*costLoad){
		"rows returned grow alike":     func(l *costLoad) { l.rows = rising(4000, 10000) },
		"the table grows by dead rows": func(l *costLoad) { l.live = constant(400_000) },
		"the cost is level":            func(l *costLoad) { l.buffers, l.ms = constant(4000), constant(40) },
		"the table is level": func(l *costLoad) {
			l.pages, l.live = constant(4000), constant(400_000)
		},
		"the time does not follow": func(l *costLoad) { l.ms = constant(40) },
		"the cost steps with its plan": func(l *costLoad) {
			l.buffers = stepping(600, 4000, 10000)
			l.shape = func(s int) uint64 { return uint64(1 + s/600) }
		},
		"the cost is a descent": func(l *costLoad) { l.buffers, l.ms = rising(400, 460), rising(4, 4.6) },
	} {
		l := growingTable()
		change(&l)
		t.Run(name, func(t *testing.T) { silentOn(t, l, costTracksTableSize) })
	}
}

func TestTableSizesAreNeeded(t *testing.T) {
	l := growingTable()
	l.sizes = false
	lacksOn(t, l, costTracksTableSize, "no table sizes over time in input")
	l = growingTable()
	l.buffers = nil
	lacksOn(t, l, costTracksTableSize, "no buffers of statements that read tables in input")
}
