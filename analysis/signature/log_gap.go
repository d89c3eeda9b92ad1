package signature

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// logGap is PGA509.
var logGap = &Signature{
	ID: "PGA509", Name: "log-gap", Max: finding.Warning,
	Felt: "A part of the story is missing from the log",
	What: "A part of the log is missing, or its clock was set back.",
	Why: "A rotated file that was not handed over, a full disk, a shipper that lost lines or a collector that died leave a hole; everything that this report says of that time is then unknown, not healthy. " +
		"A clock that is set back, and files put together in a wrong order, mix two times: intervals and rates across the step are wrong.",
	Fix:    "Add the missing file. Look at the disk of the log, at the shipper and at log_filename, which must not name two files alike (log_truncate_on_rotation). Let time be slewed, not stepped.",
	Verify: "Run pgassay again with the missing file: the gap is gone.",
	Needs:  []Need{needLog, needSeries},
	Silent: []string{"nights and other silences as long as the usual ones", "a server that was down, or did nothing", "logs with few entries"},
	Thresholds: []Threshold{
		{"factor", 5, "times the usual", "that a silence must last: the upper quartile of the others, at least a minute"},
		{"entries", 100, "entries", "that the log's own rate would have written meanwhile, at least"},
	},
	Detect: detectLogGap,
}

func detectLogGap(p *Pass) {
	l := serverLogOf(p)
	if l == nil || len(p.Model.Stretches) == 0 {
		p.Lacks(lacksLog, "add the server log")
		return
	}
	gaps, rate := silences(p.Model)
	for i := range gaps {
		g := &gaps[i]
		g.usual, g.expected = usualSilence(gaps, i), rate*g.seconds()
		if g.seconds() < p.limit("factor")*g.usual || g.expected < p.limit("entries") || l.down(g) {
			continue
		}
		g.count(p.Model)
		if g.captures > 0 && g.commits == 0 {
			continue // the server did nothing
		}
		p.Report(g.finding(p, l), g.commits == 0)
	}
	l.reportClock(p)
}

// silence is a time without an entry in any log file.
type silence struct {
	before, after *record.Stretch
	from, to      record.Time
	usual         float64 // s
	expected      float64 // entries
	captures      int     // intervals between captures of pg_stat_database in it
	commits       int64   // transactions that they counted
	commitsFrom   record.Pos
}

func (g *silence) seconds() float64 { return g.to.Sub(g.from).Seconds() }

// silences are the times between the stretches, and the entries a second of the
// rest.
func silences(m *dataset.Model) ([]silence, float64) {
	var out []silence
	seconds, entries := 0.0, int64(0)
	for i := range m.Stretches {
		s := &m.Stretches[i]
		if i > 0 {
			before := &m.Stretches[i-1]
			out = append(out, silence{before: before, after: s, from: before.To, to: s.From})
		}
		seconds += s.To.Sub(s.From).Seconds()
		entries += s.Entries
	}
	return out, float64(entries) / max(seconds, 1)
}

// usualSilence is the upper quartile of the other silences, at least the one
// that ends a stretch.
func usualSilence(gaps []silence, without int) float64 {
	others := []float64{record.Silence.Seconds()}
	for i := range gaps {
		if i != without {
			others = append(others, gaps[i].seconds())
		}
	}
	return max(stats.Quantile(others, 0.75), record.Silence.Seconds())
}

// downSlack is how far from a silence its shutdown or its start may be logged.
const downSlack = 5 * record.Second

// down reports whether the server was down in the silence: the last that it told
// was that it ends, or the first that it starts.
func (l *serverLog) down(g *silence) bool {
	for _, e := range l.all(record.EventShutdown, record.EventCrash, record.EventServerStart) {
		before, after := max(g.from.Sub(e.LogTime), e.LogTime.Sub(g.from)), max(g.to.Sub(e.LogTime), e.LogTime.Sub(g.to))
		if before <= downSlack && e.Kind != record.EventServerStart || after <= downSlack && e.Kind != record.EventShutdown {
			return true
		}
	}
	return false
}

// count asks the captures inside the silence whether the server worked.
func (g *silence) count(m *dataset.Model) {
	for _, name := range databasesOf(m) {
		own := func(s *record.Sample) bool {
			n, _ := s.Text("datname")
			return n == name
		}
		for _, d := range m.Deltas(record.ViewDatabase, "xact_commit", own) {
			if d.From >= g.from && d.To <= g.to {
				g.captures++
				if g.commits == 0 {
					g.commitsFrom = d.Pos
				}
				g.commits += d.N
			}
		}
	}
}

func (g *silence) acrossFiles() bool { return g.before.Last.File != g.after.First.File }

func (g *silence) finding(p *Pass, l *serverLog) finding.Finding {
	where := "within " + path.Base(g.before.Last.File)
	fix := finding.Action{Do: "Look at what the disk, the shipper and the logging collector did at that time: the file goes on, the lines between are missing.", Cost: "none"}
	if g.acrossFiles() {
		where = "between " + path.Base(g.before.Last.File) + " and " + path.Base(g.after.First.File)
		fix = finding.Action{Do: "Add the log files between " + path.Base(g.before.Last.File) + " and " + path.Base(g.after.First.File) + ", and run pgassay again.", Cost: "none"}
	}
	f := finding.Finding{
		Subject: finding.Subject{Event: "gap " + where},
		Title:   fmt.Sprintf("The log tells nothing for %s, %s", span(g.seconds()), where),
		Summary: fmt.Sprintf("From %s to %s, for %s, no file has an entry; at the log's own rate there would be about %s. What happened then is not known: it is not healthy because nothing is reported.",
			clock(g.from), clock(g.to), span(g.seconds()), num(g.expected)),
		Onset: &finding.Onset{Time: g.from, EventTime: g.from, EventPos: g.before.Last, Event: "the last entry before", End: g.to},
		Evidence: []finding.Evidence{
			{What: "first", Pos: g.before.Last, Time: g.from, Excerpt: "the last entry before the gap"},
			{What: "latest", Pos: g.after.First, Time: g.to, Excerpt: "the first entry after it"},
		},
		Figures: []finding.Figure{
			{What: "silence", Value: g.seconds(), Unit: "s", Text: span(g.seconds()), Limit: ">= " + num(p.limit("factor")) + " times the usual"},
			{What: "usual, upper quartile of the others", Value: g.usual, Unit: "s", Text: span(g.usual), Indent: true},
			{What: "entries that the log's rate would have written", Value: g.expected, Unit: "entries", Limit: ">= " + num(p.limit("entries"))},
		},
		RuledOut:    []finding.RuledOut{{Rival: "a server that was down", Verdict: finding.RuledOutVerdict, Figure: "no shutdown before it and no start after it"}, g.idle()},
		Actions:     []finding.Action{fix},
		WillNotHelp: []string{"reading the counts and rates of this report as those of the whole time"},
		Verify:      []string{"pgassay on the completed log: no gap " + where},
		N:           "1 silence",
		Effect:      g.seconds() / g.usual,
		Share:       g.seconds() / max(l.Span().Seconds(), 1),
		Notes:       []string{"share is that of the time of the log"},
	}
	if g.commits > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{What: "control", Pos: g.commitsFrom, Time: g.from, Value: float64(g.commits), Unit: "transactions", Excerpt: "counted meanwhile"})
	}
	f.Confidence = confidenceOf(true, g.commits > 0, g.acrossFiles())
	f.WhyConfidence = "equation: longer than the usual silences; event: " + yes(g.commits > 0, "the server committed meanwhile", "no captures of pg_stat_database in the gap") +
		"; control: " + yes(g.acrossFiles(), "it lies between two files", "one file goes on across it")
	return f
}

// idle asks whether the server had simply nothing to do.
func (g *silence) idle() finding.RuledOut {
	const rival = "a server that did nothing"
	if g.captures == 0 {
		return notMeasurable(rival, "no captures of pg_stat_database in the gap")
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("it committed %s transactions meanwhile", thousands(g.commits))}
}

// reportClock tells of steps back of the clock, the longest of each file.
func (l *serverLog) reportClock(p *Pass) {
	byFile := map[string]*record.Stretch{}
	var files []string
	for i := range l.m.ClockSteps {
		s := &l.m.ClockSteps[i]
		worst := byFile[s.First.File]
		if worst == nil {
			files = append(files, s.First.File)
		}
		if worst == nil || s.Back > worst.Back {
			byFile[s.First.File] = s
		}
	}
	slices.SortFunc(files, cmp.Compare)
	for _, name := range files {
		p.Report(clockStepFinding(byFile[name]), true)
	}
}

func clockStepFinding(s *record.Stretch) finding.Finding {
	back := span(s.Back.Seconds())
	return finding.Finding{
		Subject:     finding.Subject{Event: "clock step in " + path.Base(s.First.File)},
		Title:       fmt.Sprintf("Time goes back by %s in %s", back, path.Base(s.First.File)),
		Summary:     fmt.Sprintf("An entry of a session is %s earlier than the one before it. Sessions write in order: the clock was set back, or files were put together in a wrong order. Rates and intervals across it are wrong.", back),
		Onset:       &finding.Onset{Time: s.From, EventTime: s.From, EventPos: s.First, Event: "the first entry after the step", End: record.NoTime},
		Evidence:    []finding.Evidence{{What: "first", Pos: s.First, Time: s.From, Value: s.Back.Seconds(), Unit: "s earlier"}},
		Figures:     []finding.Figure{{What: "step back", Value: s.Back.Seconds(), Unit: "s", Text: back, Limit: "<= 1 s"}},
		RuledOut:    []finding.RuledOut{hourRival(s.Back)},
		Actions:     []finding.Action{{Do: "Give the files to pgassay one by one, as the server wrote them. If the clock was stepped, let chrony or ntpd slew it; log with log_timezone = 'UTC'.", Cost: "none"}},
		WillNotHelp: []string{"sorting the lines by time: entries of several lines come apart"},
		Verify:      []string{"pgassay on the later log: no step"},
		N:           "1 step",
		Confidence:  finding.Likely, WhyConfidence: "equation: one session writes in order; event: missing: what set the clock; control: other sessions are not compared",
	}
}

// hourRival asks whether it is the end of summer time in a log without zone.
func hourRival(back record.Duration) finding.RuledOut {
	const rival = "the end of summer time"
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "the step is not an hour"}
	if d := back - hour; d > -60*record.Second && d < 60*record.Second {
		out.Verdict, out.Figure = finding.NotRuledOut, "the step is an hour"
	}
	return out
}
