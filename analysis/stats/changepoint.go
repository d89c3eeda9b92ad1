package stats

import (
	"math"
	"slices"
)

// maxChangeBins bounds the readings that a search for change points looks at.
const maxChangeBins = 4096

// ChangeOptions tune ChangePoints. The zero value is the default.
type ChangeOptions struct {
	// Penalty is what a further change must gain in squared deviations, in units
	// of the noise's variance; 3·log n if 0.
	Penalty float64
	// MinSegment is the least number of readings between changes; 5 if 0.
	MinSegment int
}

// ChangePoints finds changes of level: the index of the first reading of each
// new level, ascending. It minimises squared deviations plus a penalty per
// change, exactly, by PELT (Killick, Fearnhead and Eckley, 2012), after scaling
// by the noise (of successive differences, which levels do not disturb) and
// replacing lone outliers by the median of their neighbours (Hampel). It assumes
// noise of one size without autocorrelation: slow waves and trends come out as
// several changes, so hold each against StepTest.
//
// Beyond 4,096 readings it looks at medians of as many equal stretches, which
// then is the resolution.
func ChangePoints(y []float64, o ChangeOptions) []int {
	rows, _ := finiteRows(y)
	v := gather(y, rows)
	width := max(1, (len(v)+maxChangeBins-1)/maxChangeBins)
	v = stretches(v, width)
	least := o.MinSegment
	if least <= 0 {
		least = 5
	}
	least = (least + width - 1) / width
	penalty := o.Penalty
	if !(penalty > 0) {
		penalty = 3 * math.Log(float64(len(v)))
	}
	changes := pelt(withoutOutliers(noiseUnits(v)), penalty, least)
	for i, c := range changes {
		changes[i] = rows[c*width]
	}
	return changes
}

// stretches are the medians of stretches of width readings; the last may be
// shorter.
func stretches(y []float64, width int) []float64 {
	if width == 1 {
		return y
	}
	var out []float64
	for part := range slices.Chunk(y, width) {
		out = append(out, Median(part))
	}
	return out
}

// noiseUnits centres y and divides it by the standard deviation of its noise. A
// constant comes back as zeros.
func noiseUnits(y []float64) []float64 {
	scale, centre := noise(y), Median(y)
	out := make([]float64, len(y))
	if !(scale > 0) || math.IsInf(scale, 0) {
		return out
	}
	for i, v := range y {
		// Bounded, so that squares and their sums stay finite and exact enough.
		out[i] = max(-1e6, min(1e6, (v-centre)/scale))
	}
	return out
}

// noise is the standard deviation of y apart from its levels: from the squares
// of successive differences (von Neumann, 1941) without those beyond three times
// what their MAD says. If more than half of the differences are 0 their mean size
// takes its place.
func noise(y []float64) float64 {
	sizes := make([]float64, max(0, len(y)-1))
	for i := range sizes {
		sizes[i] = math.Abs(y[i+1] - y[i])
	}
	limit := 3 * NormalMAD * Median(sizes)
	if limit == 0 {
		return mean(sizes) * math.Sqrt(math.Pi) / 2
	}
	usual := slices.DeleteFunc(sizes, func(d float64) bool { return d > limit })
	for i, d := range usual {
		usual[i] = d / limit * d
	}
	return math.Sqrt(mean(usual) / 2 * limit)
}

// withoutOutliers replaces what lies more than three noise units off the median
// of five neighbours by that median. Steps stay where they are.
func withoutOutliers(z []float64) []float64 {
	out := slices.Clone(z)
	var window [5]float64
	for i := range z {
		w := window[:copy(window[:], z[max(0, i-2):min(len(z), i+3)])]
		if m := medianInPlace(w); math.Abs(z[i]-m) > 3 {
			out[i] = m
		}
	}
	return out
}

// pelt is the optimal partition of z into segments of at least least readings
// under squared deviations and a penalty per change.
func pelt(z []float64, penalty float64, least int) []int {
	n := len(z)
	sums := newSegmentSums(z)
	best := make([]float64, n+1)   // cost of the first t readings
	previous := make([]int, n+1)   // last change before t in that partition
	lastUse := make([]int, 0, n+1) // by candidate: first t that may drop it, or 0
	best[0] = -penalty
	candidates := []int{0}
	lastUse = append(lastUse, 0)
	for t := least; t <= n; t++ {
		if s := t - least; s >= least {
			candidates, lastUse = append(candidates, s), append(lastUse, 0)
		}
		best[t] = math.Inf(1)
		for _, s := range candidates {
			if c := best[s] + sums.cost(s, t) + penalty; c < best[t] {
				best[t], previous[t] = c, s
			}
		}
		// A candidate that a change at t beats is beaten for good, but a change
		// at t may follow only after least readings.
		kept := 0
		for k, s := range candidates {
			if lastUse[k] == 0 && best[s]+sums.cost(s, t) > best[t] {
				lastUse[k] = t + least
			}
			if lastUse[k] == 0 || t+1 < lastUse[k] {
				candidates[kept], lastUse[kept] = s, lastUse[k]
				kept++
			}
		}
		candidates, lastUse = candidates[:kept], lastUse[:kept]
	}
	var changes []int
	for t := n; n >= least && previous[t] > 0; t = previous[t] {
		changes = append(changes, previous[t])
	}
	slices.Reverse(changes)
	return changes
}

// segmentSums answers the squared deviations of any stretch at once.
type segmentSums struct {
	sum, square []float64
}

func newSegmentSums(z []float64) segmentSums {
	s := segmentSums{make([]float64, len(z)+1), make([]float64, len(z)+1)}
	for i, v := range z {
		s.sum[i+1] = s.sum[i] + v
		s.square[i+1] = s.square[i] + v*v
	}
	return s
}

// cost is the sum of squares of z[from:to] about its mean.
func (s segmentSums) cost(from, to int) float64 {
	sum := s.sum[to] - s.sum[from]
	return max(0, s.square[to]-s.square[from]-sum*sum/float64(to-from))
}
