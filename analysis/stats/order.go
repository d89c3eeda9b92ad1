package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// NormalMAD turns a median absolute deviation into the standard deviation of a
// normal sample: 1/Φ⁻¹(3/4).
const NormalMAD = 1.482602218505602

// Median is the sample median; NaN if x is empty.
func Median(x []float64) float64 {
	return medianInPlace(finite(x))
}

// MAD is the median absolute deviation from the median, unscaled (see
// NormalMAD); NaN if x is empty.
func MAD(x []float64) float64 {
	v := finite(x)
	m := medianInPlace(v)
	for i := range v {
		v[i] = math.Abs(v[i] - m)
	}
	return medianInPlace(v)
}

// Quantile is the q-quantile by linear interpolation of order statistics (type
// 7 of Hyndman and Fan, 1996); NaN if x is empty or q outside [0, 1].
func Quantile(x []float64, q float64) float64 {
	v := finite(x)
	slices.Sort(v)
	return quantileSorted(v, q)
}

func quantileSorted(v []float64, q float64) float64 {
	if len(v) == 0 || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	h := q * float64(len(v)-1)
	i := int(h)
	if i+1 == len(v) {
		return v[i]
	}
	return lerp(v[i], v[i+1], h-float64(i))
}

// lerp does not overflow between finite ends, and is exact at them.
func lerp(a, b, t float64) float64 {
	return a*(1-t) + b*t
}

// QuantileCI is the distribution-free interval of the q-quantile between two
// order statistics, with at least the given confidence (0.95), by the binomial
// distribution. It assumes independent readings. It is false, with a NaN
// interval, if x has too few readings for that confidence: the median needs 6
// for 95 %.
func QuantileCI(x []float64, q, confidence float64) (Interval, bool) {
	v := finite(x)
	n := len(v)
	if n == 0 || !(q > 0 && q < 1) || !(confidence > 0 && confidence < 1) {
		return noInterval(), false
	}
	slices.Sort(v)
	b := distuv.Binomial{N: float64(n), P: q}
	tail := (1 - confidence) / 2
	// The number of readings below the quantile is binomial. The l-th smallest
	// is above it with P(B < l), the u-th is not with P(B >= u).
	l := sort.Search(n, func(l int) bool { return b.CDF(float64(l)) > tail })
	u := sort.Search(n+1, func(u int) bool { return 1-b.CDF(float64(u)-1) <= tail })
	if l < 1 || u > n {
		return noInterval(), false
	}
	return Interval{Lo: v[l-1], Hi: v[u-1]}, true
}

// Interval is a closed range of plausible values. Its ends are NaN if none
// could be given; every question to such an interval is answered no.
type Interval struct {
	Lo, Hi float64
}

func noInterval() Interval { return Interval{Lo: math.NaN(), Hi: math.NaN()} }

// OK is true if the interval could be given.
func (i Interval) OK() bool { return i.Lo <= i.Hi }

// Contains is true if v lies in the interval.
func (i Interval) Contains(v float64) bool { return i.Lo <= v && v <= i.Hi }

// Within is true if the whole interval lies inside the band [lo, hi]: the test
// of equivalence (two one-sided tests at half the interval's error).
func (i Interval) Within(lo, hi float64) bool { return i.OK() && lo <= i.Lo && i.Hi <= hi }

// medianInPlace reorders x; NaN if x is empty.
func medianInPlace(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	hi := selectInPlace(x, n/2)
	if n%2 == 1 {
		return hi
	}
	return lerp(slices.Max(x[:n/2]), hi, 0.5)
}

// selectInPlace returns the k-th smallest of x and moves what is not greater
// before it. x may not hold NaN.
func selectInPlace(x []float64, k int) float64 {
	var draw splitMix
	lo, hi := 0, len(x)
	for hi-lo > 1 {
		lt, gt := partition(x, lo, hi, x[lo+draw.below(hi-lo)])
		switch {
		case k < lt:
			hi = lt
		case k >= gt:
			lo = gt
		default:
			return x[k]
		}
	}
	return x[k]
}

// partition arranges x[lo:hi] into less than, equal to and greater than p, and
// returns the bounds of the equal part.
func partition(x []float64, lo, hi int, p float64) (lt, gt int) {
	lt, gt = lo, hi
	for i := lo; i < gt; {
		switch v := x[i]; {
		case v < p:
			x[lt], x[i] = v, x[lt]
			lt++
			i++
		case v > p:
			gt--
			x[i], x[gt] = x[gt], v
		default:
			i++
		}
	}
	return lt, gt
}

// splitMix draws pivots: fixed, and not to be guessed by a sorted or organ-pipe
// input. The zero value is ready (SplitMix64; Steele, Lea and Flood, 2014).
type splitMix uint64

func (s *splitMix) below(n int) int {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 1 % uint64(n))
}
