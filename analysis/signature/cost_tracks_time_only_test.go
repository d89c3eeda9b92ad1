package signature

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
)

// creeping is the shape of PGA104: the cost doubles, and no size is captured.
func creeping() costLoad {
	return costLoad{buffers: rising(4000, 10000), ms: rising(40, 100), rows: constant(10), noise: 0.02}
}

func TestCostThatOnlyTheClockFollowsNamesWhatToCollect(t *testing.T) {
	f := only(t, run(creeping().batch(), costTracksTimeOnly), "PGA104")
	if f.Severity != finding.Info || f.Confidence != finding.Possible || f.Subject.Fingerprint != "slow" {
		t.Errorf("%s %s on %s", f.Severity, f.Confidence, f.Subject.Fingerprint)
	}
	wantText(t, "summary", f.Summary, "from 4,", "Not in the input: index sizes, table sizes, dead rows, vacuums.")
	wantText(t, "do", f.Actions, "pg_relation_size(indexrelid)", "for orders", "log_autovacuum_min_duration")
	wantText(t, "explains", explainingIn(&f), "wall clock")
}

func TestDurationsAloneCreepToo(t *testing.T) {
	l := creeping()
	l.buffers = nil
	f := only(t, run(l.batch(), costTracksTimeOnly), "PGA104")
	wantText(t, "summary", f.Summary, "buffers")
}

func TestCostThatTimeDoesNotExplainAlone(t *testing.T) {
	for name, change := range map[string]func(*costLoad){
		"level": func(l *costLoad) { l.buffers, l.ms = constant(4000), constant(40) },
		"a size follows": func(l *costLoad) {
			l.sizes, l.pages, l.live = true, rising(4000, 10000), rising(4e5, 1e6)
		},
		"rows grow alike": func(l *costLoad) { l.rows = rising(100, 250) },
		"the load grows": func(l *costLoad) {
			l.perSecond = func(s int) int { return 2 + s/150 }
		},
		"it steps": func(l *costLoad) { l.buffers = stepping(600, 4000, 10000) },
		"it steps while it creeps": func(l *costLoad) {
			l.buffers = func(s int) float64 { return 4000 + float64(s)/2 + 8000*float64(s/600) }
		},
		"it goes up and down": func(l *costLoad) {
			l.buffers = func(s int) float64 { return 4000 + 3000*math.Sin(float64(s)/60) }
		},
		"it grows by a tenth": func(l *costLoad) { l.buffers = rising(4000, 4400) },
	} {
		l := creeping()
		change(&l)
		t.Run(name, func(t *testing.T) { silentOn(t, l, costTracksTimeOnly) })
	}
}

func TestWhatAnotherSignatureExplainsIsNotToldTwice(t *testing.T) {
	l := growingTable()
	p := run(l.batch(), costTracksTableSize, costTracksTimeOnly)
	only(t, p, "PGA103")
	silent(t, p, "PGA104")
}

func TestTimeOnlyNeedsReadings(t *testing.T) {
	b := creeping().batch()
	b.Executions = b.Executions[:50]
	p := run(b, costTracksTimeOnly)
	if len(p.NotEvaluated) != 1 {
		t.Fatalf("%+v", p.NotEvaluated)
	}
	wantText(t, "lacks", p.NotEvaluated[0].Lacks, "no cost of a statement over time in input")
}
