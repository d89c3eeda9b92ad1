package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// walkStep is a walk seen without enough index sizes over time: the cost per
// row steps up after a vacuum by the pages that the vacuum's line reports.
type walkStep struct {
	Statement                     *dataset.Statement
	Index                         *dataset.Index
	Event                         *dataset.Vacuum
	Pages                         float64 // of the index, in the vacuum line
	Baseline, Plateau, Now        float64 // buffers per row
	Ratio                         float64 // (plateau − baseline) ÷ pages
	BeforeFit                     stats.Fit
	TransitionEnd                 record.Time
	Points                        []costPoint
	ReadingsBefore, ReadingsAfter int
}

// stepBin is how many executions make one reading of the cost where no size
// reading does; stepWindow how many readings on either side of a vacuum are
// looked at.
const (
	stepBin    = 40
	stepWindow = 200
)

// targetVacuums are the vacuums of the tables that the statement writes.
func targetVacuums(s *dataset.Statement) []*dataset.Vacuum {
	var out []*dataset.Vacuum
	for _, r := range s.Targets() {
		out = append(out, r.Vacuums...)
	}
	return out
}

// findSteps looks at writes whose indexes have too few sizes over time but are
// named, with their pages, by a vacuum that cleaned them.
func findSteps(m *dataset.Model, lo, hi float64, lim walkLimits) []*walkStep {
	var out []*walkStep
	for _, s := range m.Statements {
		if s.Target == nil || s.Command != "INSERT" && s.Command != "UPDATE" && s.Command != "MERGE" {
			continue
		}
		points := planCosts(s)
		readings := stepReadings(points)
		var best *walkStep
		for _, v := range targetVacuums(s) {
			for _, vi := range v.Indexes {
				x := v.Target.Index(vi.Name)
				if x == nil || treeMethods[x.AccessMethod] || slopeDecides(x, v, points, lim) {
					continue
				}
				w := &walkStep{Statement: s, Index: x, Event: v, Pages: float64(vi.Pages), Points: points}
				if w.measure(readings, lim) && w.Ratio >= lo && w.Ratio <= hi && (best == nil || math.Abs(w.Ratio-1) < math.Abs(best.Ratio-1)) {
					best = w
				}
			}
		}
		if best != nil {
			out = append(out, best)
		}
	}
	return out
}

// slopeDecides reports whether snapshots tell the size often enough on either
// side of the event for the slope to have spoken: its interval after the
// transition lies in the band, or shuts out one buffer per page. One that is
// too wide for either leaves the word to the step.
func slopeDecides(x *dataset.Index, v *dataset.Vacuum, points []costPoint, lim walkLimits) bool {
	before, after := 0, 0
	for _, r := range x.History {
		switch {
		case r.FromVacuum:
		case r.Time <= v.End:
			before++
		default:
			after++
		}
	}
	if before < lim.minReadings+2 || after < lim.minReadings+2 {
		return false
	}
	pages, cost, n := columns(readingsFrom(pool(points, x.History), v.End), false)
	k := stats.TransitionEnd(pages, cost, transitionTolerance)
	slope := stats.SlopeInterval(pages[k:], cost[k:], n[k:]).Interval
	return slope.Within(lim.slopeLo, lim.slopeHi) || slope.OK() && !slope.Contains(1)
}

// stepReading is the cost of some executions in a row and the rows inserted
// before them.
type stepReading struct {
	From, To   record.Time
	Rows, Cost float64
}

// stepReadings pools the executions in their order; a few executions make
// smaller pools.
func stepReadings(points []costPoint) []stepReading {
	size := stepBin
	if len(points) < 20*size {
		size = max(3, len(points)/20)
	}
	var out []stepReading
	rows := 0.0
	for i := 0; i+size <= len(points); i += size {
		r := stepReading{From: points[i].At, To: points[i+size-1].At, Rows: rows}
		costs := make([]float64, size)
		for k, p := range points[i : i+size] {
			costs[k] = p.perRow()
			rows += p.Rows
		}
		r.Cost = stats.Median(costs)
		out = append(out, r)
	}
	return out
}

// measure holds the step at the end of the vacuum against the index's pages.
// The index grows with the rows inserted, so that after the transition the cost
// is a line in their number, whose start is the plateau.
func (w *walkStep) measure(rs []stepReading, lim walkLimits) bool {
	cut := sort.Search(len(rs), func(i int) bool { return rs[i].To > w.Event.End })
	before := rs[max(0, cut-stepWindow):cut]
	after := rs[cut:]
	if len(after) > 0 && after[0].From < w.Event.End {
		after = after[1:]
	}
	after = after[:min(len(after), stepWindow)]
	if len(before) < lim.minReadings || len(after) < lim.minReadings {
		return false
	}
	bx, by := stepColumns(before)
	ax, ay := stepColumns(after)
	w.ReadingsBefore = len(by)
	w.Baseline = stats.Median(by[max(0, len(by)-baselineReadings):])
	if stats.Quantile(ay, 0.9) < w.Baseline+0.5*w.Pages {
		return false
	}
	// Quiet before: over the latter half of the rows before the event the cost
	// moved by less than a tenth of the pages.
	quiet, _ := stats.TheilSen(bx, by)
	if rise := quiet * (bx[len(bx)-1] - bx[len(bx)/2]); math.Abs(rise) > 0.1*w.Pages {
		return false
	}
	k := stats.TransitionEnd(ax, ay, transitionTolerance)
	if len(ay)-k < lim.minReadings {
		return false
	}
	slope, intercept := stats.TheilSen(ax[k:], ay[k:])
	w.Plateau = intercept + slope*ax[k]
	w.Now = stats.Median(ay[max(k, len(ay)-5):])
	w.Ratio = (w.Plateau - w.Baseline) / w.Pages
	w.TransitionEnd, w.ReadingsAfter = after[k].From, len(ay)-k
	return w.Plateau >= lim.minStep*w.Baseline && slope >= 0
}

func stepColumns(rs []stepReading) (x, y []float64) {
	for _, r := range rs {
		x, y = append(x, r.Rows), append(y, r.Cost)
	}
	return x, y
}
