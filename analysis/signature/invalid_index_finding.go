package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func (v *invalid) finding(p *Pass) finding.Finding {
	x := v.Index
	f := finding.Finding{
		Subject:     finding.Subject{Relation: x.Relation.Name, Index: x.Name},
		Title:       v.title(),
		Summary:     v.summary(),
		Figures:     v.figures(),
		RuledOut:    []finding.RuledOut{v.building()},
		Evidence:    v.evidence(),
		WillNotHelp: []string{"VACUUM or ANALYZE: neither makes an index valid", "setting indisvalid in pg_index by hand: rows may be missing from the index"},
		Verify:      []string{fmt.Sprintf("select indexrelid::regclass, indisvalid, indisready from pg_index where indrelid = %s", regclass(x.Relation.SQL()))},
		N:           plural(v.Seen, "capture") + " in a row show it invalid",
	}
	if v.Seen == 0 {
		f.N = "one snapshot without a time"
	}
	f.Onset = v.onset()
	f.Confidence, f.WhyConfidence = v.confidence()
	f.Actions = v.actions()
	if v.ready() && v.written() {
		f.Effect = p.limit("write_effect")
		f.Share = v.writeShare(p.Model)
		f.Notes = append(f.Notes, "effect is nominal; share is that of the statements that write the table, or, where no server time was observed, its share of the rows written")
	}
	return f
}

// writeShare is the share of the observed server time of the statements that
// write the relation; where none was observed, its share of all rows written.
func (v *invalid) writeShare(m *dataset.Model) float64 {
	if s, observed := shareOf(m, func(s *dataset.Statement) bool { return s.Writes(v.Index.Relation) }); observed {
		return s
	}
	var all int64
	for _, r := range m.Relations {
		written, _ := dataset.Total(r.Written())
		all += written
	}
	if all == 0 {
		return 0
	}
	return v.Writes / float64(all)
}

func (v *invalid) title() string {
	switch {
	case v.ready() && v.written():
		return "Every write to " + v.Index.Relation.Name + " maintains the invalid index " + v.Index.Index
	case v.ready():
		return "The invalid index " + v.Index.Name + " would be maintained by every write"
	}
	return "The invalid index " + v.Index.Name + " was left behind"
}

func (v *invalid) summary() string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s is invalid in the last snapshot", v.Index.Name)
	if v.Seen > 1 {
		fmt.Fprintf(&t, ", and in %d captures in a row since %s", v.Seen, clock(v.First.Time))
	}
	t.WriteString("; no query uses it. ")
	switch _, suffix := leftover(v.Index.Index); suffix {
	case "_ccnew":
		t.WriteString("The name is that of the new copy of a REINDEX CONCURRENTLY that failed. ")
	case "_ccold":
		t.WriteString("The name is that of the old index which a REINDEX CONCURRENTLY replaced but could not drop. ")
	}
	switch {
	case !v.Last.Ready.Known:
		t.WriteString("Whether writes maintain it cannot be told: no indisready in input.")
	case v.ready() && v.written():
		t.WriteString("It is ready, so that every insert, and every update that is not HOT, writes to it for nothing.")
	case v.ready():
		t.WriteString("It is ready: writes would maintain it, but none are in the input.")
	default:
		t.WriteString("It is not ready: writes do not maintain it; it is clutter.")
	}
	return t.String()
}

func (v *invalid) figures() []finding.Figure {
	fs := []finding.Figure{{What: "indisvalid", Text: "false", Limit: "true", Says: "invalid"}}
	if v.Last.Ready.Known {
		text, says := "false", "writes skip it"
		if v.ready() {
			text, says = "true", "writes maintain it"
		}
		fs = append(fs, finding.Figure{What: "indisready", Value: float64(v.Last.Ready.N), Text: text, Says: says})
	}
	if v.Last.Size.Known {
		fs = append(fs, finding.Figure{What: "size", Value: float64(v.Last.Size.N), Unit: "bytes"})
	}
	if v.Writes > 0 {
		fs = append(fs, finding.Figure{What: "rows written to the table in the input", Value: v.Writes, Unit: "rows"})
	}
	if v.WriteLog > 0 {
		fs = append(fs, finding.Figure{What: "write statements in the log", Value: float64(v.WriteLog), Unit: "statements"})
	}
	if v.Twin != nil {
		fs = append(fs, finding.Figure{What: "valid index with the same definition", Text: v.Twin.Name, Says: "this one is not needed"})
	}
	return fs
}

func (v *invalid) building() finding.RuledOut {
	const rival = "a build that still runs"
	if !v.Sampled {
		return notMeasurable(rival, "no pg_stat_activity around the last index snapshot in input")
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "no active create index or reindex of it in pg_stat_activity around the last capture"}
}

// lastBuild is the latest row of activity that shows it being built; nil if
// none does.
func (v *invalid) lastBuild() *dataset.ActivityPoint {
	if n := len(v.Builds); n > 0 && v.Builds[n-1].Time.Known() {
		return v.Builds[n-1]
	}
	return nil
}

func (v *invalid) onset() *finding.Onset {
	if !v.Last.Time.Known() || v.First == nil {
		return nil
	}
	o := &finding.Onset{Time: v.First.Time, Event: "first capture that shows it", EventTime: v.First.Time, EventPos: v.First.Pos, End: record.NoTime}
	switch b := v.lastBuild(); {
	case v.Failure != nil:
		o.Event, o.EventTime, o.EventPos = "the build failed: "+shorten(v.Failure.Text, 100), v.Failure.LogTime, v.Failure.Pos
	case b != nil:
		o.Event, o.EventTime, o.EventPos = "a build was last seen", b.Time, b.Pos
	}
	return o
}

func (v *invalid) evidence() []finding.Evidence {
	place := func(what string, t *dataset.IndexPoint) finding.Evidence {
		return finding.Evidence{What: what, Pos: t.Pos, Time: t.Time, Value: 0, Unit: "indisvalid", Limit: "1"}
	}
	var out []finding.Evidence
	if v.Failure != nil {
		out = append(out, finding.Evidence{What: "event", Pos: v.Failure.Pos, Time: v.Failure.LogTime, Excerpt: shorten(v.Failure.Text, 120)})
	} else if b := v.lastBuild(); b != nil {
		out = append(out, finding.Evidence{What: "event", Pos: b.Pos, Time: b.Time, Excerpt: shorten(b.Query, 120)})
	}
	if v.First != nil && v.First != v.Last {
		out = append(out, place("first", v.First))
	}
	return append(out, place("latest", v.Last))
}

// confidence: the equation is several captures in a row; the event, a build
// that failed or was seen; the control, sampled activity without a build. One
// snapshot stays possible.
func (v *invalid) confidence() (finding.Confidence, string) {
	equation := v.Seen > 1
	event := v.Failure != nil || v.lastBuild() != nil
	why := "equation: " + yes(equation, fmt.Sprintf("invalid in %d captures in a row", v.Seen), "one snapshot only")
	why += "; event: " + yes(event, "a build failed or was seen before", "no failed build in log or activity")
	why += "; control: " + yes(v.Sampled, "no build runs", "no pg_stat_activity around the last index snapshot in input")
	if !equation {
		return finding.Possible, why
	}
	return confidenceOf(equation, event, v.Sampled), why
}

// actions follow one tree: an index that a valid twin replaces, or whose name
// says that it is a leftover, is dropped; any other is rebuilt in place.
func (v *invalid) actions() []finding.Action {
	var first []finding.Action
	if !v.Sampled {
		first = []finding.Action{{SQL: true, Do: "select pid, state, query from pg_stat_activity where query ~* '(create|reindex).*index' and pid <> pg_backend_pid()",
			Cost: "first: the input does not tell whether it is being built at this moment; then leave it alone"}}
	}
	return append(append(first, v.remedy()...), v.constraint()...)
}

// duplicates finds the keys on which the build of a unique index failed: it
// fails again while they are there.
func (v *invalid) duplicates() []finding.Action {
	if v.Failure == nil || v.Failure.SQLState != uniqueViolation && !strings.HasPrefix(v.Failure.Text, "could not create unique index") {
		return nil
	}
	columns := strings.Join(leadingColumns(v.Index.Definition), ", ")
	if v.Index.Relation == nil || !strings.HasSuffix(v.Index.Definition, "("+columns+")") { // expressions, INCLUDE, WHERE
		return []finding.Action{{Do: "remove the duplicate keys first: the build failed on them and would fail again"}}
	}
	return []finding.Action{{SQL: true, Do: fmt.Sprintf("select %s, count(*) from %s group by %s having count(*) > 1", columns, v.Index.Relation.SQL(), columns),
		Cost: "first: the build failed on duplicate keys and would fail again; reads the table once"}}
}

// uniqueViolation is the SQLSTATE of a duplicate key.
const uniqueViolation = "23505"

func (v *invalid) remedy() []finding.Action {
	name := v.Index.SQL()
	_, suffix := leftover(v.Index.Index)
	if v.Twin != nil || suffix == "_ccold" {
		a := finding.Action{SQL: true, Do: "drop index concurrently " + name,
			Cost: "waits for older transactions; reads and writes go on; cannot run inside a transaction block"}
		if v.Twin != nil {
			a.Cost += "; " + v.Twin.Name + " has the same definition and is valid"
		}
		return []finding.Action{a}
	}
	return append(v.duplicates(), finding.Action{SQL: true, Do: "reindex index concurrently " + name,
		Cost: "no valid index has this definition. Builds it anew beside the old: free disk of its full size, one scan of the table for the build and one to check; reads and writes go on. " +
			"If nobody wants the index any more, drop index concurrently instead"})
}

// constraint warns where the name or uniqueness suggests that a constraint
// stands on the index: snapshots do not tell.
func (v *invalid) constraint() []finding.Action {
	base, _ := leftover(v.Index.Index)
	unique := v.Last.Unique.Known && v.Last.Unique.N == 1
	if !unique && !strings.HasSuffix(base, "_pkey") && !strings.HasSuffix(base, "_key") && !strings.HasSuffix(base, "_excl") {
		return nil
	}
	return []finding.Action{{SQL: true,
		Do:   fmt.Sprintf("select conname, contype from pg_constraint where conindid = %s", regclass(v.Index.SQL())),
		Cost: "first: if it names a constraint, the index backs it, drop index refuses, and reindex is the way; if the build failed on duplicate keys, remove them before"}}
}
