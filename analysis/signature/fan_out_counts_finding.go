package signature

import (
	"fmt"
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

// reportCounted reports the loops that calls show where no log times requests;
// false if there are none.
func reportCounted(p *Pass) bool {
	loops := countedLoops(p)
	for _, l := range loops {
		f := l.finding(p)
		busy := l.time() / 1000 / l.totals.seconds
		p.Report(f, f.Share < p.limit("counted_share") || busy < p.limit("counted_busy"))
	}
	return len(loops) > 0
}

func (l *countedLoop) finding(p *Pass) finding.Finding {
	f := finding.Finding{
		Subject: finding.Subject{Database: l.child.Database, Fingerprint: l.child.Fingerprint, Statement: l.child.Normalized, Parent: l.parent.Fingerprint},
		Title:   fmt.Sprintf("For each run of another statement the application runs %s queries of the same kind, %s ms each", num(l.per()), num(l.mean())),
		Effect:  l.per(),
		Share:   l.share(p.Model),
		RuledOut: []finding.RuledOut{
			l.loadRival(), l.timerRival(),
			{Rival: "a slow statement", Verdict: finding.RuledOutVerdict, Figure: num(l.mean()) + " ms a call"},
			notMeasurable("wall time", "pg_stat_statements counts calls, not requests: no log of all durations with their session"),
		},
		Evidence: l.evidence(),
		WillNotHelp: []string{
			fmt.Sprintf("an index for it, or other planner settings: a call takes %s ms already", num(l.mean())),
			"tuning the statements with the longest mean time: this one is not among them",
			"more connections or a larger server: the calls of a request wait for each other",
		},
		Verify: []string{fmt.Sprintf("calls of the child ÷ calls of the parent in pg_stat_statements fall from %s to 1, and the child's rows per call rise to about %s",
			num(l.per()), num(l.per()*l.totals.childRows/l.totals.calls))},
		N: fmt.Sprintf("n = %s of pg_stat_statements, %s of the parent, %s of the child", plural(len(l.readings), "interval"),
			plural(int(l.totals.runs), "run"), plural(int(l.totals.calls), "call")),
		Confidence:    finding.Possible,
		WhyConfidence: "equation: " + l.equationText() + "; event and control: not measurable by counts alone",
	}
	f.Figures = l.figures(p, f.Share)
	f.Actions = l.actions()
	f.Summary = l.summary(p.Model, f.Share)
	f.Notes = []string{fmt.Sprintf("Each call costs a round trip and the client's own work besides. If both took 0.5 ms, a request would wait %s ms for its %s calls; the input does not tell the true figure.",
		num(0.5*l.per()), num(l.per())),
		"Effect is calls for each run of the parent; share is that of all time that pg_stat_statements counted."}
	return f
}

func (l *countedLoop) equationText() string {
	if l.eachRow {
		return fmt.Sprintf("calls of the child ÷ rows of the parent %s, in every interval", ratioText(l.totals.calls/l.totals.rows))
	}
	return fmt.Sprintf("calls of the child ÷ calls of the parent %.2f, a whole number, in every interval", l.per())
}

// share is the children's part of all counted time.
func (l *countedLoop) share(m *dataset.Model) float64 {
	var all float64
	from, to := l.readings[0].diff.From, l.readings[len(l.readings)-1].diff.To
	for _, s := range m.Statements {
		for _, d := range s.Diffs {
			if d.From >= from && d.To <= to {
				all += d.ExecTime
			}
		}
	}
	if all == 0 {
		return 0
	}
	return min(1, l.time()/all)
}

// meanRank is the child's place among all statements by mean time.
func (l *countedLoop) meanRank(m *dataset.Model) (rank, of int) {
	var means []float64
	for _, s := range m.Statements {
		var calls int64
		var ms float64
		for _, d := range s.Diffs {
			calls += d.Calls
			ms += d.ExecTime
		}
		if calls > 0 {
			means = append(means, ms/float64(calls))
		}
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(means)))
	return 1 + sort.Search(len(means), func(i int) bool { return means[i] <= l.mean() }), len(means)
}

func (l *countedLoop) summary(m *dataset.Model, share float64) string {
	s := fmt.Sprintf("%q runs %s times a second, %s times for each run of %q, whatever the load", shorten(l.child.Normalized, 80), num(l.totals.calls/l.totals.seconds),
		num(l.per()), shorten(l.parent.Normalized, 80))
	if l.eachRow {
		s += ": once for each row that the parent returns"
	}
	s += fmt.Sprintf(". It returns %s a call and takes %s ms, so no list of slow statements shows it", meanRows(l.totals.childRows/l.totals.calls), num(l.mean()))
	if rank, of := l.meanRank(m); of > 1 {
		s += fmt.Sprintf(" (by mean time it is number %d of %d)", rank, of)
	}
	s += fmt.Sprintf("; with %s of the counted time it is %s. ", percent(share), l.together())
	return s + "This is a loop in the application (N+1). How long a request waits for it is not measurable here: counts have no requests."
}

// together says whose share of the time it is.
func (l *countedLoop) together() string {
	switch n := len(l.others); n {
	case 0:
	case 1:
		return "the sum of calls that counts, together with 1 other child of the same parent"
	default:
		return fmt.Sprintf("the sum of calls that counts, together with %d other children of the same parent", n)
	}
	return "the sum of calls that counts"
}

func (l *countedLoop) figures(p *Pass, share float64) []finding.Figure {
	low, _, high := l.rate()
	out := []finding.Figure{{What: "calls of the child ÷ calls of the parent", Value: l.per(), Limit: fmt.Sprintf("at least %d", fanOutFactor), Says: "explains"}}
	if l.totals.rows > 0 {
		f := finding.Figure{What: "calls of the child ÷ rows of the parent", Value: l.totals.calls / l.totals.rows, Limit: "in [0.95, 1.05]", Says: "not one per row", Indent: true}
		if l.eachRow {
			f.Says = "one child per row"
		}
		out = append(out, f)
	}
	out = append(out,
		finding.Figure{What: "scatter around it ÷ scatter of independent statements", Value: l.noise, Limit: "at most " + num(countedNoise), Says: "tied to each other", Indent: true},
		finding.Figure{What: "runs of the parent", Value: l.totals.runs / l.totals.seconds, Unit: "runs/s", Text: fmt.Sprintf("%s to %s runs/s", num(low), num(high)), Says: "the load varies"},
		finding.Figure{What: "rows per call of the child", Value: l.totals.childRows / l.totals.calls, Unit: "rows/call", Limit: "at most " + num(p.limit("counted_rows"))},
		finding.Figure{What: "mean time of the child", Value: l.mean(), Unit: "ms", Limit: "below " + num(p.limit("counted_mean")), Says: "not slow itself"},
		finding.Figure{What: "share of the counted time", Value: 100 * share, Unit: "%", Limit: "from " + percent(p.limit("counted_share")) + " above info"},
		finding.Figure{What: "server time of the children", Value: l.time() / 1000 / l.totals.seconds, Unit: "cores", Limit: "from " + num(p.limit("counted_busy")) + " above info"})
	for _, o := range l.others {
		out = append(out, finding.Figure{What: "also for each run: " + shorten(o.child.Normalized, 60), Value: o.per(), Unit: "calls/run", Text: fmt.Sprintf("%s calls, %s ms each", num(o.per()), num(o.mean())), Indent: true})
	}
	return out
}

func (l *countedLoop) loadRival() finding.RuledOut {
	var independent float64
	for i := range l.readings {
		independent += l.per() * l.readings[i].runs * (1 + l.per())
	}
	n := float64(len(l.readings))
	return finding.RuledOut{Rival: "two statements that follow the same load", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("the calls miss their expected number by %s in an interval, those of independent statements would by %s",
			num(math.Sqrt(l.noise*independent/n)), num(math.Sqrt(independent/n)))}
}

func (l *countedLoop) timerRival() finding.RuledOut {
	low, _, high := l.rate()
	return finding.RuledOut{Rival: "a timer", Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("the parent runs %s to %s times a second, and the child with it", num(low), num(high))}
}

// evidence is the first, the busiest and the latest interval.
func (l *countedLoop) evidence() []finding.Evidence {
	place := func(what string, r *countedReading) finding.Evidence {
		return finding.Evidence{What: what, Pos: r.diff.Pos, Time: r.diff.To, Value: r.calls / r.seconds, Unit: "calls/s", Limit: fmt.Sprintf("%s runs/s of the parent", num(r.runs/r.seconds))}
	}
	worst := &l.readings[0]
	for i := range l.readings {
		if r := &l.readings[i]; r.calls/r.seconds > worst.calls/worst.seconds {
			worst = r
		}
	}
	return []finding.Evidence{place("first", &l.readings[0]), place("worst", worst), place("latest", &l.readings[len(l.readings)-1])}
}

func (l *countedLoop) actions() []finding.Action {
	cost := fmt.Sprintf("one change in the client; saves about %s of %s calls a second", num((l.totals.calls-l.totals.runs)/l.totals.seconds), num(l.totals.calls/l.totals.seconds))
	once := finding.Action{Do: askOnce(l.child), Cost: cost}
	if q, term, ok := (&fanOutGroup{child: l.child}).key(); ok {
		once = finding.Action{Do: q.atOnce(term), SQL: true, Cost: cost + "; pass all keys as one array of the column's type; read-only, no locks beyond the child's own"}
	}
	return []finding.Action{once,
		{Do: "In an ORM: load the association with the list (eager loading), and find the loop by the parent's statement in the code."},
		{Do: "To measure what a request waits for: log_min_duration_statement = 0 for some minutes with %m and %c in log_line_prefix, then run pgassay on that log.", Cost: "one line for each statement: look at the volume first"}}
}

// meanRows writes a mean of rows.
func meanRows(mean float64) string {
	if text := num(mean); text != "1" {
		return text + " rows"
	}
	return "one row"
}
