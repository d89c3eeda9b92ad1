package analysis

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/attribution"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Given is a series that the user gave, and what explains it.
type Given struct {
	Name, Unit  string
	From, To    record.Time
	N           int
	First, Last float64 // medians of the first and the last fifth of the readings
	// Attribution is every candidate that varies beside it; nil if the series
	// does not change.
	Attribution []finding.Attribution
}

// What a given series must do to be explained.
const (
	leastGiven     = 10   // readings
	leastGivenMove = 0.25 // of its level, between the first and the last fifth
)

// given weighs what explains the series that the user gave.
func given(m *dataset.Model) []Given {
	if len(m.External) == 0 {
		return nil
	}
	collector := series.New(m)
	var out []Given
	var tests []*float64
	for i := range m.External {
		x := &m.External[i]
		g := Given{Name: x.Name, Unit: x.Unit, N: len(x.Points), From: x.Points[0].Time, To: x.Points[len(x.Points)-1].Time}
		fifth := max(1, len(x.Points)/5)
		g.First, g.Last = medianOf(x.Points[:fifth]), medianOf(x.Points[len(x.Points)-fifth:])
		if f := collector.FrameGiven(x); f != nil && g.isTime() && g.moves() {
			a := attribution.Ask(attribution.Question{Frame: f, Cost: series.Given, Baseline: math.NaN(), Limits: attribution.DefaultLimits()})
			g.Attribution = a.Table(attribution.DefaultLimits(), func(p float64) *float64 { tests = append(tests, &p); return &p })
		}
		out = append(out, g)
	}
	stats.CorrectHolm(tests)
	return out
}

// isTime tells a latency from an axis, which explains and is not explained.
func (g *Given) isTime() bool {
	switch g.Unit {
	case "us", "ms", "s":
		return true
	}
	return timeName.MatchString(g.Name)
}

// timeName is how latencies are called.
var timeName = regexp.MustCompile(`(?i)^p\d\d|latency|duration|elapsed|response|time`)

func medianOf(points []dataset.ExternalPoint) float64 {
	v := make([]float64, len(points))
	for i, p := range points {
		v[i] = p.Value
	}
	return stats.Median(v)
}

// moves reports whether the series changes enough to ask why.
func (g *Given) moves() bool {
	level := math.Max(math.Abs(g.First), math.Abs(g.Last))
	return g.N >= leastGiven && level > 0 && math.Abs(g.Last-g.First) >= leastGivenMove*level
}

// text is the verdict on a given series in a sentence.
func (g *Given) text() string {
	t := fmt.Sprintf("Your series %s goes from %s to %s (%s)", g.Name, amount(g.First, g.Unit), amount(g.Last, g.Unit), readings(g.N))
	switch {
	case !g.isTime():
		return t + ": it is weighed as a cause of the others."
	case g.Attribution == nil:
		return t + ": it hardly changes, or has too few readings to ask why."
	}
	explains, out, open := g.verdicts()
	if len(explains) == 0 {
		t += ": nothing measured explains it"
	} else {
		t += ": explained by " + strings.Join(explains, " or ")
		if len(explains) > 1 {
			t += ", which the input cannot tell apart"
		}
	}
	if len(out) > 0 {
		t += "; not by " + strings.Join(out, ", ")
	}
	if len(open) > 0 {
		t += "; not measurable: " + strings.Join(open, ", ")
	}
	return t + "."
}

// verdicts names what explains the series, what does not, and what could not be
// measured. The clock is no cause: where something else grew as evenly, that is
// named, and what would prove it.
func (g *Given) verdicts() (explains, out, open []string) {
	clock := ""
	for i := range g.Attribution {
		a := &g.Attribution[i]
		switch a.Verdict {
		case finding.Explains, finding.NotToldApart:
			if a.Candidate == series.WallClock.String() {
				clock = g.causeText(a)
				continue
			}
			explains = append(explains, g.causeText(a))
		case finding.RuledOutVerdict:
			out = append(out, a.Candidate)
		case finding.NotMeasurable:
			open = append(open, a.Candidate)
		}
	}
	switch {
	case clock != "" && len(explains) == 0:
		explains = append(explains, clock)
	case clock != "":
		explains[len(explains)-1] += ", which grew as evenly as the clock: a change of it alone would prove more"
	}
	return explains, out, open
}

// causeText is "buckets (1.45 ms each [1.35, 1.59])".
func (g *Given) causeText(a *finding.Attribution) string {
	if a.Slope == nil || a.Slope.Interval == nil {
		return a.Candidate
	}
	s, unit := a.Slope, "each"
	if _, per, ok := strings.Cut(s.Unit, " per "); ok {
		unit = "per " + per
	}
	return fmt.Sprintf("%s (%s %s [%.3g, %.3g])", a.Candidate, amount(s.Value, g.Unit), unit, s.Interval[0], s.Interval[1])
}

// amount writes a figure with its unit: three digits, whole numbers from 1,000 on.
func amount(v float64, unit string) string {
	number := strconv.FormatFloat(v, 'g', 3, 64)
	if math.Abs(v) >= 1000 && math.Abs(v) < 1e15 {
		number = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.TrimSpace(number + " " + unit)
}
