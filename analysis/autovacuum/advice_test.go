package autovacuum

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

const start = record.Time(1_800_000_000_000_000)

func at(seconds float64) record.Time { return start.Add(record.Duration(seconds * 1e6)) }

const day = 86400.0

// sample reads a folder of the samples.
func sample(t *testing.T, name string) *dataset.Model {
	t.Helper()
	return read(t, "../../samples/"+name)
}

func read(t *testing.T, path string) *dataset.Model {
	t.Helper()
	statements := sqltext.NewInterner(1000)
	d := dataset.New(dataset.DefaultLimits(), statements.Statement)
	_, err := parser.Stream(context.Background(), []string{path}, parser.Options{Intern: statements.Statement},
		func(b *record.Batch) error { d.Fold(b); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return d.Build()
}

func TestRealSawtoothDecaysBetweenTheBounds(t *testing.T) {
	m := sample(t, "vacuum-sawtooth")
	a := Advise(m, m.Relation("public.queue_items"), 0.5)
	if len(a.Passes) != 11 {
		t.Fatalf("%d vacuums, want 11", len(a.Passes))
	}
	for _, p := range a.Passes {
		if p.Cause != ByDeadRows {
			t.Errorf("%s: %s (%s), dead %.0f of %.0f, inserted %.0f of %.0f", p.Vacuum.End.Std(), p.Cause, p.Why, p.Dead, p.DeadLimit, p.Inserted, p.InsertedLimit)
		}
	}
	for _, d := range a.Decays {
		if d.Between != d.Cycles {
			t.Errorf("%s: %d of %d cycles between the bounds, %.3f in [%.3f, %.3f]", d.What, d.Between, d.Cycles, d.Lost, d.Low, d.High)
		}
	}
	if len(a.Decays) == 0 || a.Decays[0].What != ByFetches || a.Decays[0].Cycles != 10 {
		t.Fatalf("decays %+v, want heap fetches of ten cycles first", a.Decays)
	}
	if a.Now.By != DeadRows || math.Abs(a.Now.Period-16.7) > 0.5 {
		t.Errorf("period %.1f s by %s, the server's was 16.7", a.Now.Period, a.Now.By)
	}
	if a.Knob != KnobDead || !a.Reachable || a.Then.High > 0.5 || a.Then.PerHour > 3600/a.Naptime.Value {
		t.Errorf("advice %+v", a.Then)
	}
	if least := Advise(m, a.Relation, 0.1); least.Reachable || least.Then.High < 0.1 || !(least.NeedsNaptime < 1) {
		t.Errorf("10 %% cannot be had with 1,320 touches a second of 5,152 pages and a naptime of 1 s: %+v", least.Then)
	}
}

func TestRealPinnedHorizonGetsNoAdvice(t *testing.T) {
	m := sample(t, "vacuum-pinned")
	a := Advise(m, m.Relation("public.queue_items"), 0.1)
	if a.HeldBack == 0 || len(a.Set) > 0 {
		t.Errorf("%d vacuums held back, set %v", a.HeldBack, a.Set)
	}
}

// table is a relation with one capture, or two a day apart.
func table(version string, points ...dataset.TablePoint) (*dataset.Model, *dataset.Relation) {
	r := &dataset.Relation{Name: "public.t", Schema: "public", Relation: "t", Points: points}
	return &dataset.Model{Server: version, BlockSize: 8192, Relations: []*dataset.Relation{r}}, r
}

// grown are two captures of a table a day apart.
func grown(rows, pages, inserts, deletes int64) []dataset.TablePoint {
	a := dataset.TablePoint{Time: at(0), LiveTup: record.Some(rows), DeadTup: record.Some(0), InsSinceVacuum: record.Some(0), ModSinceAnalyze: record.Some(0),
		Ins: record.Some(rows), Upd: record.Some(0), Del: record.Some(0), Reltuples: record.Some(rows), Relpages: record.Some(pages),
		RelationSize: record.Some(pages * 8192), LastVacuum: record.NoTime, LastAutovacuum: record.NoTime, LastAnalyze: record.NoTime, LastAutoanalyze: record.NoTime}
	b := a
	b.Time, b.Ins, b.Del = at(day), record.Some(rows+inserts), record.Some(deletes)
	b.DeadTup, b.InsSinceVacuum = record.Some(deletes), record.Some(inserts)
	b.RelationSize = record.Some((pages + max(0, inserts-deletes)*pages/rows) * 8192)
	return []dataset.TablePoint{a, b}
}

// 9.6 million rows, 800,000 dead after 75 days.
func TestStuckBelowTheDeadThreshold(t *testing.T) {
	p := dataset.TablePoint{Time: at(0), Reltuples: record.Some(9_614_094), LiveTup: record.Some(9_614_094), DeadTup: record.Some(800_000),
		LastVacuum: record.NoTime, LastAutovacuum: at(-75 * day), LastAnalyze: record.NoTime, LastAutoanalyze: record.NoTime}
	m, r := table("17.2", p)
	next, ok := Next(Dues(r, LimitsAt(m, &r.Points[0]), ActivityOf(m, r)))
	if !ok || next.Trigger != DeadRows || math.Abs(next.Now/next.Value-0.42) > 0.005 || math.Abs(next.In/day-105) > 1 {
		t.Errorf("next %+v: %.0f %% of the limit, in %.0f days", next.Trigger, 100*next.Now/next.Value, next.In/day)
	}
}

// Ten rows a page, 8.6 million rows, few deletes: one fifth inserted is one sixth
// of the pages, scattered deletes add up to as much, and the knob is that of
// inserted rows alone.
func TestInsertOnlyTableIsSetByItsInsertScaleFactorAlone(t *testing.T) {
	m, r := table("17.2", grown(8_600_000, 860_996, 200_000, 25_000)...)
	a := Advise(m, r, 0.1)
	if _, high := a.Workload.Lost(1_720_000 / 200_000 * day); a.Now.By != InsertedRows || high < 0.14 || high > 0.33 {
		t.Errorf("now by %s, %.3f lost at the default trigger", a.Now.By, high)
	}
	if a.Knob != KnobInserted || len(a.Set) != 1 || a.Set[0].Name != "autovacuum_vacuum_insert_scale_factor" || a.Set[0].Value >= 0.2 || a.Set[0].Value < 0.02 {
		t.Errorf("set %v", a.Set)
	}
	if !a.Reachable || a.Then.High > 0.1 {
		t.Errorf("then %+v", a.Then)
	}
}

func TestDeleteHeavyTableIsSetByItsDeadThreshold(t *testing.T) {
	m, r := table("17.2", grown(1_000_000, 20_409, 100_000, 100_000)...)
	a := Advise(m, r, 0.1)
	if a.Knob != KnobDead || !a.Reachable || a.Then.High > 0.1 || a.Set[1].Value > 2500 {
		t.Errorf("set %v, then %+v", a.Set, a.Then)
	}
	if a.Now.By != DeadRows || a.Now.High < 0.99 {
		t.Errorf("now %+v: both triggers of 200,000 rows come after the map is gone", a.Now)
	}
}

func TestTunedTableNeedsNothing(t *testing.T) {
	p := grown(1_000_000, 20_409, 1000, 1000)
	for i := range p {
		p[i].Reloptions = "{autovacuum_vacuum_scale_factor=0,autovacuum_vacuum_threshold=500}"
	}
	m, r := table("17.2", p...)
	if a := Advise(m, r, 0.1); len(a.Set) > 0 || !a.Reachable {
		t.Errorf("set %v, now %+v", a.Set, a.Now)
	}
}

func TestAdviceNeverExceedsWhatIsTolerated(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		rows := int64(math.Exp(9 + 9*r.Float64()))
		changes := 1 + int64(float64(rows)*math.Exp(-8*r.Float64()))
		m, rel := table("17.2", grown(rows, rows/int64(5+r.IntN(90))+1, changes, int64(float64(changes)*r.Float64()))...)
		a := Advise(m, rel, 0.02+0.5*r.Float64())
		if a.Lacks != "" {
			t.Fatal(a.Lacks)
		}
		if a.Reachable && a.Then.High > a.Tolerated {
			t.Fatalf("%d rows, %d changes a day: %v leads to %.3f, tolerated %.3f", rows, changes, a.Set, a.Then.High, a.Tolerated)
		}
		if a.Then.PerHour > 3600/a.Naptime.Value {
			t.Fatalf("%.0f vacuums an hour, autovacuum looks %.0f times", a.Then.PerHour, 3600/a.Naptime.Value)
		}
	}
}

func TestAdviceSaysWhatItLacks(t *testing.T) {
	one := grown(1000, 100, 10, 10)[:1]
	sizeless, unanalyzed, off := grown(1000, 100, 10, 10), grown(1000, 100, 10, 10), grown(1000, 100, 10, 10)
	for i := range 2 {
		sizeless[i].RelationSize, sizeless[i].Relpages = record.Count{}, record.Count{}
		unanalyzed[i].Reltuples = record.Count{}
		off[i].Reloptions = "{autovacuum_enabled=false}"
	}
	for want, points := range map[string][]dataset.TablePoint{
		"no snapshot": nil, "no rate of its writes": one, "no size": sizeless, "no reltuples": unanalyzed, "autovacuum_enabled is off": off,
	} {
		m, r := table("17.2", points...)
		if a := Advise(m, r, 0.1); !strings.Contains(a.Lacks, want) || len(a.Set) > 0 {
			t.Errorf("lacks %q, want %q", a.Lacks, want)
		}
	}
}

func TestRoundDown(t *testing.T) {
	for v, want := range map[float64]float64{2789: 2700, 99: 99, 0.0239: 0.023, 0.02: 0.02, 0.3: 0.3, 1.7: 1, 0: 0, -4: 0, 12: 12, 750_159: 750_000} {
		if got := roundDown(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g: %g, want %g", v, got, want)
		}
	}
	if got := roundDown(math.Inf(1)); got != 0 {
		t.Errorf("infinite: %g", got)
	}
}
