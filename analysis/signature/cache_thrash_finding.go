package signature

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func (c *cache) finding(p *Pass) finding.Finding {
	first, last := &c.after()[0], &c.readings[len(c.readings)-1]
	worst := slices.MaxFunc(c.after(), func(a, b cacheReading) int { return cmp.Compare(a.share(), b.share()) })
	sizeBefore, size := c.size(c.readings[0].To), c.size(last.To)
	place := func(what string, r *cacheReading) finding.Evidence {
		return finding.Evidence{What: what, Pos: r.Pos, Time: r.To, Value: 100 * r.share(), Unit: "% of blocks read"}
	}
	f := finding.Finding{
		Subject:  finding.Subject{Database: c.name, Event: "shared_buffers"},
		Title:    fmt.Sprintf("The cache no longer holds what %s touches: %s of its blocks are read, %s before", c.name, percent(c.step.After), percent(c.step.Before)),
		Onset:    &finding.Onset{Time: first.From, EventTime: first.From, EventPos: first.Pos, Event: "the read share rises", End: record.NoTime},
		Evidence: []finding.Evidence{place("first", first), place("worst", &worst), place("latest", last)},
		Effect:   c.step.After / max(c.step.Before, p.limit("reads")/p.limit("ratio")),
		Share:    c.step.After,
		Figures:  c.figures(p, sizeBefore, size),
		RuledOut: []finding.RuledOut{c.restart(), c.load(), c.sameWork()},
		Actions:  c.actions(size),
		WillNotHelp: []string{
			"effective_cache_size: it is an estimate for the planner and allocates nothing",
			"more work_mem or connections: they take memory from the cache",
		},
		Verify: []string{"select blks_hit, blks_read from pg_stat_database where datname = '" + c.name + "'; twice: the difference reads at most " + percent(max(c.step.Before, 0.001))},
		N:      fmt.Sprintf("%d readings before, %d after", c.step.N, c.step.M),
		Notes:  []string{"share is that of the blocks touched; a read may still come from the operating system's cache"},
		Series: []finding.Series{c.series(first.From)},
	}
	f.Confidence, f.WhyConfidence = c.confidence(sizeBefore, size)
	f.Summary = fmt.Sprintf("Until %s %s of the blocks that %s touched were read; since then %s, %s blocks a second. ", clock(first.From), percent(c.step.Before), c.name, percent(c.step.After), num(c.readRate(c.after())))
	if !math.IsNaN(sizeBefore) {
		f.Summary += fmt.Sprintf("Meanwhile its size went from %s to %s; shared_buffers is %s.", bytesText(sizeBefore), bytesText(size), bytesText(c.buffers))
	}
	return f
}

func (c *cache) confidence(before, after float64) (finding.Confidence, string) {
	passed := after > c.buffers && before <= 1.2*c.buffers
	grew := after > 1.1*before
	same := c.sameWork().Verdict == finding.RuledOutVerdict
	why := "equation: " + yes(passed, "the data passed shared_buffers", "sizes and shared_buffers do not tell that the data passed it") +
		"; event: " + yes(grew, "the data grew while the read share rose", "no growth in the input") +
		"; control: " + yes(same, "statements touch as many blocks a call as before", "no statements before and after in input")
	return confidenceOf(passed, grew, same), why
}

func (c *cache) figures(p *Pass, before, after float64) []finding.Figure {
	fs := []finding.Figure{
		{What: "blocks read, of all touched, after", Value: 100 * c.step.After, Unit: "%", Limit: ">= " + percent(p.limit("reads")) + " and >= " + num(p.limit("ratio")) + " times before", Says: "explains", PValue: p.Test(c.step.P)},
		{What: "before", Value: 100 * c.step.Before, Unit: "%", Indent: true},
		{What: "read a second, after", Value: c.readRate(c.after()), Unit: "blocks/s", Says: bytesText(c.readRate(c.after())*float64(c.m.BlockSize)) + " a second"},
	}
	fs = append(fs, finding.Figure{What: "shared_buffers", Value: c.buffers, Unit: "bytes", Text: bytesText(c.buffers)})
	if !math.IsNaN(before) {
		fs = append(fs, finding.Figure{What: "size, first to last", Value: after, Unit: "bytes", Text: bytesText(before) + " to " + bytesText(after)})
	}
	return fs
}

// restart asks whether the cache was empty because the server had started.
func (c *cache) restart() finding.RuledOut {
	const rival = "a cold cache after a start"
	from := c.after()[0].From
	for i := range c.m.Events {
		e := &c.m.Events[i]
		if e.Kind == record.EventServerStart && e.LogTime >= c.readings[0].From && e.LogTime <= from {
			return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: "the server started at " + clock(e.LogTime)}
		}
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "the counters go on, and the read share does not fall again"}
}

// load asks whether there was simply more to do.
func (c *cache) load() finding.RuledOut {
	r := c.touched(c.after()) / max(c.touched(c.before()), 0.001)
	return finding.RuledOut{Rival: "more load", Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("blocks touched a second %s those of before; a share does not depend on it", times(r))}
}

// sameWork asks whether the statements touch more blocks than they did: then a
// plan, bloat or the load is behind it, not the cache.
func (c *cache) sameWork() finding.RuledOut {
	const rival = "statements that touch more blocks"
	from := c.after()[0].From
	var calls, blocks [2]float64
	for _, s := range c.m.Statements {
		for _, d := range s.Diffs {
			i := 0
			if d.From >= from {
				i = 1
			}
			calls[i] += float64(d.Calls)
			blocks[i] += float64(d.Buffers())
		}
	}
	if calls[0] == 0 || calls[1] == 0 || blocks[0] == 0 {
		return notMeasurable(rival, "no pg_stat_statements before and after in input")
	}
	r := (blocks[1] / calls[1]) / (blocks[0] / calls[0])
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: times(r) + " the blocks a call of before"}
	if r > 1.5 {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

func (c *cache) actions(size float64) []finding.Action {
	out := []finding.Action{{SQL: true, Do: "select query, calls, shared_blks_read, shared_blks_hit from pg_stat_statements order by shared_blks_read desc limit 10", Cost: "reads a view: what reads most is where fewer blocks help most"}}
	const step = 64 << 20
	want := math.Ceil(1.1*size/step) * step
	out = append(out, finding.Action{SQL: true, Do: fmt.Sprintf("alter system set shared_buffers = '%dMB'", int64(want)>>20),
		Cost: "a restart; holds all of today's data. Not more than about 40 % of the host's memory: if that is less, the pages in use must become fewer"})
	return append(out, finding.Action{SQL: true, Do: "select c.relname, count(*) * 8 / 1024 as mb from pg_buffercache b join pg_class c on b.relfilenode = pg_relation_filenode(c.oid) group by 1 order by 2 desc limit 10",
		Cost: "needs the extension pg_buffercache, reads every buffer's header: which relations fill the cache"})
}

func (c *cache) series(at record.Time) finding.Series {
	points := make([]finding.Point, 0, seriesPoints)
	for _, i := range thinRows(allRows(len(c.readings)), seriesPoints) {
		r := &c.readings[i]
		points = append(points, finding.Point{X: float64(r.To), Y: 100 * r.share()})
	}
	return finding.Series{Name: "The read share rises", Kind: finding.SeriesTime, YLabel: "blocks read",
		Columns: []finding.Column{{Name: "blocks read, of all touched", Unit: "%", Points: points}},
		Marks:   []finding.Mark{{Time: at, Text: "read share rises"}}}
}
