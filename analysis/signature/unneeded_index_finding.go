package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// seldomDays is how far apart the uses of an index may lie that month ends need.
const seldomDays = 35

func (u *unneeded) finding(p *Pass) finding.Finding {
	x := u.Index
	n := float64(len(x.Relation.Indexes))
	f := finding.Finding{
		Subject:     finding.Subject{Relation: x.Relation.Name, Index: x.Name},
		Title:       u.title(),
		Summary:     u.summary(),
		Effect:      n / max(1, n-1),
		Figures:     u.figures(p),
		RuledOut:    u.rivals(p),
		Evidence:    u.evidence(),
		WillNotHelp: []string{"REINDEX: it makes the index smaller, and every write pays for it as before"},
		Actions:     u.actions(),
		Verify: []string{
			"collect plans of the table's statements again after some busy days and compare: pgassay diff OLD NEW",
			fmt.Sprintf("select indexrelname, idx_scan from pg_stat_user_indexes where relid = %s; its other indexes, on every standby too", regclass(x.Relation.SQL())),
		},
		N: fmt.Sprintf("%s of the index", plural(len(x.Points), "capture")),
	}
	if u.Unused {
		f.Onset = &finding.Onset{Time: u.Since.Time, Event: "no scan since", EventTime: u.Since.Time, EventPos: u.Since.Pos, End: record.NoTime}
	}
	f.Share, _ = shareOf(p.Model, func(s *dataset.Statement) bool { return s.Target == x.Relation })
	f.Confidence, f.WhyConfidence = u.confidence()
	f.Notes = append(f.Notes, "effect is the number of indexes that a write maintains ÷ one less; share is that of the statements that write to the table")
	if u.Unused && u.Quiet < seldomDays*86400 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s without a scan are less than %d days: what runs once a month may need it", span(u.Quiet), seldomDays))
	}
	return f
}

func (u *unneeded) title() string {
	switch {
	case u.Unused && u.Covering != nil:
		return fmt.Sprintf("%s was not read for %s, and %s can do what it does", u.Index.Name, span(u.Quiet), u.Covering.Name)
	case u.Unused:
		return fmt.Sprintf("%s was not read for %s and is maintained by every write", u.Index.Name, span(u.Quiet))
	}
	return fmt.Sprintf("%s can do all that %s does", u.Covering.Name, u.Index.Name)
}

func (u *unneeded) summary() string {
	var t strings.Builder
	if u.Unused {
		fmt.Fprintf(&t, "No scan of %s since %s (%s). ", u.Index.Name, dateTime(u.Since.Time), u.How)
	}
	if u.Covering != nil {
		fmt.Fprintf(&t, "%s begins with the same columns, in the same order and with the same operator classes, and covers the same rows. ", u.Covering.Name)
	}
	fmt.Fprintf(&t, "It takes %s, and got an entry for each of %s rows written in the %s of the captures.", bytesText(u.Bytes), num(u.Writes.Rows), span(u.Writes.Seconds))
	return t.String()
}

// dateTime is a time as findings about days write it: UTC, to the minute.
func dateTime(t record.Time) string { return t.Std().Format("2006-01-02 15:04") }

func (u *unneeded) figures(p *Pass) []finding.Figure {
	var fs []finding.Figure
	if u.Unused {
		fs = append(fs, finding.Figure{What: "without a scan", Value: u.Quiet / 86400, Unit: "days", Limit: fmt.Sprintf(">= %g", p.limit("min_days")), Says: u.How})
	}
	fs = append(fs, finding.Figure{What: "scans in all", Value: float64(u.Last.Scans.N), Unit: "scans"},
		finding.Figure{What: "size", Value: u.Bytes, Unit: "bytes", Limit: ">= " + bytesText(p.limit("min_size"))},
		finding.Figure{What: "entries written over the captures", Value: u.Writes.Rows, Unit: "rows", Limit: fmt.Sprintf(">= %g", p.limit("min_writes")),
			Text: fmt.Sprintf("%s in %s", num(u.Writes.Rows), span(u.Writes.Seconds))},
		finding.Figure{What: "indexes of the table", Value: float64(len(u.Index.Relation.Indexes)), Unit: "indexes"})
	if u.Covering != nil {
		fs = append(fs, finding.Figure{What: "size of " + u.Covering.Index, Value: lastPages(u.Covering) * float64(p.Model.BlockSize), Unit: "bytes", Says: "covers it"})
	}
	if o := u.scannedSibling(); o != nil {
		fs = append(fs, finding.Figure{What: "control: scans of " + o.Index, Value: float64(latestPoint(o).Scans.N), Unit: "scans", Says: "scans are counted"})
	}
	return fs
}

// scannedSibling is the index of the table that was scanned most, as proof that
// scans are counted; nil if none was.
func (u *unneeded) scannedSibling() *dataset.Index {
	var best *dataset.Index
	most := int64(0)
	for _, o := range u.Index.Relation.Indexes {
		if last := latestPoint(o); o != u.Index && last != nil && last.Scans.Known && last.Scans.N > most {
			best, most = o, last.Scans.N
		}
	}
	return best
}

// confidence: the equation is the counter that stood still, or the definitions
// that agree; the event, captures or last_idx_scan that show it and not the reset
// alone; the control, another index of the table whose scans are counted.
func (u *unneeded) confidence() (finding.Confidence, string) {
	o := u.scannedSibling()
	event := u.Covering != nil || u.Since.What != "reset"
	text := "the counter of its scans did not move"
	if !u.Unused {
		text = "the definitions agree"
	}
	why := "equation: " + text
	why += "; event: " + yes(event, "the captures show it", "only the time of the last reset is known, and a crash loses counters too")
	why += "; control: " + yes(o != nil, "scans of other indexes of the table are counted", "no other index of the table was scanned")
	return confidenceOf(true, event, o != nil), why
}

func (u *unneeded) rivals(p *Pass) []finding.RuledOut {
	out := []finding.RuledOut{
		{Rival: "it keeps rows unique, or a constraint needs it", Verdict: finding.RuledOutVerdict, Figure: "neither unique nor of a constraint, as far as the captures tell"},
		notMeasurable("a foreign key whose checks use it", "constraints are not in input: a delete in the referenced table would then read this table from end to end"),
	}
	standby := notMeasurable("scans on a standby", "each standby counts its own; no capture of one in input")
	if len(p.Model.Rows(record.ViewReplication)) > 0 {
		standby.Why = "a standby is connected and counts its own scans"
	}
	return append(out, standby)
}

func (u *unneeded) evidence() []finding.Evidence {
	out := []finding.Evidence{{What: "latest", Pos: u.Last.Pos, Time: u.Last.Time, Value: float64(u.Last.Scans.N), Unit: "scans", Excerpt: shorten(u.Definition, 160)}}
	if u.Unused {
		out = append([]finding.Evidence{u.Since}, out...)
	}
	if u.Covering != nil {
		o := latestPoint(u.Covering)
		out = append(out, finding.Evidence{What: "covers it", Pos: o.Pos, Time: o.Time, Value: float64(o.Scans.N), Unit: "scans", Excerpt: shorten(u.Covering.Definition, 160)})
	}
	return out
}

func (u *unneeded) actions() []finding.Action {
	table := regclass(u.Index.Relation.SQL())
	keep := "keep its definition"
	if u.Definition != "" {
		keep = "to bring it back: " + shorten(u.Definition, 300)
	}
	return []finding.Action{
		{SQL: true, Do: fmt.Sprintf("select conname, pg_get_constraintdef(oid) from pg_constraint where contype = 'f' and conrelid = %s;", table),
			Cost: "reads a catalog only; if its columns are those of a foreign key, deletes and key updates in the referenced table use the index"},
		{SQL: true, Do: fmt.Sprintf("drop index concurrently %s;", u.Index.SQL()),
			Cost: "waits for older transactions, blocks nobody, cannot run inside a transaction block; first look at idx_scan on every standby; " + keep},
	}
}
