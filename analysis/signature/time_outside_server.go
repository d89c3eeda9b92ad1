package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
)

// outsideShare is the server's share of a request's wall time below which the
// database is not the bottleneck.
const outsideShare = 0.25

// timeOutsideServer is PGA403.
var timeOutsideServer = &Signature{
	ID: "PGA403", Name: "time-outside-the-server", Max: finding.Critical,
	Felt:   "Requests are slow, and no query of theirs is",
	What:   "A request spends most of its time outside the database server.",
	Why:    "Between two statements of a request the server waits for the client: network, driver and the application's own work.",
	Fix:    "Profile the client; send fewer statements per request.",
	Verify: "The server's share of the wall time rises while the wall time falls.",
	Needs:  []Need{needDurations},
	Silent: []string{
		"requests in which the server does the work",
		"batch jobs that write row by row: their work is needed, so they stay info",
		"think time after a request, and sessions whose requests are single statements",
		"a log that holds only a part of the statements",
	},
	Thresholds: []Threshold{
		{"share", outsideShare, "", "server time ÷ wall time of all requests, at or above which nothing is reported"},
		{"requests", 20, "", "requests, at least"},
		{"wall", 20, "ms", "median wall time of a request, at least"},
	},
	Detect: detectTimeOutsideServer,
}

func detectTimeOutsideServer(p *Pass) {
	s, ok := surveyOf(p)
	if !ok {
		return
	}
	timed, plans := 0, 0
	for _, g := range s.groups {
		switch {
		case g.interleaved:
			continue
		case g.plansOnly:
			plans++
			continue
		}
		timed++
		if !g.dominant {
			continue
		}
		o := outsideOf(g)
		if o.share < p.limit("share") && float64(len(g.requests)) >= p.limit("requests") && o.p50 >= p.limit("wall") {
			p.Report(o.finding(p.limit("share")), g.isWrite())
		}
	}
	switch {
	case timed > 0 || len(s.groups) == 0:
	case plans > 0:
		p.Lacks("durations of parse, bind and execute, only those of plans", "set log_min_duration_statement = 0")
	default:
		p.Lacks("session that holds one request at a time", "log the application's own connections, not a pooler's")
	}
}

// outside is a group's time inside and outside the server.
type outside struct {
	*fanOutGroup
	wall, server float64 // sums over all requests, ms
	share        float64
	p50          float64 // wall, ms
	trend        float64 // rank correlation of the share with time
}

func outsideOf(g *fanOutGroup) outside {
	o := outside{fanOutGroup: g}
	walls, shares, times := make([]float64, len(g.requests)), make([]float64, len(g.requests)), make([]float64, len(g.requests))
	for i := range g.requests {
		r := &g.requests[i]
		walls[i], times[i] = r.wall(), float64(r.start)
		shares[i] = r.server.Milliseconds() / walls[i]
		o.wall += walls[i]
		o.server += r.server.Milliseconds()
	}
	o.share = o.server / o.wall
	o.p50 = stats.Median(walls)
	o.trend = stats.Spearman(times, shares).R
	return o
}

func (o outside) finding(limit float64) finding.Finding {
	f := finding.Finding{
		Subject:  o.subject(),
		Title:    fmt.Sprintf("The database is not your bottleneck: it works for %s of the time a request of %s takes", percent(o.share), nameOr(o.name)),
		Summary:  o.summary(),
		Onset:    o.onset(),
		Figures:  o.figures(limit),
		RuledOut: append([]finding.RuledOut{o.serverRival()}, o.rivals...),
		Evidence: o.places(func(r *request) float64 { return 100 * (1 - r.server.Milliseconds()/r.wall()) }, "% outside the server", "above "+percent(1-limit)),
		Actions: []finding.Action{{Do: "profile the client between the statements of a request: driver, object mapping, its own locks, and the round trip (time select 1 on the same connection)",
			Cost: "no change to the database"}},
		WillNotHelp: o.notHelping(),
		Verify:      []string{fmt.Sprintf("run pgassay on a new log: the server's share of a request's wall time is above %s", percent(o.share))},
		Series:      []finding.Series{o.shareSeries()},
		N:           o.counts(),
		Effect:      o.wall / o.server,
		Share:       1 - o.share,
	}
	if o.server <= 0 {
		f.Effect = 0
	}
	if len(o.others) > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("requests hold %d more statements in the same loop", len(o.others)))
	}
	// The sum itself is the equation.
	f.Confidence, f.WhyConfidence = o.confidenceWith(true, "the durations sum to "+percent(o.share)+" of the requests")
	return f
}

func (o outside) summary() string {
	first, last := o.bottom(), o.top()
	s := fmt.Sprintf("Over %s requests of %s ms (median) the server parsed, bound and executed for %s of %s in all: %s. ",
		thousands(int64(len(o.requests))), num(o.p50), span(o.server/1000), span(o.wall/1000), percent(o.share))
	if len(o.levels) > 1 {
		s += fmt.Sprintf("With %s children a request it is %s, with %s it is %s. ", whole(first.n), percent(first.share()), whole(last.n), percent(last.share()))
	}
	return s + "The rest passes between the end of one statement and the arrival of the next, inside the request; think time after it is not counted."
}

func (o outside) figures(limit float64) []finding.Figure {
	out := []finding.Figure{{What: "server time ÷ wall time of requests", Value: o.share * 100, Unit: "%", Limit: "below " + percent(limit), Says: "explains"}}
	out = append(out, o.levelFigures(func(l requestLevel) string {
		return fmt.Sprintf("%s (%s ms of %s ms per request)", percent(l.share()), num(l.server/float64(l.requests)), num(l.wall/float64(l.requests)))
	})...)
	return append(out,
		finding.Figure{What: "share over time", Value: o.trend, Text: fmt.Sprintf("rank r %.2f", o.trend), Says: o.trendSays()},
		finding.Figure{What: "outside the server, per request", Value: (o.wall - o.server) / float64(len(o.requests)), Unit: "ms"},
		finding.Figure{What: "outside the server, per child", Value: (o.wall - o.server) / float64(o.children), Unit: "ms"},
		o.ownFigure())
}

func (o outside) trendSays() string {
	switch {
	case o.trend <= -grewRank:
		return "falls"
	case o.trend >= grewRank:
		return "rises"
	}
	return "steady"
}

func (o outside) serverRival() finding.RuledOut {
	return finding.RuledOut{Rival: "a slow server", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s ms of a request's %s ms", num(o.server/float64(len(o.requests))), num(o.wall/float64(len(o.requests))))}
}

// notHelping is computed: no server setting saves more than the server takes.
func (o outside) notHelping() []string {
	n := float64(len(o.requests))
	return []string{
		fmt.Sprintf("a server twice as fast saves at most %s ms of %s ms per request", num(o.server/n/2), num(o.wall/n)),
		"indexes, partitioning, shared_buffers, work_mem, faster disks, more CPU for the server, or search settings such as hnsw.ef_search",
	}
}

func (o outside) shareSeries() finding.Series {
	var wall, server []finding.Point
	for _, i := range thinRows(allRows(len(o.requests)), seriesPoints) {
		r := &o.requests[i]
		wall = append(wall, finding.Point{X: float64(r.start), Y: r.wall()})
		server = append(server, finding.Point{X: float64(r.start), Y: r.server.Milliseconds()})
	}
	return finding.Series{
		Name: fmt.Sprintf("The server works for %s of a request", percent(o.share)), Kind: finding.SeriesTime, YLabel: "per request",
		Columns: []finding.Column{{Name: "wall per request", Unit: "ms", Points: wall}, {Name: "server time per request", Unit: "ms", Points: server}},
	}
}
