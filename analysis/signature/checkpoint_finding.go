package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func (c *checkpoints) finding(p *Pass, l *serverLog) finding.Finding {
	f := finding.Finding{
		Subject: finding.Subject{Event: "checkpoints because of WAL"},
		Title:   fmt.Sprintf("Checkpoints come every %s because of WAL, instead of every %s", span(c.interval), span(c.timeout)),
		Effect:  c.timeout / c.interval,
		Share:   min(1, c.busy/max(c.span, 1)),
		Figures: c.figures(p),
		Actions: c.actions(),
		WillNotHelp: []string{
			"a longer checkpoint_timeout: they do not come by time",
			"a smaller shared_buffers or a busier bgwriter: the WAL is what starts them",
		},
		Verify: []string{"pgassay on a later log: checkpoint starting: time",
			"select * from pg_stat_checkpointer (before 17 pg_stat_bgwriter): requested checkpoints do not rise"},
		Notes: []string{"share is that of the time observed in which checkpoints came so"},
	}
	cause := c.places(&f, l)
	size, fits := c.sizeFits()
	if cause {
		size = f.Onset.Event
	}
	f.RuledOut = []finding.RuledOut{c.asked(), c.loads()}
	steady := c.distance > 0
	f.Confidence = confidenceOf(len(c.byWAL) > 0, cause || fits, steady)
	f.WhyConfidence = "equation: " + yes(len(c.byWAL) > 0, "the log gives WAL as the cause", "counters only: somebody may have asked for them") +
		"; event: " + yes(cause || fits, size, "no change of a parameter before them, and max_wal_size is not in the input or does not fit") +
		"; control: " + yes(steady, "each comes after the same amount of WAL", "no distance in the log")
	f.Summary = fmt.Sprintf("%s started because of WAL and %d by time in %s, one every %s (median); checkpoint_timeout is %s. ", plural(c.n, "checkpoint"), c.timed, span(c.span), span(c.interval), span(c.timeout))
	if c.distance > 0 {
		f.Summary += fmt.Sprintf("Each comes after %s of WAL, %s a second. ", bytesText(c.distance), bytesText(c.rate))
	}
	f.Summary += "After each the first change of a page writes the whole page to the WAL once more."
	f.N = plural(c.n, "checkpoint") + " because of WAL"
	return f
}

// sizeFits holds the distance against max_wal_size: the mechanism's equation
// with the configured value.
func (c *checkpoints) sizeFits() (string, bool) {
	mb, ok := c.m.SettingInt("max_wal_size")
	if !ok || c.distance == 0 {
		return "", false
	}
	at := float64(mb) * (1 << 20) / (1 + c.target)
	if c.distance < 0.6*at || c.distance > 1.4*at {
		return "", false
	}
	return fmt.Sprintf("max_wal_size of %s starts one after %s", bytesText(float64(mb)*(1<<20)), bytesText(at)), true
}

// places fills evidence and onset; it reports whether a changed parameter
// explains the onset.
func (c *checkpoints) places(f *finding.Finding, l *serverLog) bool {
	if len(c.byWAL) == 0 {
		if c.counter != nil {
			f.Evidence = []finding.Evidence{{What: "worst", Pos: c.counter.Pos, Time: c.counter.To, Value: float64(c.counter.N), Unit: "requested checkpoints"}}
		}
		return false
	}
	f.Evidence = eventPlaces(c.byWAL, nil)
	for i := range f.Evidence {
		f.Evidence[i].Excerpt = "checkpoint starting: " + f.Evidence[i].Excerpt
	}
	first := c.byWAL[0]
	f.Onset = &finding.Onset{Time: first.LogTime, EventTime: first.LogTime, EventPos: first.Pos, Event: "the first of them", End: record.NoTime}
	last := c.byWAL[len(c.byWAL)-1].LogTime
	if last.Add(record.Duration(c.timeout)*record.Second) < l.To {
		f.Onset.End = last
	}
	for _, e := range l.all(record.EventParameterChanged) {
		if e.Object == "max_wal_size" && e.LogTime <= first.LogTime && first.LogTime.Sub(e.LogTime).Seconds() <= c.timeout {
			f.Onset.Event, f.Onset.EventTime, f.Onset.EventPos = eventText(e), e.LogTime, e.Pos
			f.Onset.Lag = first.LogTime.Sub(e.LogTime)
			f.Evidence = append(f.Evidence, finding.Evidence{What: "event", Pos: e.Pos, Time: e.LogTime, Excerpt: eventText(e)})
			return true
		}
	}
	return false
}

func (c *checkpoints) figures(p *Pass) []finding.Figure {
	fs := []finding.Figure{
		{What: "checkpoints because of WAL", Value: float64(c.n), Unit: "checkpoints", Limit: ">= " + num(p.limit("least")), Says: fmt.Sprintf("%d by time", c.timed)},
		{What: "interval, median", Value: c.interval, Unit: "s", Text: span(c.interval), Limit: "below " + span(p.limit("interval")*c.timeout), Says: times(c.timeout/c.interval) + " as often"},
	}
	if c.distance > 0 {
		fs = append(fs, finding.Figure{What: "WAL from one to the next", Value: c.distance, Unit: "bytes", Text: bytesText(c.distance)},
			finding.Figure{What: "WAL a second", Value: c.rate, Unit: "bytes/s", Text: bytesText(c.rate), Indent: true})
	}
	if want := c.wanted(); want > 0 {
		fs = append(fs, finding.Figure{What: "max_wal_size for checkpoints by time", Value: want, Unit: "bytes", Text: bytesText(want),
			Limit: fmt.Sprintf("WAL a second × %s × %s", span(c.timeout), num(1+c.target))})
	}
	var write, sync, longest record.Duration
	var buffers int64
	for _, e := range c.done {
		if k := e.Checkpoint; k != nil {
			write, sync, longest = write+k.Write, sync+k.Sync, max(longest, k.LongestSync)
			buffers += e.Count
		}
	}
	if len(c.done) > 0 {
		fs = append(fs,
			finding.Figure{What: "buffers written by checkpoints", Value: float64(buffers), Unit: "buffers", Text: fmt.Sprintf("%s (%s)", thousands(buffers), bytesText(float64(buffers)*float64(c.m.BlockSize)))},
			finding.Figure{What: "writing", Value: write.Seconds(), Unit: "s", Text: span(write.Seconds()), Indent: true},
			finding.Figure{What: "syncing", Value: sync.Seconds(), Unit: "s", Text: span(sync.Seconds()), Says: "longest file " + span(longest.Seconds()), Indent: true})
	}
	return fs
}

// asked asks whether somebody requested them.
func (c *checkpoints) asked() finding.RuledOut {
	const rival = "checkpoints that somebody asked for"
	if len(c.byWAL) == 0 {
		return notMeasurable(rival, "the counters hold both kinds; log_checkpoints = on tells")
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%d of %d starts in the log name WAL as their cause", len(c.byWAL), len(c.starts))}
}

// loads asks whether it was one short load.
func (c *checkpoints) loads() finding.RuledOut {
	const rival = "one short load"
	share := c.busy / max(c.span, 1)
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("they come so for %s of %s", percent(min(1, share)), span(c.span))}
	if share < 0.1 {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

func (c *checkpoints) actions() []finding.Action {
	want := c.wanted()
	if want == 0 {
		return []finding.Action{{Do: "Set log_checkpoints = on and run pgassay on the log: it computes max_wal_size from the WAL of each checkpoint.", Cost: "one line per checkpoint"}}
	}
	out := []finding.Action{{SQL: true, Do: fmt.Sprintf("alter system set max_wal_size = '%dMB'", int64(want)>>20),
		Cost: fmt.Sprintf("then select pg_reload_conf(); pg_wal may take that much disk; recovery after a crash replays up to %s of WAL", bytesText(want/(1+c.target)))}}
	if want > 64<<30 {
		out = append(out, finding.Action{Do: "If that is more disk than there is: find what writes so much WAL first (PGA505).", Cost: "no change to the database"})
	}
	return append(out, finding.Action{SQL: true, Do: "alter system set wal_compression = on", Cost: "then reload; whole pages in the WAL get smaller, for some CPU"})
}
