package stats

import (
	"cmp"
	"math"
	"slices"
)

// Replicates is the number of draws behind an interval of SlopeInterval.
const Replicates = 1000

// fitPairs bounds the pairs of points that each replicate looks at: all pairs
// of 250 points.
const fitPairs = 250 * 249 / 2

// Fit is a robust line with the uncertainty of its slope.
type Fit struct {
	Line
	Interval   Interval // of the slope; NaN below MinReadings
	N          int      // points
	EffectiveN float64  // independent points they are worth
	Block      int      // points drawn together; 0 without an interval
}

// SlopeInterval is TheilSenWeighted with the 95 % interval of the slope by a
// moving-block bootstrap over the points in their order (time), which allows for
// autocorrelated residuals, widened where the blocks are few. A nil w weighs all alike. It assumes that the points
// are independent readings of x (see MinReadings) with stationary residuals.
// Beyond 250 points the interval rests on about 31,000 drawn pairs of them.
func SlopeInterval(x, y, w []float64) Fit {
	x, y, w = weighted(x, y, w)
	fit := Fit{Interval: noInterval(), N: len(x)}
	fit.Slope, fit.Intercept = TheilSenWeighted(x, y, w)
	residuals := fit.Residuals(x, y)
	fit.EffectiveN = EffectiveN(x, residuals)
	if math.IsNaN(fit.Slope) || fit.N < MinReadings {
		return fit
	}
	fit.Block = BlockLength(residuals)
	slopes := newSlopes(x, y, w)
	drawn := blockBootstrap(fit.N, fit.Block, Replicates, seed, slopes.resampled)
	fit.Interval = percentiles(drawn, expandedTail(float64(fit.N)/float64(fit.Block)))
	return fit
}

// slopes are the pairwise slopes of a set of points in ascending order, so that
// the slope of a resample is a walk over them and not a new sort.
type slopes struct {
	pairs  []slopePair
	weight []float64 // of the points
	drawn  []float64 // weight of the points in the resample
}

type slopePair struct {
	slope float64
	i, j  int32
}

func newSlopes(x, y, w []float64) *slopes {
	n := len(x)
	s := &slopes{
		pairs:  make([]slopePair, 0, min(n*(n-1)/2, fitPairs)),
		weight: w,
		drawn:  make([]float64, n),
	}
	eachSlope(x, y, fitPairs, func(i, j int, slope float64) {
		s.pairs = append(s.pairs, slopePair{slope, int32(i), int32(j)})
	})
	slices.SortFunc(s.pairs, func(a, b slopePair) int { return cmp.Compare(a.slope, b.slope) })
	return s
}

// resampled is the weighted Theil–Sen slope of the rows, repeated ones included;
// NaN if they have but one x.
func (s *slopes) resampled(rows []int) float64 {
	clear(s.drawn)
	for _, i := range rows {
		s.drawn[i] += s.weight[i]
	}
	var total float64
	for _, p := range s.pairs {
		total += s.drawn[p.i] * s.drawn[p.j]
	}
	lower, sum := math.NaN(), 0.0
	for _, p := range s.pairs {
		w := s.drawn[p.i] * s.drawn[p.j]
		switch sum += w; {
		case w == 0:
		case !math.IsNaN(lower):
			return lerp(lower, p.slope, 0.5)
		case sum > total/2:
			return p.slope
		case sum == total/2:
			lower = p.slope
		}
	}
	return lower
}
