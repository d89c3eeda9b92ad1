package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/report/view"
)

// TuneFormat is one way to write vacuum advice: a literal in TuneFormats.
type TuneFormat struct {
	Name, Doc string
	// Write writes t. Its errors are those of w.
	Write func(w io.Writer, t *analysis.Tuning, o Options) error
}

// TuneFormats lists the ways to write vacuum advice, the default first.
var TuneFormats = []TuneFormat{
	{Name: "text", Doc: "the statement, what it leads to, and what that rests on (default)", Write: tuneText},
	{Name: "json", Doc: "everything, for programs", Write: tuneJSON},
}

func tuneText(w io.Writer, t *analysis.Tuning, o Options) error {
	p := &page{width: max(o.Width, MinWidth), color: o.Color}
	p.para("", plain, tuneTitle(t), bold)
	sections := []section{tuneAdvice(t), tuneInForce(t), tuneTriggers(t), tuneVisibility(t), tuneVacuums(t)}
	p.sections(sections)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func tuneTitle(t *analysis.Tuning) string {
	parts := []string{view.Line(t.Relation.Name)}
	if t.Name != "" {
		parts = append(parts, view.Line(t.Name))
	}
	if t.Server != "" {
		parts = append(parts, "PostgreSQL "+view.Line(t.Server))
	}
	if finite(t.Cost.HeapPages) {
		parts = append(parts, fmt.Sprintf("%s (%s)", view.Quantity(t.Cost.HeapPages, "pages"), view.Quantity(t.Cost.HeapPages*float64(t.BlockSize), "bytes")))
	}
	return strings.Join(append(parts, view.Counted(int64(t.Activity.Captures), "capture", "captures"), view.NewClock(t.From, t.To).Span()), " · ")
}

// tuneAdvice is what to do and where it leads.
func tuneAdvice(t *analysis.Tuning) section {
	s := section{title: "Advice"}
	limit := view.Share(t.Tolerated)
	switch {
	case t.Lacks != "":
		s.texts = []string{"Nothing can be advised: " + t.Lacks + "."}
		return s
	case t.HeldBack > 0:
		s.texts = []string{fmt.Sprintf("No setting helps now: %d of %d vacuums could not remove what was dead, since something still saw it. "+
			"End what holds them back (pgassay analyze, PGA205), then collect again.", t.HeldBack, len(t.Passes))}
		return s
	case len(t.Set) == 0:
		s.texts = []string{"Leave the settings as they are: just before a vacuum " + lostText(t.Now) + " of the rows need the table, at most " + limit + " is tolerated."}
		return s
	}
	s.texts = append(s.texts, view.Line(t.SQL()), "", reachText(t, limit), cadenceText(t), t.Knob.Why()+" "+t.Knob.Other())
	return s
}

// lostText is the range between the two bounds.
func lostText(x autovacuum.Prediction) string {
	low, high := view.Share(x.Low), view.Share(x.High)
	if low == high {
		return high
	}
	return strings.TrimSuffix(low, " %") + " to " + high
}

func reachText(t *analysis.Tuning, limit string) string {
	now := fmt.Sprintf("just before a vacuum %s of the rows need the table, now %s", lostText(t.Then), lostText(t.Now))
	if t.Reachable {
		return "Then " + now + "; at most " + limit + " is tolerated."
	}
	text := fmt.Sprintf("%s cannot be kept by a setting of this table: %s touches clear so many of its %s, and %s come each second. This comes nearest: %s.",
		limit, view.Quantity(autovacuum.Touches(t.Workload.Visible, t.Workload.Pages, 1-t.Tolerated), ""), view.Quantity(t.Workload.Pages, "pages"),
		view.Quantity(t.Workload.High, ""), now)
	if t.Scan != nil {
		text += " The report (PGA201) instead aims at half of the rise that it measured, which takes fewer vacuums."
	}
	if t.NeedsNaptime >= 1 {
		return text + fmt.Sprintf(" autovacuum_naptime (%s, of the whole cluster) would have to be at most %s; or run VACUUM from a job.",
			view.Quantity(t.Naptime.Value, "s"), view.Quantity(math.Floor(t.NeedsNaptime), "s"))
	}
	return text + " Fewer pages touched would help: updates that stay HOT (fillfactor), partitions that are dropped instead of deletes, or a narrower table for the churn."
}

func cadenceText(t *analysis.Tuning) string {
	text := fmt.Sprintf("About %s, one every %s (now %s); autovacuum looks every %s.", perHour(t.Then), view.Quantity(t.Then.Period, "s"), perHour(t.Now),
		view.Quantity(t.Naptime.Value, "s"))
	if c := t.Cost; c.Logged > 0 {
		text += fmt.Sprintf(" Each took %s and %s (median of %d)", view.Quantity(c.Seconds, "s"), view.Quantity(c.Buffers, "buffers"), c.Logged)
		if finite(c.WAL) {
			text += ", " + view.Quantity(c.WAL, "bytes") + " of WAL"
		}
		text += "."
	} else {
		text += " What one takes is not in the input: log_autovacuum_min_duration = 0 would tell."
	}
	if t.Knob == autovacuum.KnobDead && t.Cost.Indexes > 0 && finite(t.Cost.IndexPages) {
		text += fmt.Sprintf(" It walks %s whole: %s (%s).", view.Counted(int64(t.Cost.Indexes), "index", "indexes"),
			view.Quantity(t.Cost.IndexPages, "pages"), view.Quantity(t.Cost.IndexPages*float64(t.BlockSize), "bytes"))
	}
	if finite(t.Then.Busy) {
		text += fmt.Sprintf(" A worker is busy with this table for %s of the time (now %s).", view.Share(t.Then.Busy), view.Share(t.Now.Busy))
	}
	return text
}

func perHour(x autovacuum.Prediction) string {
	switch {
	case x.By == "" || x.PerHour == 0:
		return "no vacuum"
	case x.PerHour < 1:
		return "one vacuum in " + view.Quantity(x.Period, "s")
	}
	return view.Quantity(x.PerHour, "") + " vacuums an hour"
}

func tuneInForce(t *analysis.Tuning) section {
	s := section{title: "Settings in force", rows: [][]string{{"parameter", "value", "from"}}, kept: 2}
	seen := map[string]bool{}
	add := func(p autovacuum.Parameter) {
		if !seen[p.Name] {
			seen[p.Name] = true
			s.rows = append(s.rows, []string{p.Name, view.Quantity(p.Value, ""), sourceText(p.Source)})
		}
	}
	for _, l := range []autovacuum.Limit{t.Limits.Dead, t.Limits.Inserted, t.Limits.Freeze, t.Limits.Multixact} {
		for _, p := range l.Of {
			add(p)
		}
	}
	if t.Naptime.Name != "" {
		add(t.Naptime)
	}
	if t.Limits.Note != "" {
		s.texts = append(s.texts, t.Limits.Note)
	}
	return s
}

func sourceText(s autovacuum.Source) string {
	switch s {
	case autovacuum.FromTable:
		return "this table"
	case autovacuum.FromServer:
		return "the server"
	}
	return "the version's default: not in input"
}

func tuneTriggers(t *analysis.Tuning) section {
	s := section{title: "What starts a vacuum", rows: [][]string{{"trigger", "limit", "now", "a second", "from 0", "next"}}, kept: 1}
	for _, d := range t.Dues {
		if !d.Limit.Known() {
			s.rows = append(s.rows, []string{string(d.Trigger), "none", view.Quantity(d.Now, ""), amountText(d.Rate.PerSecond, ""), "", d.Off})
			continue
		}
		s.rows = append(s.rows, []string{string(d.Trigger), view.Quantity(d.Value, ""), amountText(d.Now, ""), amountText(d.Rate.PerSecond, ""),
			amountText(d.Every(), "s"), nextText(d)})
	}
	if len(s.rows) == 1 {
		s.rows = nil
	}
	return s
}

func nextText(d autovacuum.Due) string {
	switch {
	case !d.Known():
		return "not known"
	case math.IsInf(d.In, 1):
		return "never at this rate"
	case d.In == 0:
		return "due"
	case d.Range.OK():
		return "in " + view.QuantityInterval(d.In, d.Range.Lo, d.Range.Hi, "s")
	}
	return "in " + view.Quantity(d.In, "s")
}
