package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
)

// deadPart is the share of dead rows among all changes from which the trigger of
// dead rows is the one to set.
const deadPart = 0.2

// Advice is what keeps the worst point of a table's vacuum cycle within what is
// tolerated.
type Advice struct {
	Relation  *dataset.Relation
	Tolerated float64 // heap fetches ÷ rows at the worst point

	Options  string // reloptions as captured; "" if none
	Limits   Limits
	Naptime  Parameter
	Activity Activity
	Dues     []Due
	Passes   []Pass
	Cost     Cost
	Scan     *Scan // the index-only scans that fetched most; nil without plans
	Cycles   []Cycle
	Decays   []Decay
	Workload Workload

	Knob Knob
	Set  []Parameter // empty if nothing is to be changed
	Now  Prediction
	Then Prediction // with Set; as Now if it is empty
	// Reachable is false where even a vacuum at every look of autovacuum loses
	// more than tolerated; Set then asks for that.
	Reachable bool
	// Naptime that would be needed, in seconds; 0 if the present one will do.
	NeedsNaptime float64
	// HeldBack is how many of Passes were held back, if that is the last or more
	// than a tenth of them: then no setting helps before their holder is gone.
	HeldBack int
	// Lacks says why nothing can be advised; "" if something can.
	Lacks string
}

// Prediction is what a setting leads to.
type Prediction struct {
	By        Trigger // that is reached first; "" if none ever is
	Seconds   float64 // from a vacuum until it is reached
	Period    float64 // seconds from vacuum to vacuum
	PerHour   float64
	Low, High float64 // share lost at the worst point, by either bound
	Busy      float64 // share of the time that a worker spends on this table; NaN if unknown
}

// Advise works out the cadence for one table. tolerated is the share of rows of
// an index-only scan that may need the table just before a vacuum.
func Advise(m *dataset.Model, r *dataset.Relation, tolerated float64) *Advice {
	a := gather(m, r)
	a.Lacks = a.lacksSize()
	a.Tolerated, a.Reachable = tolerated, a.Now.High <= tolerated
	if a.open() && !a.Reachable {
		a.choose(a.Workload.Within(tolerated))
		a.Reachable = a.Then.High <= tolerated
	}
	return a
}

// AdviseWithin works out how a vacuum comes at most so many seconds after the
// one before, where queries were seen to need that whatever the reason.
// Tolerated is NaN.
func AdviseWithin(m *dataset.Model, r *dataset.Relation, seconds float64) *Advice {
	a := gather(m, r)
	late := func(x Prediction) bool { return x.Seconds+a.Naptime.Value > seconds }
	a.Tolerated, a.Reachable = math.NaN(), !late(a.Now)
	if a.open() && !a.Reachable {
		a.choose(seconds)
		a.Reachable = !late(a.Then)
	}
	return a
}

// open reports whether something can be advised.
func (a *Advice) open() bool { return a.Lacks == "" && a.HeldBack == 0 }

// Helps reports whether the advised settings keep the share that is tolerated,
// or at least halve what is lost before a vacuum.
func (a *Advice) Helps() bool { return a.Reachable || a.Then.High <= 0.5*a.Now.High }

// gather reads what there is to know before a goal is set.
func gather(m *dataset.Model, r *dataset.Relation) *Advice {
	a := &Advice{Relation: r, Activity: ActivityOf(m, r), Passes: Passes(m, r), Cost: CostOf(m, r)}
	p := latest(r)
	if p == nil {
		a.Lacks = "no snapshot of pg_stat_user_tables with this table"
		return a
	}
	if o := reloptions(p.Reloptions); len(o) > 0 {
		a.Options = p.Reloptions
	}
	a.Limits, a.Naptime = LimitsAt(m, p), parametersAt(m, p).get("autovacuum_naptime")
	a.Dues = Dues(r, a.Limits, a.Activity)
	a.Scan = Worst(Scans(m, r))
	a.Cycles = Cycles(m, r, a.Passes, a.Scan)
	a.Decays = Decays(a.Cycles)
	a.Workload = a.workload(p)
	a.Lacks = a.lacks()
	a.Now = a.predict(a.Limits.Dead.Value, a.Limits.Inserted.Value)
	a.Then = a.Now
	a.HeldBack = heldBack(a.Passes)
	return a
}

// lacks says what is missing of rates and triggers, or what forbids any advice.
func (a *Advice) lacks() string {
	switch {
	case a.Limits.Disabled != "":
		return a.Limits.Disabled
	case !a.Activity.Died.Known() || !a.Activity.Placed.Known():
		return "no rate of its writes: two captures with n_tup_ins, n_tup_upd and n_tup_del, or one with the time of its last vacuum"
	}
	return ""
}

// lacksSize says what is missing for the decay and for the limits in force.
func (a *Advice) lacksSize() string {
	switch {
	case a.Lacks != "":
		return a.Lacks
	case !(a.Workload.Pages >= 1):
		return "no size of the table: relation_size or relpages in pg_stat_user_tables"
	}
	return a.Limits.Dead.Off
}

// workload is the model of this table.
func (a *Advice) workload(p *dataset.TablePoint) Workload {
	w := Workload{Pages: a.Cost.HeapPages, Visible: 1, Low: a.Activity.Died.or0(), Growth: a.Activity.Grown.or0(), Inserts: a.Activity.Placed.or0(), Skew: 1}
	perPage := math.NaN()
	if p.LiveTup.Known {
		perPage = float64(p.LiveTup.N) / w.Pages
	}
	insertOnly := a.insertOnly()
	if !a.Activity.Grown.Known() && insertOnly && perPage > 0 {
		w.Growth = w.Inserts / perPage
	}
	w.High = w.Low
	if free := w.Inserts - w.Growth*perPage; !insertOnly && !(free <= 0) {
		w.High = w.Low + min(w.Inserts, max(0, nanTo(free, w.Inserts)))
	}
	var start []float64
	for i := range a.Cycles {
		if c := &a.Cycles[i]; !c.Assumed && !c.HeldBack {
			start = append(start, c.Start)
		}
	}
	if len(start) > 0 {
		w.Visible = stats.Median(start)
	}
	w.Window = a.window(p, insertOnly)
	w.Skew = a.skew()
	return w
}

func nanTo(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return v
}

// insertOnly reports whether dead rows are too few to matter.
func (a *Advice) insertOnly() bool {
	died, placed := a.Activity.Died.or0(), a.Activity.Placed.or0()
	return placed > 0 && died < deadPart*(died+placed)
}

// window is how many of the newest rows the scan reads where only inserts clear
// the map: heap fetches ÷ rows is then rows inserted since the vacuum ÷ window.
// 0 if it reads about the whole table.
func (a *Advice) window(p *dataset.TablePoint, insertOnly bool) float64 {
	if !insertOnly || a.Scan == nil || !p.InsSinceVacuum.Known {
		return 0
	}
	last := a.Scan.Readings[len(a.Scan.Readings)-1]
	share := last.Share()
	w := float64(p.InsSinceVacuum.N) / share
	if !(share > 0) || p.LiveTup.Known && w > 0.5*float64(p.LiveTup.N) {
		return 0
	}
	return w
}

// skew compares what scans lost with the upper bound, as exponents.
func (a *Advice) skew() float64 {
	for _, d := range a.Decays {
		if d.What == ByFetches && d.Lost > d.High+bandSlack && d.Lost < 1 && d.High < 1 {
			return math.Log(1-d.Lost) / math.Log(1-d.High)
		}
	}
	return 1
}

func heldBack(passes []Pass) int {
	n := 0
	for i := range passes {
		if passes[i].HeldBack() {
			n++
		}
	}
	if last := len(passes) - 1; n > 0 && !passes[last].HeldBack() && 10*n <= len(passes) {
		return 0
	}
	return n
}

// predict is the cycle under two limits, in rows; NaN is none.
func (a *Advice) predict(dead, inserted float64) Prediction {
	x := Prediction{Seconds: math.Inf(1), Period: math.Inf(1), Busy: math.NaN()}
	try := func(t Trigger, limit float64, r Rate) {
		if s := limit / r.or0(); s < x.Seconds {
			x.By, x.Seconds = t, s
		}
	}
	try(DeadRows, dead, a.deadRate())
	try(InsertedRows, inserted, a.insertRate())
	nap, elapsed := a.Naptime.Value, nanTo(a.Cost.Seconds, 0)
	x.Low, x.High = a.Workload.Lost(min(longest, x.Seconds+nap))
	if x.By == "" {
		return x
	}
	x.Period = max(nap, x.Seconds+nap/2) + elapsed
	x.PerHour = 3600 / x.Period
	x.Busy = a.Cost.Seconds / x.Period
	return x
}

func (a *Advice) deadRate() Rate {
	if a.Activity.Dead.Known() {
		return a.Activity.Dead
	}
	return a.Activity.Died
}

func (a *Advice) insertRate() Rate {
	if a.Activity.Inserted.Known() {
		return a.Activity.Inserted
	}
	return a.Activity.Placed
}

// minRows is the lowest threshold that is advised: that of the server's own
// default, below which a vacuum finds nothing to do.
const minRows = 50

// choose sets the knob whose counter the writes move, so that a vacuum begins
// within seconds of the one before. The trigger may be reached right after
// autovacuum looked, so that one naptime is taken off the time.
func (a *Advice) choose(within float64) {
	p := latest(a.Relation)
	gather := within - a.Naptime.Value // before the last look that is in time
	if gather <= 0 {
		// Looks are too rare whatever is set: a trigger that is reached well
		// before each of them is as good as a smaller one.
		gather = a.Naptime.Value / 10
	}
	rows := func(r Rate) float64 { return max(minRows, roundDown(r.or0()*gather)) }
	dead, inserted := a.Limits.Dead.Value, a.Limits.Inserted.Value
	if a.insertOnly() && a.Limits.Inserted.Known() {
		a.Knob = KnobInserted
		a.Set, inserted = a.insertKnob(p, rows(a.insertRate()))
	} else {
		a.Knob, dead = KnobDead, rows(a.deadRate())
		a.Set = []Parameter{{"autovacuum_vacuum_scale_factor", 0, FromTable}, {"autovacuum_vacuum_threshold", dead, FromTable}}
	}
	a.Then = a.predict(dead, inserted)
	if within < a.Naptime.Value {
		a.NeedsNaptime = within
	}
}

// insertKnob is a scale factor where the query reads old and new rows alike, so
// that the share holds while the table grows, and a number of rows where it
// reads the newest; with the limit that follows.
func (a *Advice) insertKnob(p *dataset.TablePoint, rows float64) (set []Parameter, limit float64) {
	const name = "autovacuum_vacuum_insert_"
	tuples := float64(max(0, p.Reltuples.N))
	standing := a.Limits.Inserted.Of[0].Value // the threshold, which stays
	factor := roundDown((rows - standing) / tuples)
	if a.Workload.Window == 0 && tuples > 0 && factor >= 0.001 {
		return []Parameter{{name + "scale_factor", factor, FromTable}}, standing + factor*tuples
	}
	return []Parameter{{name + "scale_factor", 0, FromTable}, {name + "threshold", rows, FromTable}}, rows
}

// roundDown keeps two digits, downwards; 0 for what is not above 0.
func roundDown(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 0
	}
	digits := 1 - int(math.Floor(math.Log10(v)))
	if v >= 1 {
		digits = min(digits, 0)
	}
	if digits > 0 {
		unit := math.Pow(10, float64(digits))
		return math.Floor(v*unit+1e-9) / unit
	}
	unit := math.Pow(10, float64(-digits))
	return math.Max(1, math.Floor(v/unit+1e-9)*unit)
}
