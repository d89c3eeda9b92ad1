package onset

import (
	"math/rand/v2"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

const day = 86400 * record.Second

const start = record.Time(1_800_000_000_000_000)

func at(seconds float64) record.Time { return start.Add(record.Duration(seconds * 1e6)) }

// readingsOf are n readings, one per second, of a cost with noise of 5 %.
func readingsOf(n int, cost func(s float64) float64) Series {
	r := rand.New(rand.NewPCG(1, 2))
	var s Series
	for i := range n {
		t := float64(i)
		s.Points = append(s.Points, Point{Time: at(t), Value: cost(t) * (1 + 0.05*r.NormFloat64())})
	}
	return s
}

// step is a cost that goes from 100 to 200 at a time.
func step(when float64) func(float64) float64 {
	return func(s float64) float64 {
		if s < when {
			return 100
		}
		return 200
	}
}

// vacuum of the index that ends at a time and took ten seconds.
func vacuum(end float64) Happening {
	return Happening{Kind: IndexVacuum, Start: at(end - 10), End: at(end), Text: "vacuum"}
}

func one(t *testing.T, found []Change) Change {
	t.Helper()
	if len(found) != 1 {
		t.Fatalf("%d changes, want one: %+v", len(found), found)
	}
	return found[0]
}

func TestStepAtAHappeningPaysForNoSearch(t *testing.T) {
	list := []Happening{vacuum(100), vacuum(300), vacuum(500)}
	c := one(t, Find(readingsOf(600, step(300)), list, IndexWalk(day), Options{}))
	if c.Searched || c.Tests != 3 || c.Cause == nil || c.Cause.End != at(300) || c.Cause.Lag != 0 {
		t.Errorf("%+v, cause %+v; want the vacuum that ended at second 300, one of three tested", c, c.Cause)
	}
	if c.Step.Ratio < 1.9 || c.Step.Ratio > 2.1 || c.Step.Delta < 0.99 || !c.Step.Shift.Interval.OK() {
		t.Errorf("%+v, want twice the cost with its interval", c.Step)
	}
}

func TestStepMayComeLongAfterItsHappening(t *testing.T) {
	s := readingsOf(600, step(420))
	c := one(t, Find(s, []Happening{vacuum(200)}, IndexWalk(day), Options{}))
	if !c.Searched || c.Cause == nil || c.Cause.Lag != 220*record.Second {
		t.Errorf("%+v, cause %+v; want a lag of 220 s", c, c.Cause)
	}
	if c := one(t, Find(s, []Happening{vacuum(200)}, IndexWalk(100*record.Second), Options{})); c.Cause != nil {
		t.Errorf("the vacuum is over for longer than it may act, but is named: %+v", c.Cause)
	}
}

func TestHappeningAfterTheStepIsNotItsCause(t *testing.T) {
	c := one(t, Find(readingsOf(600, step(300)), []Happening{vacuum(330)}, IndexWalk(day), Options{}))
	if c.Cause != nil {
		t.Errorf("cause %+v, which began after the step", c.Cause)
	}
}

func TestVacuumThatRanWhenItBeganIsItsCause(t *testing.T) {
	c := one(t, Find(readingsOf(600, step(295)), []Happening{vacuum(300)}, IndexWalk(day), Options{}))
	if c.Cause == nil || c.Cause.Lag != 0 {
		t.Errorf("cause %+v, want the vacuum that ran from second 290 to 300", c.Cause)
	}
}

func TestTransitionIsToldAndLeftOut(t *testing.T) {
	climb := func(s float64) float64 { return 100 + 100*min(1, max(0, (s-300)/40)) }
	c := one(t, Find(readingsOf(600, climb), []Happening{vacuum(300)}, IndexWalk(day), Options{}))
	if s := c.Transition.Seconds(); s < 25 || s > 50 || c.Cause == nil || c.Cause.Lag > 10*record.Second {
		t.Errorf("transition %g s, cause %+v; want about 40 s after the vacuum", s, c.Cause)
	}
	if got := c.Step.After; got < 195 || got > 205 {
		t.Errorf("level after %g, want 200", got)
	}
}

func TestNoiseHasNoOnset(t *testing.T) {
	var list []Happening
	for end := 50.0; end < 600; end += 50 {
		list = append(list, vacuum(end))
	}
	if c := Find(readingsOf(600, func(float64) float64 { return 100 }), list, IndexWalk(day), Options{}); len(c) > 0 {
		t.Errorf("changes in noise: %+v", c)
	}
}

func TestMechanismComesBeforeNearness(t *testing.T) {
	b := Began{After: at(260), By: at(300)}
	setting := Happening{Kind: SettingChange, Start: at(298), End: at(298)}
	analyze := Happening{Kind: Analyze, Start: at(270), End: at(271)}
	x := Explain([]Happening{analyze, setting}, b, PlanChoice())
	if x == nil || x.Kind != Analyze || x.Lag != 29*record.Second {
		t.Errorf("%+v, want the analyze 29 s before", x)
	}
	b.After = at(299)
	if x := Explain([]Happening{analyze, setting}, b, PlanChoice()); x == nil || x.Kind != SettingChange {
		t.Errorf("%+v, want the setting: the earlier plan still ran after the analyze", x)
	}
}

func TestHappeningsWithinTheResolutionAreBothNamed(t *testing.T) {
	list := []Happening{{Kind: Analyze, Start: at(299), End: at(299)}, {Kind: SettingChange, Start: at(300), End: at(300)}}
	b := Began{After: at(299), By: at(300.5)}
	if x := Explain(list, b, PlanChoice()); x == nil || x.Kind != Analyze || len(x.Also) != 1 {
		t.Errorf("%+v, want the analyze, and the setting as not told apart", x)
	}
	b.Resolution, b.After, b.By = record.Second, at(299.9), at(300)
	list[1] = Happening{Kind: Analyze, Start: at(300.8), End: at(300.8)}
	if x := Explain(list[1:], b, PlanChoice()); x == nil {
		t.Error("a clock of one second cannot tell that the analyze came later")
	}
}

func TestTrendIsNoOnset(t *testing.T) {
	trend := func(s float64) float64 { return 100 + s }
	if c := Find(readingsOf(600, trend), []Happening{vacuum(200), vacuum(400)}, IndexWalk(day), Options{}); len(c) > 0 {
		t.Errorf("changes in a trend: %+v", c)
	}
}

func TestTrendThatBeginsIsOneOnset(t *testing.T) {
	walk := func(s float64) float64 { return 100 + max(0, s-300) }
	c := one(t, Find(readingsOf(600, walk), nil, IndexWalk(day), Options{}))
	if began := c.By.Sub(start).Seconds(); began < 290 || began > 330 {
		t.Errorf("began at second %g, want about 300", began)
	}
}
