package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// Throttle is the cost-based delay in force for autovacuum of one table: after
// each Limit of cost it sleeps for Delay.
type Throttle struct {
	Delay, Limit     Parameter // milliseconds, cost; Delay 0 is none
	Hit, Miss, Dirty Parameter // cost of a buffer
}

// ThrottleAt reads the throttle of the table at a time. −1 of the autovacuum
// settings stands for vacuum_cost_delay and vacuum_cost_limit. Several workers at
// once share the limit, which is not known of the past: a vacuum sleeps at least
// as long as this says. Source: "Cost-based Vacuum Delay" in the documentation,
// AutoVacuumUpdateCostLimit of PostgreSQL 12 to 18.
func ThrottleAt(m *dataset.Model, r *dataset.Relation, at record.Time) Throttle {
	s := parametersOf(m, r, at)
	t := Throttle{Delay: s.get("autovacuum_vacuum_cost_delay"), Limit: s.get("autovacuum_vacuum_cost_limit"),
		Hit: s.server("vacuum_cost_page_hit"), Miss: s.server("vacuum_cost_page_miss"), Dirty: s.server("vacuum_cost_page_dirty")}
	if t.Delay.Value < 0 {
		t.Delay = s.server("vacuum_cost_delay")
	}
	if t.Limit.Value <= 0 {
		t.Limit = s.server("vacuum_cost_limit")
	}
	return t
}

// Cost is what the buffers of a vacuum line cost; false if it counts none.
func (t Throttle) Cost(v *record.Vacuum) (float64, bool) {
	if !v.BufferHits.Known || !v.BufferMisses.Known || !v.BufferDirtied.Known {
		return 0, false
	}
	return t.Hit.Value*float64(v.BufferHits.N) + t.Miss.Value*float64(v.BufferMisses.N) + t.Dirty.Value*float64(v.BufferDirtied.N), true
}

// Sleep is how many seconds the vacuum slept for its cost: what the line says
// (18, with track_cost_delay_timing), else by the arithmetic, and then no longer
// than it ran; measured tells which. False if neither is known.
func (t Throttle) Sleep(v *record.Vacuum) (seconds float64, measured, ok bool) {
	if v.HasDelay {
		return v.DelayTime.Seconds(), true, true
	}
	cost, ok := t.Cost(v)
	if !ok || t.Limit.Value <= 0 {
		return 0, false, false
	}
	seconds = t.Delay.Value / 1000 * cost / t.Limit.Value
	if v.HasElapsed {
		seconds = math.Min(seconds, v.Elapsed.Seconds())
	}
	return seconds, false, true
}

// DeadItemBytes is what one dead item identifier took of a vacuum's memory up to
// PostgreSQL 16 (sizeof(ItemPointerData)); deadItemPageBytes what a page of them
// takes at most from 17 on: a bitmap of 291 offsets, its header, and its part of
// the radix tree (tidstore.c).
const (
	DeadItemBytes     = 6
	deadItemPageBytes = 64
)

// mostItemBytes is the memory that vacuum can use up to PostgreSQL 16 at most,
// whatever is set (MaxAllocSize).
const mostItemBytes = 1 << 30

// Memory is what a vacuum may keep dead item identifiers in.
type Memory struct {
	Set     Parameter // kB: autovacuum_work_mem, or maintenance_work_mem if that is −1
	Bytes   float64   // that it can use of it
	version int
}

// MemoryAt reads the memory of autovacuum at a time.
func MemoryAt(m *dataset.Model, r *dataset.Relation, at record.Time) Memory {
	s := parametersOf(m, r, at)
	x := Memory{Set: s.server("autovacuum_work_mem"), version: s.version}
	if x.Set.Value < 0 {
		x.Set = s.server("maintenance_work_mem")
	}
	x.Bytes = x.Set.Value * 1024
	if !x.Compressed() {
		x.Bytes = math.Min(x.Bytes, mostItemBytes)
	}
	return x
}

// Compressed reports whether the server keeps dead items as bitmaps per page (17
// and later), which take a fraction of six bytes each.
func (x Memory) Compressed() bool { return x.version >= 17 }

// Needed is the memory in bytes that holds all dead items of a vacuum at once; 0
// if the line does not count them.
func (x Memory) Needed(v *record.Vacuum) float64 {
	switch {
	case x.Compressed() && v.DeadItemPages.Known:
		return deadItemPageBytes * float64(v.DeadItemPages.N)
	case x.Compressed():
		return 0
	case v.DeadItems.Known:
		return DeadItemBytes * float64(v.DeadItems.N)
	}
	return DeadItemBytes * float64(v.TuplesRemoved.N)
}

// Passes is how many passes over the indexes the memory makes necessary; 0 if
// not known.
func (x Memory) Passes(v *record.Vacuum) float64 {
	if x.Bytes <= 0 {
		return 0
	}
	return math.Ceil(x.Needed(v) / x.Bytes)
}

// Holds reports whether any setting holds all dead items of the vacuum at once.
func (x Memory) Holds(v *record.Vacuum) bool { return x.Compressed() || x.Needed(v) <= mostItemBytes }

// parametersOf reads what is in force at a time, with the options of the last
// capture of the table until then, else of its first.
func parametersOf(m *dataset.Model, r *dataset.Relation, at record.Time) parameters {
	s := parameters{m: m, at: at, version: Version(m)}
	for i := range r.Points {
		p := &r.Points[i]
		if i > 0 && (!p.Time.Known() || p.Time > at) {
			break
		}
		s.options = reloptions(p.Reloptions)
	}
	return s
}
