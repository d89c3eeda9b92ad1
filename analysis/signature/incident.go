package signature

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// sides says which findings are other sides of a mechanism that another finding
// names. The first row that fits counts, so the nearer causes stand first. A
// mechanism that is itself a side of another passes its sides on.
var sides = []side{
	// The loop above the server: its empty rounds, and the time it leaves the server idle.
	{Of: "PGA401", IDs: []string{"PGA402", "PGA403"}, Same: sameRequest, When: overlapping},
	// An old snapshot keeps dead rows.
	{Of: "PGA205", IDs: []string{"PGA205", "PGA405"}, Same: sameSession, When: beginsWith},
	{Of: "PGA205", IDs: []string{"PGA103", "PGA106", "PGA108", "PGA201", "PGA202", "PGA206", "PGA208", "PGA209"}, Same: sameTable, When: beginsWithin},
	{Of: "PGA205", IDs: []string{"PGA212"}, Same: sameServer, When: beginsWithin},
	// The walk through an index, and what it does to the statement.
	{Of: "PGA101", IDs: []string{"PGA102", "PGA211"}, Same: sameIndex, When: overlapping},
	{Of: "PGA101", IDs: []string{"PGA103", "PGA104", "PGA107"}, Same: sameStatement, When: overlapping},
	{Of: "PGA101", IDs: []string{"PGA106"}, Same: sameStatement, When: beginsWith},
	// The pending list of a GIN index is emptied by vacuum.
	{Of: "PGA109", IDs: []string{"PGA103", "PGA104", "PGA106", "PGA201"}, Same: sameStatement, When: overlapping},
	// Dead entries at one end of an index: every query that begins there.
	{Of: "PGA108", IDs: []string{"PGA108"}, Same: sameIndex, When: overlapping},
	{Of: "PGA108", IDs: []string{"PGA103", "PGA104", "PGA106"}, Same: sameStatement, When: overlapping},
	// The visibility map decays between vacuums that come too late.
	{Of: "PGA201", IDs: []string{"PGA202", "PGA203"}, Same: sameTable, When: overlapping},
	{Of: "PGA201", IDs: []string{"PGA105", "PGA106"}, Same: sameStatement, When: beginsWithin},
	{Of: "PGA204", IDs: []string{"PGA202", "PGA203"}, Same: sameTable, When: overlapping},
	{Of: "PGA202", IDs: []string{"PGA203"}, Same: sameTable, When: overlapping},
	// A vacuum that spends hours in one index gets nothing else done.
	{Of: "PGA601", IDs: []string{"PGA206", "PGA207"}, Same: sameTable, When: overlapping},
	{Of: "PGA207", IDs: []string{"PGA206"}, Same: sameTable, When: overlapping},
	// Updates that touch every index leave waste in each.
	{Of: "PGA214", IDs: []string{"PGA208", "PGA209"}, Same: sameTable, When: beginsWithin},
	// The planner was told too little.
	{Of: "PGA213", IDs: []string{"PGA301"}, Same: sameTable, When: overlapping},
	{Of: "PGA301", IDs: []string{"PGA303"}, Same: sameStatement, When: overlapping},
	{Of: "PGA105", IDs: []string{"PGA105"}, Same: sameTable, When: atOneEvent},
	{Of: "PGA105", IDs: []string{"PGA103", "PGA106"}, Same: sameStatement, When: beginsWith},
	{Of: "PGA504", IDs: []string{"PGA304"}, Same: sameStatement, When: overlapping},
	// Locks, and who waits and fails behind them.
	{Of: "PGA405", IDs: []string{"PGA501"}, Same: sameSession, When: beginsWithin},
	{Of: "PGA501", IDs: []string{"PGA106"}, Same: sameTable, When: beginsWithin, Rival: "lock waits"},
	{Of: "PGA501", IDs: []string{"PGA506", "PGA507"}, Same: failsWith("55P03", "lock timeout"), When: beginsWithin},
	{Of: "PGA502", IDs: []string{"PGA506"}, Same: failsWith("40P01"), When: overlapping},
	{Of: "PGA407", IDs: []string{"PGA506"}, Same: failsWith("53300"), When: overlapping},
	// The server ends, or writes more than it can put away.
	{Of: "PGA508", IDs: []string{"PGA506"}, Same: failsWith("57P01", "57P02", "57P03"), When: beginsWith},
	{Of: "PGA508", IDs: []string{"PGA215", "PGA509"}, Same: sameServer, When: beginsWith},
	{Of: "PGA505", IDs: []string{"PGA503"}, Same: sameServer, When: beginsWithin},
}

// side is one row of the table: findings IDs are sides of a finding Of where
// subject and time fit.
type side struct {
	Of   string
	IDs  []string
	Same func(m *dataset.Model, cause, side *finding.Subject) bool
	When func(cause, side spell, slack record.Duration) bool
	// Rival is the name under which the side itself weighs this cause. Unless ""
	// the side must not have ruled it out, nor left it open for want of data.
	Rival string
}

// atSameTime is the part of the observed span within which two onsets, found by
// different means, count as one.
const atSameTime = 1.0 / 20

// incidents marks the findings that are sides of another with its fingerprint,
// and puts them behind it. sorted are all findings, the most severe first; one
// incident stands where its most severe finding stood.
func incidents(m *dataset.Model, sorted []finding.Finding) []finding.Finding {
	lead := make([]int, len(sorted))
	for i := range sorted {
		lead[i] = causeOf(m, sorted, i)
	}
	for i := range lead {
		for lead[lead[i]] != lead[i] {
			lead[i] = lead[lead[i]]
		}
	}
	var out []finding.Finding
	told := make([]bool, len(sorted))
	for i := range sorted {
		if told[lead[i]] {
			continue
		}
		told[lead[i]] = true
		out = append(out, sorted[lead[i]])
		for j := range sorted {
			if lead[j] == lead[i] && j != lead[i] {
				f := sorted[j]
				f.Cause = sorted[lead[i]].Fingerprint()
				out = append(out, f)
			}
		}
	}
	return out
}

// causeOf is the finding that sorted[i] is a side of, i itself if of none.
func causeOf(m *dataset.Model, sorted []finding.Finding, i int) int {
	for r := range sides {
		row := &sides[r]
		if !slices.Contains(row.IDs, sorted[i].ID) {
			continue
		}
		for j := range sorted {
			if j != i && sorted[j].ID == row.Of && (j < i || row.Of != sorted[i].ID) && row.fits(m, &sorted[j], &sorted[i]) {
				return j
			}
		}
	}
	return i
}

// fits reports whether f is a side of cause. A cause that hardly costs anything
// explains nothing that does, and one that is only possible nothing surer.
func (s *side) fits(m *dataset.Model, cause, f *finding.Finding) bool {
	if cause.Severity == finding.Info && f.Severity > finding.Info || cause.Confidence < min(f.Confidence, finding.Likely) {
		return false
	}
	if s.Rival != "" && !slices.ContainsFunc(f.RuledOut, func(r finding.RuledOut) bool { return r.Rival == s.Rival && r.Verdict == finding.NotRuledOut }) {
		return false
	}
	slack := record.Duration(0)
	if m.From.Known() && m.To.Known() {
		slack = record.Duration(float64(m.To.Sub(m.From)) * atSameTime)
	}
	return s.Same(m, &cause.Subject, &f.Subject) && s.When(spellOf(cause), spellOf(f), slack)
}

// spell is the time of a finding. NoTime is not told, or for End still lasting.
type spell struct {
	Event, From, Settled, End record.Time
}

func spellOf(f *finding.Finding) spell {
	s := spell{record.NoTime, record.NoTime, record.NoTime, record.NoTime}
	if o := f.Onset; o != nil && timed(o.Time) {
		s.Event, s.From, s.Settled = o.Time, o.Time, o.Time.Add(o.Transition)
		if timed(o.EventTime) {
			s.Event = min(o.EventTime, o.Time)
		}
		if timed(o.End) {
			s.End = o.End
		}
	}
	return s
}

func timed(t record.Time) bool { return t.Known() && t != 0 }

// overlapping reports whether nothing says that the two were at different times.
func overlapping(cause, side spell, slack record.Duration) bool {
	return !(cause.End.Known() && side.From.Known() && side.From > cause.End.Add(slack) ||
		side.End.Known() && cause.From.Known() && cause.From > side.End.Add(slack))
}

// beginsWith reports whether the side began when the cause did: at its event, or
// by the time it had settled.
func beginsWith(cause, side spell, slack record.Duration) bool {
	return cause.From.Known() && side.From.Known() && side.From >= cause.Event.Add(-slack) && side.From <= cause.Settled.Add(slack)
}

// atOneEvent reports whether both follow the same event.
func atOneEvent(cause, side spell, _ record.Duration) bool {
	return cause.Event.Known() && cause.Event == side.Event
}

// beginsWithin reports whether the side began while the cause lasted.
func beginsWithin(cause, side spell, slack record.Duration) bool {
	return cause.From.Known() && side.From.Known() && side.From >= cause.Event.Add(-slack) && overlapping(cause, side, slack)
}

func sameServer(*dataset.Model, *finding.Subject, *finding.Subject) bool { return true }

func sameRequest(_ *dataset.Model, cause, side *finding.Subject) bool {
	return cause.Parent != "" && cause.Parent == side.Parent && cause.Fingerprint == side.Fingerprint && cause.Session == side.Session
}

func sameSession(_ *dataset.Model, cause, side *finding.Subject) bool {
	return cause.Session != "" && cause.Session == side.Session && mayBeOne(cause.Database, side.Database)
}

func sameStatement(_ *dataset.Model, cause, side *finding.Subject) bool {
	return cause.Fingerprint != "" && cause.Fingerprint == side.Fingerprint
}

func sameIndex(_ *dataset.Model, cause, side *finding.Subject) bool {
	return cause.Index != "" && cause.Index == side.Index && mayBeOne(cause.Database, side.Database)
}

// sameTable reports whether the side is about the cause's table, or about a
// statement that names it.
func sameTable(m *dataset.Model, cause, side *finding.Subject) bool {
	switch {
	case cause.Relation == "" || !mayBeOne(cause.Database, side.Database):
		return false
	case side.Relation != "":
		return cause.Relation == side.Relation
	}
	r, st := m.Relation(cause.Relation), m.Statement(side.Fingerprint)
	return r != nil && st != nil && slices.Contains(st.Relations, r)
}

// failsWith is for sides about errors: one of these SQLSTATEs, or a message that
// begins so.
func failsWith(events ...string) func(*dataset.Model, *finding.Subject, *finding.Subject) bool {
	return func(_ *dataset.Model, cause, side *finding.Subject) bool {
		return mayBeOne(cause.Database, side.Database) &&
			slices.ContainsFunc(events, func(e string) bool { return strings.HasPrefix(side.Event, e) })
	}
}

// mayBeOne reports whether two names, "" if not told, may be the same.
func mayBeOne(a, b string) bool { return a == "" || b == "" || a == b }
