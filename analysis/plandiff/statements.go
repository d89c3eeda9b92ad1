package plandiff

import (
	"cmp"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/stats"
)

// Limits of what counts as a change of a statement.
const (
	// Alpha is the level of the tests, after correction for all of them
	// (Benjamini and Hochberg).
	Alpha = 0.05
	// LeastRatio is the least ratio of medians that is a change.
	LeastRatio = 1.1
)

// Sample is one plan of a statement. What is not known is NaN.
type Sample struct {
	Key       string // what makes it the same statement
	Text      string // of the statement, for the reader
	Shape     uint64
	MS        float64 // execution
	Buffers   float64 // shared accesses of the whole plan
	Rows      float64
	PerRow    float64 // buffers per row
	PlanIndex int     // the caller's
}

// Verdict is what a comparison says.
type Verdict string

// Verdicts. NotTested stands where so few plans differ that no test could tell.
const (
	Same      Verdict = "same"
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	NotTested Verdict = "not tested"
	OnlyOld   Verdict = "gone"
	OnlyNew   Verdict = "new"
)

// Measure is one figure of a statement in both sets.
type Measure struct {
	Old, New   float64 // medians, NaN if not reported
	NOld, NNew int     // plans behind them
	// P is that of Mann and Whitney's test, Corrected after correction for all
	// tests made; NaN if there was nothing to test.
	P, Corrected float64
	// Effect is Cliff's delta: 1 if each new value is above each old one, −1 if
	// below.
	Effect  float64
	Verdict Verdict
}

// Ratio is New ÷ Old, NaN if Old is not above 0.
func (m *Measure) Ratio() float64 { return Delta{Old: m.Old, New: m.New}.Ratio() }

// Statement is one statement in both sets.
type Statement struct {
	Key, Text            string
	NOld, NNew           int
	ShapesOld, ShapesNew int
	// FreshShapes counts the shapes that only the new set has.
	FreshShapes int
	// Rows are the medians of rows, which explain buffers; they are not judged.
	Rows                Measure
	Buffers, PerRow, MS Measure
	// Verdict is that of the buffers, else of the buffers per row, else of time:
	// buffers do not depend on the machine.
	Verdict Verdict
}

// Statements compares two sets of plans by statement, worst first. tests is the
// number of tests made, which the p-values are corrected for.
func Statements(old, new []Sample) (list []Statement, tests int) {
	olds, news := byKey(old), byKey(new)
	var keys []string
	for key := range olds {
		keys = append(keys, key)
	}
	for key := range news {
		if olds[key] == nil {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		list = append(list, statement(key, olds[key], news[key]))
	}
	tests = correct(list)
	for i := range list {
		list[i].judge()
	}
	slices.SortStableFunc(list, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(rank(a.Verdict), rank(b.Verdict)), cmp.Compare(b.growth(), a.growth()), cmp.Compare(a.Key, b.Key))
	})
	return list, tests
}

func byKey(samples []Sample) map[string][]Sample {
	out := map[string][]Sample{}
	for _, s := range samples {
		out[s.Key] = append(out[s.Key], s)
	}
	return out
}

func statement(key string, old, new []Sample) Statement {
	s := Statement{Key: key, NOld: len(old), NNew: len(new)}
	for _, x := range slices.Concat(old, new) {
		if s.Text == "" || x.Text != "" && x.Text < s.Text {
			s.Text = x.Text
		}
	}
	before, after := shapes(old), shapes(new)
	s.ShapesOld, s.ShapesNew = len(before), len(after)
	for shape := range after {
		if !before[shape] {
			s.FreshShapes++
		}
	}
	s.Rows = measure(old, new, func(x *Sample) float64 { return x.Rows })
	s.Buffers = measure(old, new, func(x *Sample) float64 { return x.Buffers })
	s.PerRow = measure(old, new, func(x *Sample) float64 { return x.PerRow })
	s.MS = measure(old, new, func(x *Sample) float64 { return x.MS })
	return s
}

func shapes(samples []Sample) map[uint64]bool {
	out := map[uint64]bool{}
	for i := range samples {
		out[samples[i].Shape] = true
	}
	return out
}

func measure(old, new []Sample, of func(*Sample) float64) Measure {
	a, b := values(old, of), values(new, of)
	m := Measure{Old: stats.Median(a), New: stats.Median(b), NOld: len(a), NNew: len(b), P: math.NaN(), Corrected: math.NaN(), Effect: math.NaN()}
	if len(a) > 0 && len(b) > 0 {
		m.Effect = stats.CliffsDelta(b, a)
		if canTell(len(a), len(b)) {
			m.P = stats.MannWhitney(b, a).P
		}
	}
	return m
}

func values(samples []Sample, of func(*Sample) float64) []float64 {
	var out []float64
	for i := range samples {
		if v := of(&samples[i]); !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// canTell reports whether samples of n and m can reach Alpha at all: the least
// two-sided p is 2 ÷ (n+m over n).
func canTell(n, m int) bool {
	ways := 1.0
	for i := 1; i <= n && ways < 1e6; i++ {
		ways = ways * float64(m+i) / float64(i)
	}
	return 2/ways <= Alpha
}

// correct corrects the p-values of what is judged and counts the tests.
func correct(list []Statement) int {
	var p []float64
	var at []*Measure
	for i := range list {
		for _, m := range []*Measure{&list[i].Buffers, &list[i].PerRow, &list[i].MS} {
			if !math.IsNaN(m.P) {
				p, at = append(p, m.P), append(at, m)
			}
		}
	}
	for i, corrected := range stats.BenjaminiHochberg(p) {
		at[i].Corrected = corrected
	}
	return len(p)
}

// judge sets the verdicts.
func (s *Statement) judge() {
	s.Buffers.judge(BlockNoise)
	s.PerRow.judge(0)
	s.MS.judge(TimeNoiseMS)
	switch {
	case s.NOld == 0:
		s.Verdict = OnlyNew
	case s.NNew == 0:
		s.Verdict = OnlyOld
	default:
		s.Verdict = Same
		for _, m := range []*Measure{&s.MS, &s.PerRow, &s.Buffers} {
			if m.Verdict == Better || m.Verdict == Worse || m.Verdict == NotTested && s.Verdict == Same {
				s.Verdict = m.Verdict
			}
		}
	}
}

// judge holds the difference of the medians against the floor, the least ratio
// and the test.
func (m *Measure) judge(floor float64) {
	ratio := m.Ratio()
	m.Verdict = Same
	switch differs := math.Abs(m.New-m.Old) > floor; {
	case !differs, ratio < LeastRatio && ratio > 1/LeastRatio:
	case math.IsNaN(m.Corrected):
		m.Verdict = NotTested
	case m.Corrected > Alpha:
	case m.New > m.Old:
		m.Verdict = Worse
	default:
		m.Verdict = Better
	}
}

// growth is how much a statement grew, by buffers, else by time.
func (s *Statement) growth() float64 {
	for _, m := range []*Measure{&s.Buffers, &s.MS} {
		if r := m.Ratio(); !math.IsNaN(r) {
			return r
		}
	}
	return 0
}

// rank orders verdicts, worst first.
func rank(v Verdict) int {
	return slices.Index([]Verdict{Worse, OnlyNew, NotTested, Better, OnlyOld, Same}, v)
}
