package signature

import (
	"encoding/json"
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
)

var clientTime = &Signature{
	ID: "PGA310", Name: "client-or-serialization-time", Max: finding.Warning,
	Felt: "A query is over in the server long before its caller has the answer",
	What: "The statement takes much longer than its plan: the rest is formatting the rows, sending them, or waiting for the client to take them.",
	Why: "The plan's nodes end when a row is produced. The row is then turned into text and sent; a client that reads slowly, or fetches in portions, keeps the server waiting. " +
		"Large values (TOAST) are fetched and decompressed only there.",
	Fix: "Select fewer columns and rows, fetch in larger portions, read results faster, use the binary format, and look at the network between client and server. " +
		"The plan itself needs no tuning.",
	Verify: "The logged duration comes near the plan's time; EXPLAIN (ANALYZE, SERIALIZE) of 17 and later shows what formatting takes.",
	Needs: []Need{{"P", "plans with times together with the logged duration of the same execution (auto_explain and log_min_duration_statement), " +
		"or EXPLAIN (ANALYZE, SERIALIZE)"}},
	Silent: []string{"writes, whose duration holds the commit", "time in triggers", "planning of statements sent as text, where that is known"},
	Thresholds: planLimits(
		Threshold{"min_share", 0.5, "of the duration", "that the plan does not explain"},
		Threshold{"min_rows", 100, "rows", "returned: fewer are no load for a client"},
	),
	Detect: detectClientTime,
}

func detectClientTime(p *Pass) {
	usable := func(c *planCase) bool {
		_, ok := c.outsideTime()
		return ok
	}
	p.detectPlans(usable, "no plans with times together with a logged duration of the same execution, and no EXPLAIN (SERIALIZE), in input", func(c *planCase) []planSpot {
		o, _ := c.outsideTime()
		f := &c.Plan.Figures
		if f.IsWrite || o.gap() < p.limit("min_share")*o.whole || f.Rows.Float() < p.limit("min_rows") && o.serialize == 0 {
			return nil
		}
		s := c.at(0)
		s.Subject.Relation, s.Subject.Index = "", ""
		s.Cost, s.Of, s.Lost, s.Outside = o.gap(), o.whole, o.gap(), true
		if ms := c.log.ms; len(ms) >= minTypical { // a stall of one execution is not sending
			s.Lost = min(s.Lost, stats.Median(ms))
		}
		s.Effect = ratio(o.whole, o.whole-o.gap())
		s.Tell = func(f *finding.Finding) { c.tellClient(f, &o) }
		return []planSpot{s}
	})
}

// outsideTree is the time of an execution that its plan does not explain, in ms.
type outsideTree struct {
	whole     float64 // duration
	plan      float64 // the tree, and what ran beside it
	executor  float64 // executor's time beyond the tree: sending rows
	around    float64 // duration line beyond the executor: median over the pairs
	serialize float64 // as EXPLAIN (SERIALIZE) tells
	pairs     int
}

func (o *outsideTree) gap() float64 { return max(0, o.whole-o.plan) }

// outsideTime tells what is known of the time outside the tree. auto_explain's
// duration is the executor's, in which rows are also sent; the duration line
// adds parsing, planning and the end of the transaction.
func (c *planCase) outsideTime() (outsideTree, bool) {
	var o outsideTree
	if !c.Timed {
		return o, false
	}
	for i := range c.Plan.Nodes {
		if i == 0 || c.Figures[i].Outside {
			o.plan += c.Figures[i].Inclusive
		}
	}
	after := c.afterTriggers()
	for k := range c.Plan.Triggers {
		if after[k] == triggerAfter {
			o.plan += c.Plan.Triggers[k].Time.Milliseconds()
		}
	}
	if ms, ok := c.serialization(); ok {
		o.serialize = ms
		o.whole = o.plan + ms
		return o, true
	}
	if o.pairs = len(c.log.around); o.pairs == 0 {
		return o, false
	}
	o.around = stats.Median(c.log.around)
	executor := c.Example.Duration.Milliseconds()
	o.executor = max(0, executor-o.plan)
	o.whole = max(executor, o.plan) + o.around
	return o, true
}

// serialization is the time of EXPLAIN (SERIALIZE) in ms.
func (c *planCase) serialization() (float64, bool) {
	text, ok := detail(c.Plan.Extra, "Serialization")
	if !ok {
		return 0, false
	}
	var s struct{ Time *float64 }
	if json.Unmarshal([]byte(text), &s) == nil {
		if s.Time == nil {
			return 0, false
		}
		return *s.Time, true
	}
	return millisecondsAfter(text, "time=")
}

func (c *planCase) tellClient(f *finding.Finding, o *outsideTree) {
	gap := o.gap()
	f.Title = fmt.Sprintf("%s of the statement's time is not in its plan", percent(gap/max(o.whole, 0.001)))
	f.Summary = fmt.Sprintf("Of %s ms the plan explains %s. The rest is formatting and sending %s rows, and waiting for the client.",
		num(o.whole), num(o.plan), counted(c.Plan.Figures.Rows.Float()))
	f.Figures = []finding.Figure{
		{What: "time of the whole", Value: o.whole, Unit: "ms", Text: num(o.whole) + " ms"},
		{What: "time of the plan", Value: o.plan, Unit: "ms", Text: num(o.plan) + " ms", Limit: "at least half of the whole"},
	}
	if o.serialize > 0 {
		f.Figures = append(f.Figures, finding.Figure{What: "serialization", Value: o.serialize, Unit: "ms", Text: num(o.serialize) + " ms", Says: "without sending"})
	}
	if o.pairs > 0 {
		f.Figures = append(f.Figures,
			finding.Figure{What: "executor beyond the plan's nodes: sending rows", Value: o.executor, Unit: "ms", Text: num(o.executor) + " ms"},
			finding.Figure{What: "duration beyond the executor, median", Value: o.around, Unit: "ms",
				Text: fmt.Sprintf("%s ms of %s", num(o.around), plural(o.pairs, "pair")), Says: "parsing, planning, fetching in portions"})
	}
	f.Actions = []finding.Action{
		{Do: "Select only the columns and rows that are used; leave large text, jsonb and bytea columns out where they are not read."},
		{Do: "Let the client read faster: larger fetch size, no work per row while the result is open, fewer round trips, a client nearer to the server."},
	}
	f.WillNotHelp = []string{"Indexes, work_mem or VACUUM: they shorten the plan, which is not what takes the time."}
	f.Verify = []string{"EXPLAIN (ANALYZE, SERIALIZE) (17 and later) separates formatting from sending; psql's \\timing with \\o /dev/null separates the client from the network."}
}
