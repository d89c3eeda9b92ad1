package analysis

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// Options of a run.
type Options struct {
	Prefix   string // log_line_prefix of stderr logs; "" to detect it
	Timezone string // for log times whose zone the text does not tell
	Jobs     int    // 0: one per processor
	Limits   dataset.Limits
	Filter   dataset.Filter
	// Thresholds replace defaults of signatures, by "PGA101.min_step".
	Thresholds signature.Thresholds
	// Series are files with a time column and numbers or texts of the user's:
	// latency as the application saw it, its own axes, deploys.
	Series []string
	// SLOs are limits whose crossing is dated.
	SLOs    []SLO
	Stdin   io.Reader
	Version string // of pgassay, for the report
	// Anonymize leaves no name or literal of the input in the Result.
	Anonymize bool
	// Baseline, if not nil, is compared with.
	Baseline *Baseline
	// Suppressions take findings out of Result.Findings until they expire, by
	// Now; the zero Now is the present.
	Suppressions []Suppression
	Now          time.Time
	// Progress, if not nil, is told how far the reading has come.
	Progress func(parser.Progress)
}

// DefaultOptions are the defaults of the flags.
func DefaultOptions() Options {
	return Options{Limits: dataset.DefaultLimits()}
}

// internedStatements bounds the query texts whose identity is remembered.
const internedStatements = 200_000

// Run reads the paths and evaluates every signature. Only usage errors
// (parser.UsageError), I/O errors and the end of ctx are returned; what could
// not be understood is in the Result.
func Run(ctx context.Context, paths []string, o Options) (*Result, error) {
	statements := sqltext.NewInterner(internedStatements)
	d := dataset.New(o.Limits, statements.Statement)
	read, filter := newInputs(), newFiltering(o, d)
	rep, err := readAll(ctx, paths, o, statements, func(b *record.Batch) error {
		read.see(b)
		filter.see(b)
		d.Fold(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return unless(ctx, func() *Result { return conclude(d, read.of(rep), o) })
}

// conclude makes the Result of what was read.
func conclude(d *dataset.Dataset, inputs []Input, o Options) *Result {
	r, models := evaluate(d, inputs, o)
	r.ZoneOffset = zoneOffset(r.Zone, o.Timezone, r.From)
	r.Notes = append(r.Notes, thresholdNotes(o.Thresholds)...)
	r.suppress(o.Suppressions, o.now())
	if o.Baseline != nil {
		r.Comparison = Compare(r, o.Baseline, o.Thresholds)
	}
	if o.Anonymize {
		r = Anonymize(r, namesOf(models, o.Suppressions))
	}
	return r
}

// thresholdNotes says which verdicts rest on limits of the user's.
func thresholdNotes(set signature.Thresholds) []string {
	if len(set) == 0 {
		return nil
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		parts = append(parts, fmt.Sprintf("%s = %g", name, set[name]))
	}
	return []string{"Thresholds that were set: " + strings.Join(parts, ", ") + "."}
}

func (o *Options) now() time.Time {
	if o.Now.IsZero() {
		return time.Now()
	}
	return o.Now
}

func resultOf(m *dataset.Model, p *signature.Pass, inputs []Input, version string) *Result {
	r := &Result{
		Version: version, From: m.From, To: m.To, Server: m.Server,
		Inputs: inputs, Findings: p.Findings, Evaluated: p.Evaluated,
	}
	for _, n := range p.NotEvaluated {
		r.NotEvaluated = append(r.NotEvaluated, NotEvaluated(n))
	}
	for _, in := range inputs {
		if r.Zone == "" {
			r.Zone = in.Zone
		}
		r.Losses = append(r.Losses, in.Losses...)
	}
	r.Losses = append(r.Losses, caps(m)...)
	r.Totals = totals(m, inputs)
	r.Statements = statementRows(m)
	r.Relations, r.Indexes = relationRows(m)
	r.Plans = planExamples(m, r)
	r.Triggers = triggers(m)
	r.Events, r.EventsLeftOut = eventsOf(m.Events, maxEvents)
	for _, v := range m.Vacuums {
		if v.FromLog {
			r.Vacuums = append(r.Vacuums, v.Vacuum)
		}
	}
	for i := range r.Findings {
		if n := p.Tests(); n > 1 && len(r.Findings[i].N) > 0 {
			r.Findings[i].N += fmt.Sprintf("; 95 %% intervals, p-values corrected for %d tests", n)
		}
	}
	r.Notes = notes(m, inputs)
	return r
}

func totals(m *dataset.Model, inputs []Input) Totals {
	t := Totals{Files: int64(len(inputs)), Executions: int64(len(m.Executions)), ServerTime: m.ServerTime(),
		Plans: m.Logging.Plans, Durations: m.Logging.Durations}
	for _, in := range inputs {
		t.Bytes += in.Bytes
		t.Lines += in.Lines
		t.Entries += in.Entries
		t.Understood += in.Understood
	}
	if m.Kept != nil {
		t.Vacuums = m.Kept.Vacuums.Kept
	}
	for _, e := range m.Executions {
		if e.Kind == record.ExecExplain {
			t.Plans++
		}
	}
	for _, v := range m.Vacuums {
		if v.FromLog && v.Kind == record.KindVacuum {
			t.Vacuums++
		}
	}
	for _, n := range m.SnapshotTimes {
		t.Snapshots = max(t.Snapshots, int64(n))
	}
	return t
}

// caps are the limits of ours that were hit, by name.
func caps(m *dataset.Model) []record.Loss {
	var out []record.Loss
	for _, name := range slices.Sorted(maps.Keys(m.Capped)) {
		out = append(out, record.Loss{Kind: record.LossCap, Count: m.Capped[name],
			Text: "more " + name + " than are kept; the rest was left out"})
	}
	return out
}

// notes says what limits the conclusions.
func notes(m *dataset.Model, inputs []Input) []string {
	var out []string
	if len(m.Servers) > 1 {
		out = append(out, "The input speaks of PostgreSQL "+strings.Join(m.Servers, " and ")+": these are several servers, which one file mixes. Analyze each by itself.")
	}
	if a := m.Alternating; len(a) > 0 {
		out = append(out, "Snapshots of two tables of one name alternate ("+strings.Join(a[:min(3, len(a))], ", ")+
			"): they are of several servers or databases that nothing tells apart. Analyze each by itself, or add datname and system_identifier to the rows.")
	}
	out = append(out, breakNotes(m.Breaks)...)
	out = append(out, standbyNote(m)...)
	if m.Logging.Censored() {
		out = append(out, "The log is incomplete: "+m.Logging.Why+". Means before and after an event are possible at most.")
		if m.Logging.Rate > 0 {
			out = append(out, fmt.Sprintf("Executions per second beside a cost are estimated: each logged one stands for %.3g.", m.Logging.Weight()))
		}
	}
	if m.Sampled < 1 {
		out = append(out, fmt.Sprintf("More executions than fit were logged: the figures rest on a sample of %.3g of the minutes of each session.", m.Sampled))
	}
	views := make([]string, 0, len(m.Untimed))
	for v := range m.Untimed {
		views = append(views, string(v))
	}
	sort.Strings(views)
	for _, v := range views {
		if record.View(v) != record.ViewSettings {
			out = append(out, fmt.Sprintf("%d rows of %s have no time (captured_at, or a date in the file's name): they join no series.", m.Untimed[record.View(v)], v))
		}
	}
	return append(out, untimedPlans(m)...)
}

func untimedPlans(m *dataset.Model) []string {
	n := 0
	for _, e := range m.Executions {
		if !e.Time.Known() {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	if n == 1 {
		return []string{"One plan has no time: it joins no series."}
	}
	return []string{fmt.Sprintf("%d plans have no time: they join no series.", n)}
}
