package signature

import (
	"fmt"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var vacuumBlocked = &Signature{
	ID: "PGA205", Name: "vacuum-blocked", Max: finding.Critical,
	Felt: "Queries of busy tables get slower by the minute, although vacuums run",
	What: "Vacuums run but may not remove dead rows, because something still holds an old snapshot.",
	Why: "A dead row may go only when no transaction can still see it. The oldest one sets the removable cutoff: a transaction left open, " +
		"a replication slot, a prepared transaction or a standby with hot_standby_feedback. While the cutoff stands still, every vacuum reads the table and leaves " +
		"the dead rows; scans read them, index-only scans go to the heap for them, and table and indexes grow.",
	Fix: "End what holds the cutoff, and bound it: idle_in_transaction_session_timeout, statement_timeout, transaction_timeout (17). " +
		"Run long reports on a standby without hot_standby_feedback. Vacuum settings change nothing.",
	Verify: "The next vacuum says that 0 rows are dead but not yet removable, and its cutoff is young.",
	Needs:  []Need{needVacuum, needActivity},
	Silent: []string{
		"a vacuum that leaves a few hundred rows of running transactions behind a young cutoff",
		"a transaction that is shorter than the time between two vacuums",
		"thresholds so large that no vacuum runs (203)",
	},
	Thresholds: []Threshold{
		{"min_rows", 1000, "rows", "dead rows that a vacuum must leave to count as held back"},
		{"min_share", 0.2, "of dead rows", "that it must leave"},
		{"floor_rows", 10000, "rows", "dead rows left at the worst below which the finding stays info, unless it is felt"},
		{"floor_ms", 1, "ms", "that a typical execution takes longer meanwhile, from which few rows are felt"},
	},
	Detect: detectVacuumBlocked,
}

func detectVacuumBlocked(p *Pass) {
	seen := 0
	for _, r := range p.Model.Relations {
		seen += len(passesOf(r))
	}
	if seen == 0 && !countsVacuums(p.Model) {
		p.Lacks("no vacuum lines and no two table snapshots in input",
			"log_autovacuum_min_duration = 0, or pg_stat_user_tables with captured_at at least twice; pg_stat_activity, pg_prepared_xacts and pg_replication_slots name the holder")
		return
	}
	bySubject := map[finding.Subject]*finding.Finding{}
	var order []*finding.Finding
	floors := map[*finding.Finding]bool{}
	for _, b := range blockages(p.Model, heldLimitsOf(p.limits(p.now))) {
		subject := b.subject()
		if worse := bySubject[subject]; worse != nil {
			worse.Notes = append(worse.Notes, fmt.Sprintf("the same also from %s, with %s rows left at the worst", clock(b.passes()[0].End), num(b.worst().Left)))
			continue
		}
		f := b.finding(p)
		bySubject[subject] = &f
		order = append(order, &f)
		floors[&f] = b.small(p)
	}
	for _, f := range order {
		p.Report(*f, floors[f])
	}
}

// small reports whether few rows stay and no statement is known to suffer.
func (b *blockage) small(p *Pass) bool {
	if b.worst().Left >= p.limit("floor_rows") {
		return false
	}
	cost := costliestIn(p.Model, b.relations(), b.span())
	if cost == nil {
		return true
	}
	d := durationIn(cost.Statement, b.span())
	return d == nil || !d.felt(p.limit("floor_ms"))
}

// countsVacuums reports whether two captures of one table tell whether it was
// vacuumed in between.
func countsVacuums(m *dataset.Model) bool {
	for _, r := range m.Relations {
		n := 0
		for i := range r.Points {
			if t := &r.Points[i]; t.Time.Known() && t.DeadTup.Known && (t.AutovacuumCount.Known || t.VacuumCount.Known) {
				n++
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}

// relations are those held back, the worst first.
func (b *blockage) relations() []*dataset.Relation {
	var out []*dataset.Relation
	for _, h := range b.Relations {
		if !slices.Contains(out, h.Relation) {
			out = append(out, h.Relation)
		}
	}
	return out
}

// span is the holder's transaction, else from the first to the last vacuum
// held back. It lasts where no relation's later vacuum was free and the holder
// is not known to be gone.
func (b *blockage) span() period {
	all := b.passes()
	s := period{From: all[0].Start, To: record.NoTime, Healed: record.NoTime}
	if b.Holder != nil && b.Holder.Since < s.From {
		s.From = b.Holder.Since
	}
	if next := b.freed(); next != nil {
		s.To, s.Healed = next.Start, next.End
		if h := b.Holder; h != nil && h.Gone.Known() && h.Gone < s.To {
			s.To = h.Gone
		}
	}
	return s
}

// freed is the first vacuum of the worst relation after the cutoff moved; nil
// while it stands still.
func (b *blockage) freed() *vacuumPass { return b.Relations[0].Next }

// ended says when what held the cutoff went, as far as it is known.
func (b *blockage) ended() (record.Time, bool) {
	if n := b.freed(); n != nil {
		return n.End, true
	}
	if b.Holder != nil && b.Holder.Gone.Known() {
		return b.Holder.Gone, true
	}
	return record.NoTime, false
}

// subject is the relation with most rows left and the holder's session group.
func (b *blockage) subject() finding.Subject {
	s := finding.Subject{Database: b.worst().Database, Relation: b.Relations[0].Relation.Name}
	if b.Holder != nil {
		s.Session = b.Holder.name()
		if s.Database == "" {
			s.Database = b.Holder.Database
		}
	}
	return s
}

func (b *blockage) finding(p *Pass) finding.Finding {
	span := b.span()
	f := finding.Finding{
		Subject:  b.subject(),
		Onset:    b.onset(span),
		Evidence: b.evidence(p),
		Verify:   b.verify(),
		N:        b.counts(p.Model, span),
	}
	cost := costliestIn(p.Model, b.relations(), span)
	f.Confidence, f.WhyConfidence = b.confidence(p.Model, span)
	f.Effect = b.rowsEffect()
	if cost != nil {
		f.Share = cost.Share
		f.Effect = max(f.Effect, cost.ratio())
	} else {
		f.Share, _ = shareOf(p.Model, func(s *dataset.Statement) bool { return uses(s, b.relations()) })
		f.Notes = append(f.Notes, "no statement on the relation was measured inside and outside the time: the effect is dead rows read beside live ones")
	}
	f.Figures = b.figures(p, cost)
	f.RuledOut = b.rivals(p.Model, span)
	f.Actions, f.WillNotHelp = b.actions(p.Model)
	f.Forecast = b.forecast()
	f.Series = b.series(cost, span)
	f.Title, f.Summary = b.title(), b.summary(&f, span, cost)
	return f
}

// rowsEffect is what a scan of the worst relation reads, live and dead rows,
// per live row.
func (b *blockage) rowsEffect() float64 {
	w := b.worst()
	if !(w.Live > 0) {
		return 0
	}
	return (w.Live + w.Left) / w.Live
}

func (b *blockage) onset(s period) *finding.Onset {
	o := &finding.Onset{Time: s.From, EventTime: s.From, End: record.NoTime, Event: "the first vacuum held back"}
	first := b.passes()[0]
	o.EventPos = first.Pos
	if h := b.Holder; h != nil {
		o.Event = h.words().event
		o.EventTime, o.EventPos = h.Since, h.Pos
		o.Lag = first.End.Sub(h.Since)
	}
	if end, ok := b.ended(); ok {
		o.End = end
	}
	return o
}

// confidence: the equation is the cutoff that stands still while dead rows
// stay; the event is the holder's start between the last free vacuum and the
// first that was held back; the control is that vacuums remove dead rows
// before or after.
func (b *blockage) confidence(m *dataset.Model, s period) (finding.Confidence, string) {
	w := b.Relations[0]
	equation := w.worst().FromLog && w.worst().Cutoff.Known
	event := b.Holder != nil && (w.Last == nil || b.Holder.Since >= w.Last.Start)
	control := false
	for i := range w.All {
		v := &w.All[i]
		outside := s.outside(v.End) || v.End == s.Healed
		control = control || outside && v.Gone > v.Left && v.Gone > 0
	}
	held := confidenceOf(equation, event, control)
	why := "equation: " + yes(equation, "the cutoff stands still over "+b.passesText(), "only captures tell: dead rows stay after "+b.passesText())
	why += "; event: " + yes(event, b.begun(), b.noHolder(m, s))
	why += "; control: " + yes(control, "vacuums before or after removed their dead rows", "no vacuum outside that time")
	return held, why
}

// confidenceOf counts what held of equation, event and control.
func confidenceOf(held ...bool) finding.Confidence {
	n := 0
	for _, h := range held {
		if h {
			n++
		}
	}
	return finding.Confidence(max(0, n-1))
}

func yes(ok bool, then, otherwise string) string {
	if ok {
		return then
	}
	return "missing: " + otherwise
}

func (b *blockage) passesText() string { return plural(len(b.passes()), "vacuum") }

// plural is "1 vacuum", "2 vacuums".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", thousands(int64(n)), what)
}

// begun says that the holder explains when it began.
func (b *blockage) begun() string {
	if b.Holder == nil || b.Holder.words().noun == "transaction" {
		return "the holder's transaction began before the first of them"
	}
	return b.Holder.words().event + ", before the first of them"
}

// noHolder says why no holder is named.
func (b *blockage) noHolder(m *dataset.Model, s period) string {
	switch {
	case b.Holder != nil:
		return "the holder's transaction is older than a vacuum that was still free"
	case len(m.Activity) == 0:
		return "no pg_stat_activity in input"
	case !hasHorizons(m):
		return "no backend_xmin in the samples of pg_stat_activity in input"
	}
	all := b.passes()
	if sampledBackends(m, all[0].Start, all[len(all)-1].End) == 0 {
		return "no pg_stat_activity of that time in input"
	}
	return "no sampled backend is as old as the cutoff"
}

func hasHorizons(m *dataset.Model) bool {
	for i := range m.Activity {
		if m.Activity[i].BackendXmin.Known || m.Activity[i].BackendXid.Known {
			return true
		}
	}
	return false
}
