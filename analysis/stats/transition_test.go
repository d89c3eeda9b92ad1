package stats

import "testing"

// walk is a cost that follows its index after an event: flat pages while freed
// slots fill and cost climbs, then cost = pages + 2540. Before are points at the
// old level, which is low.
func walk(before, ramp, after int, noise float64, seed uint64) (x, y []float64) {
	for i := range before {
		x, y = append(x, 4000+20*float64(i)), append(y, 2500)
	}
	for i := range ramp {
		x, y = append(x, 5291), append(y, 2500+5300*float64(i)/float64(ramp))
	}
	for i := range after {
		pages := 5300 + 40*float64(i)
		x, y = append(x, pages), append(y, pages+2540)
	}
	return x, sum(y, affine(0, noise, normals(len(y), seed)))
}

func TestTransitionEndsWhereTheLineBegins(t *testing.T) {
	for _, c := range []struct {
		before, ramp, after int
		noise               float64
	}{
		{0, 5, 56, 0}, {0, 5, 56, 40}, {0, 5, 56, 150}, {20, 5, 56, 40}, {20, 1, 56, 0},
		{0, 30, 30, 20}, {0, 2, 20, 20}, {40, 10, 12, 10}, {0, 12, 200, 60}, {60, 25, 15, 5},
	} {
		for seed := range uint64(5) {
			x, y := walk(c.before, c.ramp, c.after, c.noise, seed)
			k, want := TransitionEnd(x, y, 0.1), c.before+c.ramp
			if k < want-2 || k > want+3 {
				t.Errorf("%+v seed %d: settled at %d, want %d", c, seed, k, want)
			}
			if slope, _ := TheilSen(x[k:], y[k:]); c.noise < 100 && (slope < 0.8 || slope > 1.2) {
				t.Errorf("%+v seed %d: slope %v after it", c, seed, slope)
			}
		}
	}
}

func TestTransitionIsOutlastedByLoneOutliers(t *testing.T) {
	x, y := walk(10, 6, 60, 30, 1)
	for i := 20; i < len(y); i += 9 {
		y[i] += 4000
	}
	if k := TransitionEnd(x, y, 0.1); k < 14 || k > 19 {
		t.Errorf("settled at %d, want 16", k)
	}
}

func TestTransitionEndFollowsShiftAndScale(t *testing.T) {
	x, y := walk(10, 6, 60, 30, 1)
	want := TransitionEnd(x, y, 0.1)
	if got := TransitionEnd(affine(-9, 8192, x), affine(5, 0.001, y), 0.1); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestNoTransition(t *testing.T) {
	x, y := walk(0, 0, 50, 20, 1)
	if k := TransitionEnd(x, y, 0.1); k != 0 {
		t.Errorf("settled from the start, got %d", k)
	}
	y[0] += 4000
	if k := TransitionEnd(x, y, 0.1); k != 1 {
		t.Errorf("one point off, got %d", k)
	}
}

func TestTransitionThatDoesNotEnd(t *testing.T) {
	for name, c := range map[string][2][]float64{
		"noise":    {count(60), normals(60, 1)},
		"x fixed":  {make([]float64, 60), count(60)},
		"few":      {count(4), count(4)},
		"nothing":  {nil, nil},
		"only NaN": {nans(20), nans(20)},
	} {
		if k := TransitionEnd(c[0], c[1], 0.1); k != len(c[0]) {
			t.Errorf("%s: settled at %d", name, k)
		}
	}
}

func TestTransitionEndCountsPointsLeftOut(t *testing.T) {
	x, y := walk(0, 10, 40, 0, 1)
	x, y = append(nans(3), x...), append(nans(3), y...)
	if k := TransitionEnd(x, y, 0.1); k < 12 || k > 13 {
		t.Errorf("settled at %d, want 13", k)
	}
}
