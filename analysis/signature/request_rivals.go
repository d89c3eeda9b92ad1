package signature

import (
	"fmt"
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

const (
	// ownFlat is how much the child's own time may rise, like with like, for
	// the control to be quiet.
	ownFlat = 1.2
	// ownFloor is the rise of the mean below which it is flat whatever its ratio.
	ownFloor = 0.05 // ms
	// ownPairs is the least number of equal parameters for a comparison.
	ownPairs = 5
	// requestPartial is the partial rank correlation below which a rival adds
	// nothing to what N explains.
	requestPartial = 0.3
	// throughputWindow counts requests before a request.
	throughputWindow = 10 * record.Second
)

// ownTime is what a child takes inside the server, in ms.
type ownTime struct {
	mean, bottom, top float64 // over all, at the least and at the greatest N
	// alike is the median of top ÷ bottom over executions with the same
	// parameters, of which there are pairs; NaN without.
	alike float64
	pairs int
}

// flat reports that a child did not become slower: with the same parameters,
// or in the mean where those are not logged.
func (o ownTime) flat() bool {
	if o.pairs >= ownPairs {
		return o.alike <= ownFlat
	}
	return o.top <= ownFlat*o.bottom || o.top-o.bottom <= ownFloor
}

// mixed reports that the mean fell only because cheaper children were added.
func (o ownTime) mixed() bool {
	return o.pairs >= ownPairs && o.top < o.bottom/ownFlat && o.alike > 1.5*o.top/o.bottom
}

func (o ownTime) text() string {
	if o.pairs >= ownPairs {
		return fmt.Sprintf("same parameters at the least and at the greatest N: %s (%d compared)", times(o.alike), o.pairs)
	}
	return fmt.Sprintf("mean %s ms at the least N, %s ms at the greatest", num(o.bottom), num(o.top))
}

type meanOf struct{ sum, n float64 }

func (m *meanOf) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }
func (m *meanOf) value() float64 {
	return m.sum / m.n // NaN without values
}

func ownTimeOf(g *fanOutGroup, level []int) ownTime {
	var all, bottom, top meanOf
	before, after := map[string]*meanOf{}, map[string]*meanOf{}
	for i := range g.requests {
		first, last := level[i] == 0, level[i] == len(g.levels)-1
		g.requests[i].children(g.child, func(e *dataset.Execution) {
			ms := e.Duration.Milliseconds()
			all.add(ms)
			if first {
				bottom.add(ms)
				addByParameters(before, e.Parameters, ms)
			}
			if last {
				top.add(ms)
				addByParameters(after, e.Parameters, ms)
			}
		})
	}
	o := ownTime{mean: all.value(), bottom: bottom.value(), top: top.value(), alike: math.NaN()}
	var ratios []float64
	for p, b := range before {
		if a := after[p]; a != nil && b.sum > 0 {
			ratios = append(ratios, a.value()/b.value())
		}
	}
	if o.pairs = len(ratios); o.pairs > 0 {
		o.alike = stats.Median(ratios)
	}
	return o
}

func addByParameters(by map[string]*meanOf, parameters string, ms float64) {
	if parameters == "" || by[parameters] == nil && len(by) >= maxParameters {
		return
	}
	if by[parameters] == nil {
		by[parameters] = &meanOf{}
	}
	by[parameters].add(ms)
}

// rivalsOf holds the other explanations of a long request against the group.
func rivalsOf(g *fanOutGroup) []finding.RuledOut {
	n, wall, busy, load := make([]float64, len(g.requests)), make([]float64, len(g.requests)), g.inFlight(), g.load()
	var sum, server float64
	for i := range g.requests {
		r := &g.requests[i]
		n[i], wall[i] = float64(r.n), r.wall()
		sum += wall[i]
		server += r.server.Milliseconds()
	}
	return []finding.RuledOut{
		partialRival("concurrency", "requests in flight", busy, wall, n),
		partialRival("throughput", "requests per 10 s", load, wall, n),
		g.planRival(),
		g.ownRival("index or table growth", "the child's own time did not rise: "+g.own.text()),
		g.ownRival("lock waits and I/O in the server", fmt.Sprintf("a wait counts as server time, which is %s ms of %s ms and did not rise per child",
			num(server), num(sum))),
		notMeasurable("network against client code", "the log ends at the server's socket; time select 1 on the same connection"),
	}
}

func (g *fanOutGroup) ownRival(rival, figure string) finding.RuledOut {
	if g.own.flat() {
		return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: figure}
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: "the child's own time rose: " + g.own.text()}
}

// partialRival rules a rival out if, given N, it says little about the wall
// time. Growing things correlate: the raw figure proves nothing.
func partialRival(rival, what string, x, wall, n []float64) finding.RuledOut {
	raw, partial := stats.Spearman(wall, x).R, stats.PartialSpearman(wall, x, n).R
	lo, hi := stats.Quantile(x, 0), stats.Quantile(x, 1)
	if lo == hi {
		return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%s constant at %s", what, num(lo))}
	}
	if math.IsNaN(raw) || math.IsNaN(partial) {
		return notMeasurable(rival, what+" cannot be told apart from N")
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Raw: &raw, Partial: &partial,
		Figure: fmt.Sprintf("given N, r %.2f (raw %.2f)", partial, raw)}
	if math.Abs(partial) < requestPartial {
		out.Verdict = finding.RuledOutVerdict
	}
	return out
}

// inFlight counts for each request the others of the group running at its
// start.
func (g *fanOutGroup) inFlight() []float64 {
	ends := make([]record.Time, len(g.requests))
	for i := range g.requests {
		ends[i] = g.requests[i].end
	}
	sort.Slice(ends, func(i, j int) bool { return ends[i] < ends[j] })
	out := make([]float64, len(g.requests))
	for i := range g.requests {
		start := g.requests[i].start
		begun := sort.Search(len(g.requests), func(k int) bool { return g.requests[k].start > start })
		ended := sort.Search(len(ends), func(k int) bool { return ends[k] > start })
		out[i] = float64(begun - ended - 1)
	}
	return out
}

// load counts for each request those of the group that started shortly before.
func (g *fanOutGroup) load() []float64 {
	out := make([]float64, len(g.requests))
	from := 0
	for i := range g.requests {
		for g.requests[i].start.Sub(g.requests[from].start) > throughputWindow {
			from++
		}
		out[i] = float64(i - from)
	}
	return out
}

// planRival looks at plan shapes, else at buffers per call, else at the
// child's own time.
func (g *fanOutGroup) planRival() finding.RuledOut {
	out := finding.RuledOut{Rival: "plan change", Verdict: finding.RuledOutVerdict}
	first, last := buffersPerCall(g.child)
	switch shapes := len(g.child.Shapes); {
	case shapes == 1:
		out.Figure = fmt.Sprintf("one shape in %s plans", thousands(g.child.Shapes[0].Executions))
	case last <= ownFlat*first:
		out.Figure = fmt.Sprintf("buffers per child call %s at first, %s at last", num(first), num(last))
	case g.own.flat():
		out.Figure = "the child's own time did not rise: " + g.own.text()
	default:
		out.Verdict = finding.NotRuledOut
		out.Figure = "the child's own time rose: " + g.own.text()
	}
	return out
}

// buffersPerCall is the mean in the first and the last interval; NaN without.
func buffersPerCall(s *dataset.Statement) (first, last float64) {
	if len(s.Diffs) < 2 {
		return math.NaN(), math.NaN()
	}
	per := func(d dataset.Diff) float64 { return float64(d.Buffers()) / float64(d.Calls) }
	return per(s.Diffs[0]), per(s.Diffs[len(s.Diffs)-1])
}
