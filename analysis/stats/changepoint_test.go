package stats

import (
	"math"
	"slices"
	"testing"
)

// levels repeats each level n times and adds noise.
func levels(n int, noise float64, seed uint64, at ...float64) []float64 {
	var y []float64
	for _, v := range at {
		for range n {
			y = append(y, v)
		}
	}
	return sum(y, affine(0, noise, normals(len(y), seed)))
}

func wantChanges(t *testing.T, what string, got []int, within int, want ...int) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range want {
		ok = ok && got[i] >= want[i]-within && got[i] <= want[i]+within
	}
	if !ok {
		t.Errorf("%s: changes at %v, want %v ± %d", what, got, want, within)
	}
}

func TestChangePointsFindLevels(t *testing.T) {
	for seed := range uint64(10) {
		wantChanges(t, "three levels", ChangePoints(levels(60, 1, seed, 10, 16, 8), ChangeOptions{}), 1, 60, 120)
	}
	wantChanges(t, "clean step", ChangePoints(levels(50, 0, 1, 1451, 4953), ChangeOptions{}), 0, 50)
	wantChanges(t, "constant", ChangePoints(make([]float64, 100), ChangeOptions{}), 0)
	wantChanges(t, "nothing", ChangePoints(nil, ChangeOptions{}), 0)
	wantChanges(t, "too short", ChangePoints([]float64{1, 1, 9, 9}, ChangeOptions{}), 0)
	wantChanges(t, "only NaN", ChangePoints(nans(40), ChangeOptions{}), 0)
}

func TestChangePointsRarelyFindOneInNoise(t *testing.T) {
	alarms := 0
	for seed := range uint64(300) {
		if len(ChangePoints(normals(120, seed), ChangeOptions{})) > 0 {
			alarms++
		}
	}
	if alarms > 9 {
		t.Errorf("false alarms in %d of 300", alarms)
	}
}

func TestChangePointsIgnoreLoneOutliersAndUnits(t *testing.T) {
	y := levels(60, 1, 4, 10, 16)
	for i := 7; i < len(y); i += 20 {
		y[i] += 500
	}
	got := ChangePoints(y, ChangeOptions{})
	wantChanges(t, "outliers", got, 2, 60)
	if !slices.Equal(got, ChangePoints(affine(-4e6, 1e3, y), ChangeOptions{})) {
		t.Error("another unit, other changes")
	}
}

func TestChangePointsCountReadingsLeftOut(t *testing.T) {
	y := slices.Insert(levels(60, 1, 4, 10, 30), 20, nans(5)...)
	wantChanges(t, "with NaN", ChangePoints(y, ChangeOptions{}), 0, 65)
}

func TestChangePointsOfManyReadings(t *testing.T) {
	wantChanges(t, "binned", ChangePoints(levels(30000, 1, 1, 10, 12, 10), ChangeOptions{}), 25, 30000, 60000)
}

func TestPeltIsTheOptimalPartition(t *testing.T) {
	for seed := range uint64(200) {
		n := 12 + int(seed%40)
		z := levels(n/4, 1, seed, 0, 2, -1, 1)
		least := 1 + int(seed%6)
		penalty := 1 + float64(seed%7)
		got, want := pelt(z, penalty, least), optimalPartition(z, penalty, least)
		if math.Abs(partitionCost(z, got, penalty)-partitionCost(z, want, penalty)) > 1e-9 {
			t.Errorf("seed %d: %v, optimum %v", seed, got, want)
		}
	}
}

// optimalPartition is the same dynamic programme without pruning.
func optimalPartition(z []float64, penalty float64, least int) []int {
	sums := newSegmentSums(z)
	best, previous := make([]float64, len(z)+1), make([]int, len(z)+1)
	best[0] = -penalty
	for t := 1; t <= len(z); t++ {
		best[t] = math.Inf(1)
		for s := 0; s <= t-least; s++ {
			if c := best[s] + sums.cost(s, t) + penalty; c < best[t] {
				best[t], previous[t] = c, s
			}
		}
	}
	var out []int
	for t := previous[len(z)]; t > 0; t = previous[t] {
		out = append(out, t)
	}
	slices.Reverse(out)
	return out
}

func partitionCost(z []float64, changes []int, penalty float64) float64 {
	sums, from, cost := newSegmentSums(z), 0, 0.0
	for _, c := range append(slices.Clone(changes), len(z)) {
		cost, from = cost+sums.cost(from, c)+penalty, c
	}
	return cost
}

func BenchmarkChangePointsWithoutChange(b *testing.B) {
	y := normals(10000, 1)
	b.SetBytes(8 * 10000)
	b.ReportAllocs()
	for b.Loop() {
		ChangePoints(y, ChangeOptions{})
	}
}
