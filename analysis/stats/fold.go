package stats

import (
	"math"
	"sort"
)

// Cycle is the time from one event to the next, half-open: a reading at From
// belongs to it, one at To to the next. Any unit of time.
type Cycle struct {
	From, To float64
}

// CycleStat is what was read in one cycle. Its phase runs from 0 at From to 1 at
// To. Figures without a reading to rest on are NaN.
type CycleStat struct {
	Cycle
	N               int
	First, Last     float64 // reading with the least and the greatest time
	Min, Max        float64
	MedianFirst     float64     // of readings with phase below 1/3
	MedianLast      float64     // of readings with phase from 2/3
	RankCorrelation Correlation // Spearman's, of reading with phase

	t, y []float64 // in order of time
}

// Fold sorts readings y at times t into cycles, one CycleStat for each in the
// order given; cycles without readings have N = 0. Readings need not be in
// order, cycles may overlap or leave gaps, and one that does not end after it
// begins is empty.
func Fold(cycles []Cycle, t, y []float64) []CycleStat {
	c := complete(t, y)
	order := sortedBy(c[0])
	t, y = gather(c[0], order), gather(c[1], order)
	out := make([]CycleStat, len(cycles))
	for i, cycle := range cycles {
		from := sort.SearchFloat64s(t, cycle.From)
		to := max(from, sort.SearchFloat64s(t, cycle.To))
		out[i] = foldCycle(cycle, t[from:to], y[from:to])
	}
	return out
}

func foldCycle(c Cycle, t, y []float64) CycleStat {
	n := len(t)
	s := CycleStat{Cycle: c, N: n, t: t, y: y, First: math.NaN(), Last: math.NaN(),
		Min: math.NaN(), Max: math.NaN(), RankCorrelation: Spearman(t, y)}
	third := (c.To - c.From) / 3
	early := sort.SearchFloat64s(t, c.From+third)
	late := sort.SearchFloat64s(t, c.To-third)
	s.MedianFirst, s.MedianLast = Median(y[:early]), Median(y[late:])
	if n == 0 {
		return s
	}
	s.First, s.Last, s.Min, s.Max = y[0], y[n-1], y[0], y[0]
	for _, v := range y {
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	}
	return s
}

// ShareAbove is the share of the cycle's time, 0 … 1, at which the reading was
// above the limit: each reading stands for the times nearest to it, so that
// dense readings do not count for more. NaN without readings.
func (s *CycleStat) ShareAbove(limit float64) float64 {
	if s.N == 0 {
		return math.NaN()
	}
	var above float64
	from := s.From
	for i, v := range s.y {
		to := s.To
		if i+1 < s.N {
			to = lerp(s.t[i], s.t[i+1], 0.5)
		}
		if v > limit {
			above += to - from
		}
		from = to
	}
	return min(1, above/(s.To-s.From))
}
