package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pgassay/pgassay/analysis/stats"
)

// level of every test and interval.
const level = 0.05

// trial draws one case and reports whether what is counted happened.
type trial func(r *rand.Rand) bool

// drawn counts a trial over the draws.
func drawn(o options, which int, f trial) int {
	return count(o.draws, o.jobs, func(i int) bool {
		return f(rand.New(rand.NewPCG(o.seed, uint64(which)<<32|uint64(i))))
	})
}

// check is a trial with its bound: the share it may or must have.
type check struct {
	what string
	most float64 // share at most; 0: least counts
	min  float64 // share at least
	do   trial
}

// tests prints how often each test of package stats rejects what is true, and
// how often each interval holds what is true.
func (t *table) tests(o options) {
	which := 0
	for _, group := range []struct {
		title  string
		checks []check
	}{
		{"Tests of package stats: rejections at 5 % where nothing is the matter", testChecks()},
		{"Intervals of package stats: how often 95 % intervals hold the truth, or are not given", intervalChecks()},
		{"Equivalence: slopes at the edge of a band taken to lie inside it", equivalenceChecks()},
		{"Shapes of package stats", shapeChecks()},
	} {
		t.title(group.title + fmt.Sprintf(" (%d draws each)", o.draws))
		for _, c := range group.checks {
			n := drawn(o, which, c.do)
			which++
			if c.most > 0 {
				t.row(c.what, n, o.draws, 0, atMost(o.draws, c.most))
			} else {
				t.row(c.what, n, o.draws, atLeast(o.draws, c.min), o.draws)
			}
		}
	}
}

func testChecks() []check {
	size := func(what string, p trial) check { return check{what: what, most: level, do: p} }
	return []check{
		size("Mann-Whitney at an event, 12 and 15 readings", step(12, 15, 0)),
		size("Mann-Whitney at an event, 80 and 60 readings", step(80, 60, 0)),
		{what: "the same, readings that remember half of the last", most: 0.08, do: step(80, 60, 0.5)},
		{what: "the same, readings that remember four fifths of the last", most: 0.1, do: step(80, 60, 0.8)},
		size("Holm over 20 tests: any rejected", func(r *rand.Rand) bool {
			p := make([]float64, 20)
			for i := range p {
				p[i] = r.Float64()
			}
			for _, v := range stats.Holm(p) {
				if v < level {
					return true
				}
			}
			return false
		}),
		size("Pearson of independent readings", func(r *rand.Rand) bool {
			return stats.Pearson(series(r, 30, 0), series(r, 30, 0)).P < level
		}),
		size("Spearman", func(r *rand.Rand) bool { return stats.Spearman(series(r, 30, 0), series(r, 30, 0)).P < level }),
		size("Kendall", func(r *rand.Rand) bool { return stats.Kendall(series(r, 30, 0), series(r, 30, 0)).P < level }),
		size("Wilcoxon's signed ranks, 12 cycles", func(r *rand.Rand) bool { return stats.WilcoxonSignedRank(series(r, 12, 0)).P < level }),
		{what: "Pearson by effective n, both remember 0.7", most: 0.08, do: func(r *rand.Rand) bool {
			x, y := series(r, 100, 0.7), series(r, 100, 0.7)
			return stats.Pearson(x, y).WithEffectiveN(stats.EffectiveN(x, y)).P < level
		}},
		size("partial r of load in a closed loop, given the pages", func(r *rand.Rand) bool {
			pages, load, cost := closedLoop(r, 60)
			return stats.PartialCorrelation(load, cost, pages).P < level
		}),
	}
}

// step is a test at a known event of readings that go on as before.
func step(before, after int, memory float64) trial {
	return func(r *rand.Rand) bool {
		y := series(r, before+after, memory)
		return stats.StepTest(y[:before], y[before:]).P < level
	}
}

// closedLoop is a cost that follows pages, and a load that follows the cost.
func closedLoop(r *rand.Rand, n int) (pages, load, cost []float64) {
	noise, jitter := series(r, n, 0), series(r, n, 0)
	for i := range n {
		pages = append(pages, 1000+10*float64(i))
		cost = append(cost, 500+pages[i]+20*noise[i])
		load = append(load, 2+0.002*pages[i]+0.3*jitter[i])
	}
	return pages, load, cost
}

func intervalChecks() []check {
	covers := func(n int, memory, tails float64) check {
		what := fmt.Sprintf("slope, %d readings", n)
		if memory > 0 {
			what += fmt.Sprintf(" that remember %g of the last", memory)
		}
		if tails > 0 {
			what += ", heavy tails"
		}
		return check{what: what, min: 0.9, do: func(r *rand.Rand) bool {
			x, y, w := line(r, n, 1, memory, tails)
			i := stats.SlopeInterval(x, y, w).Interval
			return !i.OK() || i.Contains(1)
		}}
	}
	return []check{
		covers(8, 0, 0), covers(12, 0, 0), covers(30, 0, 0), covers(100, 0, 0), covers(400, 0, 0), covers(30, 0, 3),
		covers(30, 0.5, 0), covers(100, 0.5, 0), covers(60, 0.8, 0), covers(100, 0.8, 0), covers(400, 0.8, 0),
		{what: "shift between two samples (Hodges-Lehmann)", min: 0.93, do: func(r *rand.Rand) bool {
			a, b := series(r, 20, 0), series(r, 30, 0)
			return stats.HodgesLehmann(a, b).Interval.Contains(0)
		}},
	}
}

func equivalenceChecks() []check {
	inside := func(n int, slope, lo, hi, memory float64) check {
		return check{what: fmt.Sprintf("slope %g held to lie in [%g, %g], %d readings, memory %g", slope, lo, hi, n, memory),
			most: level, do: func(r *rand.Rand) bool {
				x, y, w := line(r, n, slope, memory, 0)
				return stats.SlopeInterval(x, y, w).Interval.Within(lo, hi)
			}}
	}
	out := []check{
		inside(30, 1.2, 0.8, 1.2, 0), inside(30, 0.8, 0.8, 1.2, 0), inside(30, 0.2, -0.2, 0.2, 0),
		inside(100, 1.2, 0.8, 1.2, 0.5), inside(100, 0.8, 0.8, 1.2, 0.8), inside(8, 1.2, 0.8, 1.2, 0),
	}
	return append(out, check{what: "slope 1 held to lie in [0.8, 1.2], 30 readings", min: 0.9, do: func(r *rand.Rand) bool {
		x, y, w := line(r, 30, 1, 0, 0)
		return stats.SlopeInterval(x, y, w).Interval.Within(0.8, 1.2)
	}})
}

func shapeChecks() []check {
	return []check{
		{what: "change points: any in 200 readings of noise", most: level, do: func(r *rand.Rand) bool {
			return len(stats.ChangePoints(series(r, 200, 0), stats.ChangeOptions{})) > 0
		}},
		{what: "change points: a step of 3 deviations found within 2 readings", min: 0.9, do: func(r *rand.Rand) bool {
			y := series(r, 120, 0)
			for i := 60; i < len(y); i++ {
				y[i] += 3
			}
			c := stats.ChangePoints(y, stats.ChangeOptions{})
			return len(c) == 1 && c[0] >= 58 && c[0] <= 62
		}},
		{what: "transition: none where there is none", min: 0.9, do: func(r *rand.Rand) bool {
			x, y, _ := line(r, 80, 1, 0, 0)
			return stats.TransitionEnd(x, y, 0.1) == 0
		}},
		{what: "regression: a candidate without effect gets a share below 0.1", min: 0.9, do: func(r *rand.Rand) bool {
			a, b, e := series(r, 80, 0), series(r, 80, 0), series(r, 80, 0)
			return stats.MultipleRegression(mix(a, e, 1), [][]float64{a, b}).Shares[1] < 0.1
		}},
		{what: "regression: shares of two causes within 0.15 of the truth", min: 0.9, do: func(r *rand.Rand) bool {
			a, b, e := series(r, 120, 0), series(r, 120, 0), series(r, 120, 0)
			s := stats.MultipleRegression(mix(mix(a, b, 0.5), e, 0.5), [][]float64{a, b}).Shares
			return math.Abs(s[0]-1/1.5) < 0.15 && math.Abs(s[1]-0.25/1.5) < 0.15
		}},
	}
}

// series is a stationary autoregression of variance 1.
func series(r *rand.Rand, n int, memory float64) []float64 {
	out := make([]float64, n)
	v := r.NormFloat64()
	for i := range out {
		out[i] = v
		v = memory*v + math.Sqrt(1-memory*memory)*r.NormFloat64()
	}
	return out
}

// line is a cost along a size that grows unevenly: noise of a twentieth of the
// growth, readings of 5 to 50 executions, and every twentieth point an outlier
// of tails deviations.
func line(r *rand.Rand, n int, slope, memory, tails float64) (x, y, w []float64) {
	noise := series(r, n, memory)
	at := 0.0
	for i := range n {
		at += r.ExpFloat64()
		executions := float64(5 + r.IntN(46))
		x, w = append(x, at), append(w, executions)
		y = append(y, slope*at+float64(n)/20*noise[i])
		if tails > 0 && r.IntN(20) == 0 {
			y[i] += tails * float64(n) / 20
		}
	}
	return x, y, w
}

// mix is a + c·b.
func mix(a, b []float64, c float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + c*b[i]
	}
	return out
}
