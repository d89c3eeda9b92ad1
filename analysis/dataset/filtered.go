package dataset

import (
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// Kept says how much a filter left of what was read.
type Kept struct {
	Filter                               Filter // with its times fixed
	Executions, Vacuums, Events, Samples Part
	// Untold are the executions that were dropped since the log does not tell
	// what the filter asks for.
	Untold int64
}

// Part is how many of all were kept.
type Part struct{ Kept, All int64 }

func (p *Part) count(v verdict) bool {
	p.All++
	if v != chosen {
		return false
	}
	p.Kept++
	return true
}

// Filter sets what Build keeps. It is to be called before Fold, so that the
// examples of plans are chosen among those that are kept, and may be called
// again to fix floating times.
func (d *Dataset) Filter(f Filter) { d.filter = f }

// filtered builds the model of what the filter keeps. all is the model of
// everything: what tells how complete the log is comes from there.
func (d *Dataset) filtered(all *Model) *Model {
	kept := &Kept{Filter: d.filter.before(all.To)}
	part := *d
	part.kept = kept
	part.vacuums, part.events, part.stretches, part.samples = nil, nil, nil, map[record.View][]record.Sample{}
	f := &kept.Filter
	for i := range d.vacuums {
		if v := &d.vacuums[i]; kept.Vacuums.count(max(f.at(v.LogTime), f.database(v.Database))) {
			part.vacuums = append(part.vacuums, *v)
		}
	}
	for i := range d.events {
		if e := &d.events[i]; kept.Events.count(max(f.at(e.LogTime), f.database(e.Database))) {
			part.events = append(part.events, *e)
		}
	}
	for _, s := range d.stretches {
		if f.at(s.From) == chosen && f.at(s.To) == chosen {
			part.stretches = append(part.stretches, s)
		}
	}
	for view, rows := range d.samples {
		part.samples[view] = f.rows(view, rows, &kept.Samples)
	}
	m := part.build()
	m.Kept = kept
	if m.Server == "" {
		m.Server = all.Server
	}
	logging := all.Logging
	logging.Plans, logging.Durations = m.Logging.Plans, m.Logging.Durations
	m.Logging = logging
	m.keepStatements(all, f)
	return m
}

// rows are the snapshot rows that f keeps. Settings hold until they change, and
// what a column's values take was looked at once.
func (f *Filter) rows(view record.View, rows []record.Sample, part *Part) []record.Sample {
	if view == record.ViewSettings || view == record.ViewColumnSizes {
		return rows
	}
	var out []record.Sample
	for i := range rows {
		s := &rows[i]
		if part.count(max(f.at(s.CapturedAt), f.database(text(s, "datname")))) {
			out = append(out, *s)
		}
	}
	return out
}

// keep drops the executions and steps that the filter does not keep.
func (b *builder) keep() {
	kept := b.d.kept
	if kept == nil {
		return
	}
	f := &kept.Filter
	judge := func(x *Exec, s *Statement) verdict {
		v := f.of(x)
		if q := f.Query.of(s.Statement); q == dropped || v == chosen {
			v = q
		}
		return v
	}
	b.m.Executions = slices.DeleteFunc(b.m.Executions, func(e *Execution) bool {
		v := judge(e.Exec, e.Statement)
		if v == untold {
			kept.Untold++
		}
		return !kept.Executions.count(v)
	})
	for _, s := range b.m.Sessions {
		s.Steps = slices.DeleteFunc(s.Steps, func(st Step) bool { return judge(st.line, st.Statement) != chosen })
	}
	b.m.Sessions = slices.DeleteFunc(b.m.Sessions, func(s *Session) bool { return len(s.Steps) == 0 })
}

// keepStatements drops statements of which nothing was kept, and takes over how
// completely each was logged.
func (m *Model) keepStatements(all *Model, f *Filter) {
	used := map[*Statement]bool{}
	for _, s := range m.Sessions {
		for i := range s.Steps {
			used[s.Steps[i].Statement] = true
		}
	}
	m.Statements = slices.DeleteFunc(m.Statements, func(s *Statement) bool {
		if f.Query.of(s.Statement) != chosen {
			s.Diffs = nil
		}
		return len(s.Executions) == 0 && len(s.Diffs) == 0 && !used[s]
	})
	for _, s := range m.Statements {
		if whole := all.Statement(s.Fingerprint); whole != nil {
			share, known := whole.Completeness()
			s.complete = &completeness{share, known}
		}
	}
	m.index()
}

// completeness is what Statement.Completeness answers for the whole log.
type completeness struct {
	share float64
	known bool
}
