package signature

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// tempFileStorm is PGA504.
var tempFileStorm = &Signature{
	ID: "PGA504", Name: "temp-file-storm", Max: finding.Critical,
	Felt: "Queries are slow and the disk fills for a while",
	What: "A statement writes temporary files, again and again, far more than is usual on this server.",
	Why: "A sort, hash or materialization that needs more than work_mem goes to disk. One statement that does so now and then costs itself; " +
		"many at once push pages out of the cache, fill the disk and slow everybody's I/O.",
	Fix:    "Give that statement the memory, or less to sort: an index in the order it wants, fewer columns, a LIMIT that can stop early. work_mem for its role or function, not for all.",
	Verify: "With log_temp_files = 0 no file of this statement is logged; pg_stat_database.temp_bytes rises slower.",
	Needs:  []Need{needLog},
	Silent: []string{"temporary files at a steady rate", "an index build or a load once", "files of a few megabytes now and then"},
	Thresholds: append(burstThresholds(5, "files"),
		Threshold{"floor", 256 << 20, "bytes", "in the burst below which the finding stays info"}),
	Detect: detectTempFileStorm,
}

func detectTempFileStorm(p *Pass) {
	l := serverLogOf(p)
	on, known := p.Model.SettingInt("log_temp_files")
	switch {
	case l == nil:
		p.Lacks(lacksLog, "add the server log with log_temp_files = 0")
		return
	case len(l.all(record.EventTempFile)) == 0 && !(known && on >= 0):
		p.Lacks("no temporary files in input, and log_temp_files is not known to be on", "set log_temp_files = 0 and add pg_settings")
		return
	}
	limits := p.burstLimits()
	for _, g := range l.tempFiles() {
		list := l.bursts(g.events, limits)
		if b := worstBurst(list); b != nil {
			s := tempStorm{l: l, group: g, burst: b, list: list}
			p.Report(s.finding(limits), s.bytes() < p.limit("floor"))
		}
	}
}

// tempGroup is the temporary files of one statement; nil of those whose
// statement is not known.
type tempGroup struct {
	statement *record.Statement
	events    []*record.Event
}

func (l *serverLog) tempFiles() []*tempGroup {
	byKey := map[string]*tempGroup{}
	var out []*tempGroup
	for _, e := range l.all(record.EventTempFile) {
		key := ""
		if e.Statement != nil {
			key = e.Statement.Fingerprint
		}
		g := byKey[key]
		if g == nil {
			g = &tempGroup{statement: e.Statement}
			byKey[key] = g
			out = append(out, g)
		}
		g.events = append(g.events, e)
	}
	slices.SortStableFunc(out, func(a, b *tempGroup) int { return cmp.Compare(a.key(), b.key()) })
	return out
}

func (g *tempGroup) key() string {
	if g.statement == nil {
		return ""
	}
	return g.statement.Fingerprint
}

type tempStorm struct {
	l     *serverLog
	group *tempGroup
	burst *burst
	list  []burst
}

func (s *tempStorm) bytes() float64 {
	sum := 0.0
	for _, e := range s.burst.Events {
		sum += float64(e.Count)
	}
	return sum
}

// largest is the biggest file of the burst.
func (s *tempStorm) largest() *record.Event {
	return slices.MaxFunc(s.burst.Events, func(a, b *record.Event) int { return cmp.Compare(a.Count, b.Count) })
}

func (s *tempStorm) finding(limits burstLimits) finding.Finding {
	b, g := s.burst, s.group
	name := "statements that the log does not name"
	var subject finding.Subject
	if g.statement != nil {
		name = shorten(g.statement.Normalized, 80)
		subject = finding.Subject{Fingerprint: g.statement.Fingerprint, Statement: g.statement.Normalized}
	} else {
		subject.Event = "temporary files"
	}
	subject.Database = oneOf(b.Events, func(e *record.Event) string { return e.Database })
	apps := s.l.tally(b.Events)
	f := finding.Finding{
		Subject:     subject,
		Title:       fmt.Sprintf("%s in %s temporary files in %s, by %s", bytesText(s.bytes()), thousands(int64(len(b.Events))), b.lasted(), name),
		Onset:       &finding.Onset{Time: b.from(), EventTime: b.from(), EventPos: b.Events[0].Pos, Event: "the first of these files", End: b.to()},
		Evidence:    s.places(),
		Effect:      b.ratio(),
		Figures:     append(b.figures(limits, "files"), s.figures()...),
		Notes:       furtherBursts(s.list, b),
		Actions:     s.actions(),
		WillNotHelp: []string{"a larger work_mem for all: it counts per sort, per process and per session", "a faster disk for the data: temporary files have their own, temp_tablespaces"},
		Verify:      []string{"select temp_files, temp_bytes from pg_stat_database where datname = current_database(); rise slower"},
		N:           fmt.Sprintf("%s of %s of this statement in the log", plural(len(b.Events), "file"), thousands(int64(len(g.events)))),
		Series:      []finding.Series{s.l.rateSeries("Temporary files come in a burst", "files", g.events, b)},
		Summary: fmt.Sprintf("From %s on %s temporary files, %s in all, came in %s; usual are %s in %s. %s", clock(b.from()), thousands(int64(len(b.Events))), bytesText(s.bytes()), b.lasted(),
			num(b.Usual), span(b.Slice.Seconds()), apps.sentence("They come from")),
	}
	if b.to().Add(b.Slice) >= s.l.To {
		f.Onset.End = record.NoTime
	}
	f.Share = s.share(&f)
	f.RuledOut = []finding.RuledOut{s.l.loadRival(b)}
	named, quiet := g.statement != nil, f.RuledOut[0].Verdict == finding.RuledOutVerdict
	f.Confidence = confidenceOf(true, named, quiet)
	f.WhyConfidence = "equation: " + times(b.ratio()) + " the usual rate; event: " + yes(named, "one statement writes them", "the log does not name the statement") +
		"; control: " + yes(quiet, "there were not simply more statements", "the rate of all statements is not known or rose too")
	return f
}

func (s *tempStorm) places() []finding.Evidence {
	out := eventPlaces(s.burst.Events, s.largest())
	for i := range out {
		e := s.burst.Events[0]
		switch out[i].What {
		case "worst":
			e = s.largest()
		case "latest":
			e = s.burst.Events[len(s.burst.Events)-1]
		}
		out[i].Value, out[i].Unit, out[i].Excerpt = float64(e.Count), "bytes", e.Object
	}
	return out
}

func (s *tempStorm) figures() []finding.Figure {
	fs := []finding.Figure{
		{What: "written in the burst", Value: s.bytes(), Unit: "bytes", Text: bytesText(s.bytes())},
		{What: "largest file", Value: float64(s.largest().Count), Unit: "bytes", Text: bytesText(float64(s.largest().Count)), Indent: true},
	}
	if inferred := tallyOf(s.burst.Events, func(e *record.Event) string {
		if e.Inferred {
			return "inferred"
		}
		return ""
	}); len(inferred.names) > 0 {
		fs = append(fs, finding.Figure{What: "of them by the session's execution at that time, not by a STATEMENT line", Value: float64(inferred.counts["inferred"]), Unit: "files"})
	}
	if v, ok := s.l.m.Setting("work_mem"); ok {
		fs = append(fs, finding.Figure{What: "work_mem", Text: v.Value + " " + v.Unit, Says: "in pg_settings; the session may set another"})
	}
	return fs
}

// share is the statement's share of the server time of the log; without that,
// the share of its time that is loud.
func (s *tempStorm) share(f *finding.Finding) float64 {
	if s.group.statement != nil && !s.l.m.Logging.Censored() {
		if share, ok := shareOf(s.l.m, func(st *dataset.Statement) bool { return st.Fingerprint == s.group.key() }); ok && share > 0 {
			return share
		}
	}
	f.Notes = append(f.Notes, "the log does not hold all durations: share is that of its time")
	return s.burst.loudShare()
}

// mostWorkMem is the largest work_mem that is advised for one statement.
const mostWorkMem = 1 << 30

// workMem is the memory, in MB, that keeps the largest file in memory: a sort
// takes about twice in memory what its file takes, since each row has a header
// and a pointer (tuplesort.c). A power of two.
func (s *tempStorm) workMem() int64 {
	return int64(math.Exp2(math.Ceil(math.Log2(max(1, 2*float64(s.largest().Count)/(1<<20))))))
}

func (s *tempStorm) actions() []finding.Action {
	var out []finding.Action
	if s.group.statement != nil {
		out = append(out, finding.Action{SQL: true, Do: "explain (analyze, buffers) " + s.group.statement.Normalized, Cost: "runs the statement; the node with Disk or with more than one batch is the one, and PGA304 computes what it needs"})
	}
	if mb := s.workMem(); mb<<20 <= mostWorkMem {
		out = append(out, finding.Action{SQL: true, Do: fmt.Sprintf("set local work_mem = '%dMB'", mb),
			Cost: "inside the transaction of this statement only: that much memory for each sort or hash of each of its processes, " + bytesText(float64(mb<<20)*float64(s.concurrent())) + " if as many run as at the worst"})
	} else {
		out = append(out, finding.Action{Do: "The files are too large for memory: give the statement fewer rows or columns, or an index in the order it sorts by.", Cost: "an index costs its size and every write"})
	}
	return append(out, finding.Action{SQL: true, Do: "alter system set temp_file_limit = '10GB'", Cost: "then reload: a statement that writes more fails with SQLSTATE 53400 instead of filling the disk"})
}

// concurrent counts the processes that wrote files in the worst slice.
func (s *tempStorm) concurrent() int {
	seen := map[int32]bool{}
	for _, e := range s.burst.Events {
		if d := e.LogTime.Sub(s.burst.Worst.LogTime); d >= 0 && d < s.burst.Slice {
			seen[e.ProcessID] = true
		}
	}
	return max(1, len(seen))
}
