package stats

import "math"

// weightedValue is a reading and its weight, above 0.
type weightedValue struct {
	value, weight float64
}

// weightedMedian is the value that half of the weight lies below, the mean of
// two if exactly half does: Median for equal weights. It reorders v. NaN if v is
// empty.
func weightedMedian(v []weightedValue) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	total := weightOf(v)
	// below is the weight cut off as too small, above the least value cut off
	// as too great.
	below, above := 0.0, math.Inf(1)
	var draw splitMix
	for {
		p := v[draw.below(len(v))].value
		lt, gt := partitionWeighted(v, p)
		less := below + weightOf(v[:lt])
		upTo := less + weightOf(v[lt:gt])
		switch {
		case less > total/2 && lt > 0:
			v, above = v[:lt], p
		case upTo < total/2 && gt < len(v):
			v, below = v[gt:], upTo
		case less == total/2 && lt > 0:
			return lerp(greatest(v[:lt]), p, 0.5)
		case upTo == total/2 && (gt < len(v) || !math.IsInf(above, 1)):
			return lerp(p, least(v[gt:], above), 0.5)
		default:
			return p
		}
	}
}

func weightOf(v []weightedValue) float64 {
	var sum float64
	for _, e := range v {
		sum += e.weight
	}
	return sum
}

func least(v []weightedValue, m float64) float64 {
	for _, e := range v {
		m = min(m, e.value)
	}
	return m
}

func greatest(v []weightedValue) float64 {
	m := v[0].value
	for _, e := range v {
		m = max(m, e.value)
	}
	return m
}

// partitionWeighted is partition for weighted values.
func partitionWeighted(v []weightedValue, p float64) (lt, gt int) {
	gt = len(v)
	for i := 0; i < gt; {
		switch e := v[i]; {
		case e.value < p:
			v[lt], v[i] = e, v[lt]
			lt++
			i++
		case e.value > p:
			gt--
			v[i], v[gt] = v[gt], e
		default:
			i++
		}
	}
	return lt, gt
}
