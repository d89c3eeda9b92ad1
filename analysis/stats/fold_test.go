package stats

import (
	"math"
	"testing"
)

func TestFoldOfASawtooth(t *testing.T) {
	cycles := []Cycle{{0, 100}, {100, 190}, {190, 300}}
	var at, y []float64
	for i := range 300 {
		at = append(at, float64(i))
		for _, c := range cycles {
			if c.From <= at[i] && at[i] < c.To {
				y = append(y, 1000*(at[i]-c.From)/(c.To-c.From))
			}
		}
	}
	for i, s := range Fold(cycles, at, y) {
		near(t, "readings", float64(s.N), []float64{100, 90, 110}[i], 0)
		near(t, "first", s.First, 0, 0)
		near(t, "max is last", s.Max, s.Last, 0)
		near(t, "first third", s.MedianFirst, 1000.0/6, 10)
		near(t, "last third", s.MedianLast, 5000.0/6, 10)
		near(t, "rank correlation", s.RankCorrelation.R, 1, 1e-12)
		near(t, "share above 750", s.ShareAbove(750), 0.25, 0.02)
	}
}

func TestFoldBoundsAreHalfOpen(t *testing.T) {
	s := Fold([]Cycle{{0, 10}, {10, 20}}, []float64{20, 10, 0, 9.999}, []float64{4, 3, 1, 2})
	if s[0].N != 2 || s[0].First != 1 || s[0].Last != 2 || s[1].N != 1 || s[1].First != 3 {
		t.Errorf("%+v", s)
	}
}

func TestFoldReportsCyclesWithoutReadings(t *testing.T) {
	out := Fold([]Cycle{{50, 60}, {5, 5}, {9, 1}, {0, 10}}, []float64{1, 2}, []float64{1, math.NaN()})
	for i, n := range []int{0, 0, 0, 1} {
		if out[i].N != n {
			t.Errorf("cycle %d: N = %d, want %d", i, out[i].N, n)
		}
	}
	nan(t, "first", out[0].First)
	nan(t, "share", out[0].ShareAbove(0))
	nan(t, "last third", out[3].MedianLast)
	if got := Fold(nil, []float64{1}, []float64{1}); len(got) != 0 {
		t.Error("no cycles")
	}
}

func TestShareAboveWeighsTimeNotReadings(t *testing.T) {
	// A slow half answers three times, a fast half thirty times.
	at, y := []float64{10, 25, 40}, []float64{9, 9, 9}
	for i := range 30 {
		at, y = append(at, 60+float64(i)), append(y, 1)
	}
	s := Fold([]Cycle{{0, 100}}, at, y)
	near(t, "share above 5", s[0].ShareAbove(5), 0.5, 1e-9)
	near(t, "share above 0", s[0].ShareAbove(0), 1, 0)
}
