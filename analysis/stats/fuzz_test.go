package stats

import (
	"encoding/binary"
	"math"
	"testing"
)

// FuzzNothingPanics feeds any numbers, NaN and infinite ones included, to every
// entry.
func FuzzNothingPanics(f *testing.F) {
	f.Add([]byte{}, 0.1)
	seed := make([]byte, 0, 8*24)
	for _, v := range []float64{1, 2, math.NaN(), math.Inf(1), -math.MaxFloat64, math.MaxFloat64, 5e-324, 3,
		0, 0, 4, 5, 6, 7, 8, 9, 9, 9, 1e300, -1e300, 10, 11, 12, 13} {
		seed = binary.LittleEndian.AppendUint64(seed, math.Float64bits(v))
	}
	f.Add(seed, 3.0)
	f.Fuzz(func(t *testing.T, data []byte, v float64) {
		var all []float64
		for ; len(data) >= 8 && len(all) < 120; data = data[8:] {
			all = append(all, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		third := len(all) / 3
		x, y, w := all[:third], all[third:2*third], all[2*third:3*third]
		exercise(t, x, y, w, v)
		exercise(t, all, y, nil, v)
	})
}

func exercise(t *testing.T, x, y, w []float64, v float64) {
	Median(x)
	MAD(x)
	Quantile(x, v)
	QuantileCI(x, v, 0.95)
	TheilSen(x, y)
	TheilSenWeighted(x, y, w)
	RepeatedMedian(x, y)
	LinearFit(x, y, w)
	SlopeInterval(x, y, w)
	BlockLength(x)
	Kendall(x, y)
	EffectiveN(x, y)
	PartialSpearman(x, y, w)
	StepTest(x, y)
	for _, s := range Fold([]Cycle{{v, 10}, {0, v}, {math.Inf(-1), math.Inf(1)}}, x, y) {
		s.ShareAbove(v)
	}
	if k := TransitionEnd(x, y, v); k < 0 || k > len(x) {
		t.Errorf("transition ends at %d of %d", k, len(x))
	}
	for _, c := range ChangePoints(x, ChangeOptions{Penalty: v}) {
		if c <= 0 || c >= len(x) {
			t.Errorf("change at %d of %d", c, len(x))
		}
	}
	ps := []float64{WilcoxonSignedRank(x).P, MannWhitney(x, y).P, Kendall(x, y).P,
		PartialCorrelation(x, y, w, x).WithEffectiveN(v).P, Pearson(x, y).P}
	for _, adjusted := range [][]float64{ps, Holm(ps), BenjaminiHochberg(ps)} {
		for _, p := range adjusted {
			if p < 0 || p > 1 {
				t.Errorf("p-value %v", p)
			}
		}
	}
	if r := MultipleRegression(y, [][]float64{x, w, x}); r.R2 < 0 || r.R2 > 1 {
		t.Errorf("R² %v", r.R2)
	}
}
