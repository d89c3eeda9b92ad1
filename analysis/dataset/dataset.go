package dataset

import (
	"math"
	"path"

	"github.com/pgassay/pgassay/parser/record"
)

// Limits bound the memory of a Dataset. What they cut is counted and reported.
type Limits struct {
	// Executions is how many logged durations and plans are kept. Beyond it,
	// whole minutes of whole sessions are left out, chosen by hash, so that
	// what remains is a fair sample whose sessions have no holes.
	Executions int
	// Events is how many log events other than executions are kept.
	Events int
	// Samples is how many snapshot rows are kept.
	Samples int
}

// DefaultLimits keep a full day of a busy server in about 1 GB.
func DefaultLimits() Limits {
	return Limits{Executions: 2_000_000, Events: 500_000, Samples: 2_000_000}
}

// Dataset is the mergeable state of a run.
type Dataset struct {
	limits Limits
	intern func(text []byte) *record.Statement

	statements map[string]*record.Statement // by fingerprint; shortest text
	execs      execList
	level      uint // executions are kept with probability 2^-level
	folded     int64
	vacuums    []record.Vacuum
	events     []record.Event
	stretches  []record.Stretch
	samples    map[record.View][]record.Sample
	nSamples   int
	examples   map[exampleKey]examples
	files      map[string]record.Time // first log time by file
	capped     map[string]int64       // what a limit cut, by name
	filter     Filter
	kept       *Kept // of the filter while what it keeps is built, else nil
}

// New makes an empty Dataset. intern gives the identity of query texts in
// snapshots; it must be the one that the parsers use or give equal results.
func New(limits Limits, intern func(text []byte) *record.Statement) *Dataset {
	return &Dataset{
		limits:     limits,
		intern:     intern,
		statements: map[string]*record.Statement{},
		samples:    map[record.View][]record.Sample{},
		examples:   map[exampleKey]examples{},
		files:      map[string]record.Time{},
		capped:     map[string]int64{},
	}
}

// Fold adds a batch. The batch's slices may be reused afterwards.
func (d *Dataset) Fold(b *record.Batch) {
	for i := range b.Executions {
		d.foldExecution(&b.Executions[i])
	}
	for i := range b.Vacuums {
		d.seen(b.Vacuums[i].Pos.File, b.Vacuums[i].LogTime)
		d.vacuums = append(d.vacuums, b.Vacuums[i])
	}
	for i := range b.Events {
		d.seen(b.Events[i].Pos.File, b.Events[i].LogTime)
		if len(d.events) >= d.limits.Events {
			d.capped["log events"]++
			continue
		}
		d.events = append(d.events, b.Events[i])
	}
	d.stretches = append(d.stretches, b.Stretches...)
	for i := range b.Samples {
		if d.nSamples >= d.limits.Samples {
			d.capped["snapshot rows"]++
			continue
		}
		d.nSamples++
		s := b.Samples[i]
		d.samples[s.View] = append(d.samples[s.View], s)
	}
}

// Merge adds everything that o has seen. o must not be used afterwards.
func (d *Dataset) Merge(o *Dataset) {
	for fp, s := range o.statements {
		d.statement(fp, s)
	}
	for f, t := range o.files {
		d.seen(f, t)
	}
	d.folded += o.folded
	d.raise(o.level)
	o.execs.each(func(x *Exec) {
		if d.keeps(x) {
			d.execs.add(x)
		}
	})
	d.shrink()
	d.vacuums = append(d.vacuums, o.vacuums...)
	d.events = append(d.events, o.events...)
	d.stretches = append(d.stretches, o.stretches...)
	for v, s := range o.samples {
		d.samples[v] = append(d.samples[v], s...)
		d.nSamples += len(s)
	}
	for k, e := range o.examples {
		d.examples[k] = d.examples[k].merge(e)
	}
	for k, n := range o.capped {
		d.capped[k] += n
	}
}

func (d *Dataset) seen(file string, t record.Time) {
	if !t.Known() {
		return
	}
	if first, ok := d.files[file]; !ok || t < first {
		d.files[file] = t
	}
}

// statement registers s under its fingerprint and keeps the shortest, then
// smallest, normalized text.
func (d *Dataset) statement(fp string, s *record.Statement) {
	old, ok := d.statements[fp]
	if !ok || len(s.Normalized) < len(old.Normalized) ||
		len(s.Normalized) == len(old.Normalized) && s.Normalized < old.Normalized {
		d.statements[fp] = s
	}
}

// Exec is one logged duration or plan as folded.
type Exec struct {
	Pos         record.Pos
	Time        record.Time // when logged
	Duration    record.Duration
	Resolution  record.Duration
	Fingerprint string
	Session     string
	User        string
	Application string
	Database    string
	Host        string
	Parameters  string
	Figures     *record.Figures // nil without a plan
	LineNum     int64
	ProcessID   int32
	Kind        record.ExecutionKind
	HasDuration bool
	Nested      bool
}

func (d *Dataset) foldExecution(e *record.Execution) {
	d.folded++
	d.seen(e.Pos.File, e.LogTime)
	fp := ""
	if e.Statement != nil {
		fp = e.Statement.Fingerprint
		d.statement(fp, e.Statement)
	}
	x := Exec{
		Pos: e.Pos, Time: e.LogTime, Duration: e.Duration, Resolution: e.Resolution,
		Fingerprint: fp, Session: e.Session, User: e.UserName, Application: e.Application,
		Database: e.Database, Host: e.Host, Parameters: e.Parameters, LineNum: e.LineNum,
		ProcessID: e.ProcessID, Kind: e.Kind, HasDuration: e.HasDuration, Nested: e.Nested,
	}
	if e.HasPlan {
		f := e.Figures
		x.Figures = &f
		if e.Plan != nil && d.filter.of(&x) == chosen {
			k := exampleKey{fp, f.Shape, path.Dir(e.Pos.File)}
			d.examples[k] = d.examples[k].merge(examplesOf(e, d.filter.Last > 0))
		}
	}
	if !d.keeps(&x) {
		return
	}
	d.execs.add(&x)
	d.shrink()
}

// keeps reports whether x belongs to the sample at the present level. The
// unit is a minute of a session: its hash decides, not the order of arrival.
func (d *Dataset) keeps(x *Exec) bool {
	if d.level == 0 {
		return true
	}
	return chunkHash(x) <= math.MaxUint64>>d.level
}

func (d *Dataset) raise(level uint) {
	if level <= d.level {
		return
	}
	d.level = level
	var kept execList
	d.execs.each(func(x *Exec) {
		if d.keeps(x) {
			kept.add(x)
		}
	})
	d.execs = kept
}

func (d *Dataset) shrink() {
	for d.execs.n > d.limits.Executions && d.level < 60 {
		d.raise(d.level + 1)
	}
}
