package html

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

func TestThinningKeepsPeaksEndsAndOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 99, 100, 101, 5000} {
		points := make([]finding.Point, n)
		low, high := math.Inf(1), math.Inf(-1)
		for i := range points {
			points[i] = finding.Point{X: float64(i * i), Y: r.NormFloat64()}
			low, high = min(low, points[i].Y), max(high, points[i].Y)
		}
		kept := thin(points, 100)
		if len(kept) > 100 || n <= 100 && len(kept) != n {
			t.Errorf("%d points: %d kept", n, len(kept))
		}
		gotLow, gotHigh := math.Inf(1), math.Inf(-1)
		for i, p := range kept {
			gotLow, gotHigh = min(gotLow, p.Y), max(gotHigh, p.Y)
			if i > 0 && p.X < kept[i-1].X {
				t.Errorf("%d points: out of order at %d", n, i)
			}
		}
		if low != gotLow || high != gotHigh {
			t.Errorf("%d points: from %v to %v, want %v to %v", n, gotLow, gotHigh, low, high)
		}
	}
}

func TestPointsAtOnePlaceAreThinnedToo(t *testing.T) {
	points := make([]finding.Point, 1000)
	for i := range points {
		points[i] = finding.Point{X: 5, Y: float64(i % 10)}
	}
	if kept := thin(points, 100); len(kept) != 2 || kept[0].Y != 0 || kept[1].Y != 9 {
		t.Errorf("kept %v", kept)
	}
}

func TestWhatCannotBeDrawnIsCountedNotDrawn(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	raw := finding.Series{Kind: finding.SeriesScatter, Columns: []finding.Column{{Name: "cost", Points: []finding.Point{
		{X: 2, Y: 1}, {X: 1, Y: 3}, {X: nan, Y: 1}, {X: 1, Y: inf}, {X: 1, Y: math.MaxFloat64},
	}}}, Fit: &finding.Line{Intercept: nan, Slope: 1, From: 0, To: 1}}
	c, g := chartOf(&view.Series{Raw: &raw, Columns: []string{"cost"}}, 100)
	if len(c.Columns[0].X) != 2 || c.Columns[0].X[0] != 1 {
		t.Errorf("drawn: %v", c.Columns[0].X)
	}
	if len(g.Notes) != 1 || g.Notes[0] != "cost: 3 points without a finite value not drawn" {
		t.Errorf("notes: %q", g.Notes)
	}
	if c.Fit != nil || g.Fit != "" {
		t.Error("a fit that is no line is drawn")
	}
}

func TestValuesAreShortAndStillNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		1795996800123: "1795996800123", 0.1234567891: "0.12345679", 1e300: "1e+300", -3: "-3", 2.5e-9: "2.5e-09", 0: "0",
	} {
		got, err := json.Marshal(value(v))
		if err != nil || string(got) != want {
			t.Errorf("%v: %s, %v", v, got, err)
		}
	}
}
