package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func (a *vacuumAnomaly) finding(p *Pass) finding.Finding {
	w := a.worst()
	f := finding.Finding{
		Subject:  finding.Subject{Relation: a.Relation.Name},
		Title:    fmt.Sprintf("A vacuum of %s accessed %s the buffers that its pages explain", a.Relation.Name, times(w.Buffers/w.explained())),
		Effect:   ratio(w.Buffers, w.explained()),
		Onset:    &finding.Onset{Time: a.Over[0].Vacuum.Start, EventTime: a.Over[0].Vacuum.End, EventPos: a.Over[0].Vacuum.Pos, Event: "vacuum of " + a.Relation.Name, End: record.NoTime},
		Figures:  a.figures(p),
		RuledOut: a.rivals(),
		Evidence: a.evidence(),
		N:        fmt.Sprintf("%d of %s of the table", len(a.Over), plural(len(a.Over)+len(a.Normal), "vacuum")),
		WillNotHelp: []string{
			"more autovacuum workers, or more memory: one worker cleans the index, and memory is not what it lacks",
			"lower vacuum thresholds: the same work is done more often",
		},
	}
	if a.Sure {
		f.Subject.Index = a.Suspects[0].Name
	}
	var note string
	f.Share, note = vacuumShare(p.Model, a.Relation, a.ran())
	f.Notes = append(f.Notes, note)
	f.Confidence, f.WhyConfidence = a.confidence()
	f.Actions = a.actions(p)
	f.Verify = []string{"the next \"automatic vacuum of table\" line of " + a.Relation.Name + " has hits and misses near " + num(w.explained()) + ", or an elapsed time that is short enough",
		"select phase, indexes_total, indexes_processed from pg_stat_progress_vacuum; (17 and later) while it runs: which index it stands at"}
	f.Summary = a.summary()
	return f
}

// who names the index that does it, or the candidates.
func (a *vacuumAnomaly) who() string {
	var names []string
	for _, x := range a.Suspects[:min(len(a.Suspects), 4)] {
		text := x.Name
		if m := methodOf(x); m != "" {
			text += " (" + m + ")"
		}
		names = append(names, text)
	}
	if len(a.Suspects) > 4 {
		names = append(names, "…")
	}
	return strings.Join(names, " or ")
}

// perItem reports whether the work goes with the dead items: that of a GIN index
// goes with its pending list.
func (a *vacuumAnomaly) perItem() bool { return methodOf(a.Suspects[0]) != "gin" }

func (a *vacuumAnomaly) summary() string {
	w := a.worst()
	var t strings.Builder
	fmt.Fprintf(&t, "The vacuum that ended at %s took %s and accessed %s buffers. Table and indexes explain %s of them. ",
		clock(w.Vacuum.End), span(w.Vacuum.Elapsed.Seconds()), num(w.Buffers), num(w.explained()))
	if n := removedItems(w.Vacuum); n > 0 && a.perItem() {
		fmt.Fprintf(&t, "It removed %s dead items: %s buffers for each. ", num(n), num(w.excess()/n))
	}
	if a.Sure {
		fmt.Fprintf(&t, "The only index of the table that is not read just once is %s.", a.who())
	} else {
		fmt.Fprintf(&t, "It may be %s.", a.who())
	}
	return t.String()
}

func (a *vacuumAnomaly) figures(p *Pass) []finding.Figure {
	w := a.worst()
	v := w.Vacuum
	fs := []finding.Figure{
		{What: "buffers ÷ what the pages explain", Value: w.Buffers / w.explained(), Unit: "x", Limit: fmt.Sprintf(">= %g", p.limit("min_ratio")), Says: "not explained by reading"},
		{What: "hits and misses", Value: w.Buffers, Unit: "buffers"},
		{What: "explained by the table", Value: w.Heap, Unit: "buffers", Indent: true, Text: fmt.Sprintf("%s of %s pages scanned", num(w.Heap), num(scannedPages(v)))},
		{What: "explained by its indexes", Value: w.Index, Unit: "buffers", Indent: true, Text: fmt.Sprintf("%s in %s", num(w.Index), plural(int(max(1, v.IndexScans)), "pass"))},
		{What: "elapsed", Value: v.Elapsed.Seconds(), Unit: "s", Text: span(v.Elapsed.Seconds())},
	}
	if n := removedItems(v); n > 0 && a.perItem() {
		fs = append(fs, finding.Figure{What: "buffers beyond it per dead item removed", Value: w.excess() / n, Unit: "buffers", Says: "a search for each"})
	}
	if v.BufferDirtied.Known {
		fs = append(fs, finding.Figure{What: "dirtied", Value: float64(v.BufferDirtied.N), Unit: "buffers"})
	}
	if n := a.quiet(); n != nil {
		fs = append(fs, finding.Figure{What: "control: a vacuum that is explained", Value: n.Buffers / n.explained(), Unit: "x", Says: "control quiet",
			Text: fmt.Sprintf("%s of %s buffers, at %s", num(n.Buffers), num(n.explained()), clock(n.Vacuum.End))})
	}
	return fs
}

// quiet is the latest vacuum of the table whose buffers are explained; nil if
// there is none.
func (a *vacuumAnomaly) quiet() *vacuumWork {
	if len(a.Normal) == 0 {
		return nil
	}
	return &a.Normal[len(a.Normal)-1]
}

// confidence: the equation is buffers against pages; the event, a pass that
// removed entries from the indexes; the control, the one index that can do it,
// its method known.
func (a *vacuumAnomaly) confidence() (finding.Confidence, string) {
	v := a.worst().Vacuum
	event := v.CleanedIndexes()
	why := "equation: the pages explain " + percent(a.worst().explained()/a.worst().Buffers) + " of the buffers"
	why += "; event: " + yes(event, "the pass removed entries from the indexes", "no index pass: only the cleanup of an index can have done it")
	why += "; control: " + yes(a.Sure, "all other indexes of the table are b-trees", "more than one index can do it, or their access methods are not in input")
	return confidenceOf(true, event, a.Sure), why
}

func (a *vacuumAnomaly) rivals() []finding.RuledOut {
	v := a.worst().Vacuum
	out := []finding.RuledOut{
		{Rival: "a large table", Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%s pages scanned", num(scannedPages(v)))},
		{Rival: "several index passes (206)", Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%d, counted", v.IndexScans)},
	}
	disk := finding.RuledOut{Rival: "a slow disk", Verdict: finding.RuledOutVerdict,
		Figure: percent(float64(v.BufferMisses.N)/a.worst().Buffers) + " of the buffers were read from outside the cache"}
	if v.BufferMisses.N > v.BufferHits.N {
		disk.Verdict = finding.NotRuledOut
	}
	out = append(out, disk)
	if !v.TuplesNotRemovable.Known {
		return append(out, notMeasurable("dead rows held back (205)", "the line does not count them"))
	}
	return append(out, finding.RuledOut{Rival: "dead rows held back (205)", Verdict: finding.RuledOutVerdict, Figure: num(float64(v.TuplesNotRemovable.N)) + " left"})
}

func (a *vacuumAnomaly) evidence() []finding.Evidence {
	place := func(what string, w *vacuumWork) finding.Evidence {
		return finding.Evidence{What: what, Pos: w.Vacuum.Pos, Time: w.Vacuum.End, Value: w.Buffers, Unit: "buffers", Excerpt: span(w.Vacuum.Elapsed.Seconds()) + ", " + num(w.explained()) + " explained"}
	}
	out := []finding.Evidence{place("first", &a.Over[0]), place("worst", a.worst()), place("latest", &a.Over[len(a.Over)-1])}
	if n := a.quiet(); n != nil {
		out = append(out, place("control", n))
	}
	return out
}

func (a *vacuumAnomaly) actions(p *Pass) []finding.Action {
	x := a.Suspects[0]
	pages, _ := nearestPages(x, a.worst().Vacuum.End)
	size := bytesText(pages * float64(p.Model.BlockSize))
	table, index := a.Relation.SQL(), x.SQL()
	switch methodOf(x) {
	case "gin":
		return []finding.Action{
			{SQL: true, Do: fmt.Sprintf("select gin_clean_pending_list(%s);", regclass(index)),
				Cost: "moves the pending entries now, in your time instead of the vacuum's; run it by a schedule after bulk writes"},
			{SQL: true, Do: fmt.Sprintf("alter index %s set (fastupdate = off);", index),
				Cost: "each write pays for its own entries at once: steadier, and dearer per row"},
		}
	case "hnsw":
		return []finding.Action{
			{SQL: true, Do: fmt.Sprintf("reindex index concurrently %s;", index),
				Cost: fmt.Sprintf("after a large delete, before the vacuum: the new graph has no dead elements to repair (pgvector advises it); %s of free disk beside the old index at most; cannot run inside a transaction block", size)},
			{Do: fmt.Sprintf("Else remove in fewer, larger passes: raise autovacuum_vacuum_threshold of %s, or vacuum it at quiet hours. An element is repaired once per pass, however many of its neighbours are gone.", table),
				Cost: "dead rows stay longer: watch heap fetches and the size of the table"},
		}
	}
	return []finding.Action{{Do: fmt.Sprintf("Look during the next vacuum of %s which index it stands at (pg_stat_progress_vacuum, 17 and later), and collect pg_stat_user_indexes with amname: the access method decides the remedy.", table)}}
}
