package signature

import (
	"fmt"
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var staleStatistics = &Signature{
	ID: "PGA213", Name: "stale-statistics", Max: finding.Warning,
	Felt: "A query is slow since much of its table changed",
	What: "The planner knows a table as it was before a bulk change: since its last analyze so many rows have changed that estimates of scans of it are wrong.",
	Why: "ANALYZE samples how many rows there are and which values they hold. After a load, a purge or an update of most rows, plans are made for the old table until the next " +
		"analyze: a value that is new is taken for rare, and a nested loop is chosen where a hash join belongs. Autovacuum analyzes up to a minute after the change at best, " +
		"never a partitioned parent, and not at all where it is off for the table.",
	Fix:    "ANALYZE right after the bulk change, in the same script. Autovacuum's analyze settings of the table, if changes come bit by bit.",
	Verify: "Planned and actual rows of the scan agree within a factor of a few; n_mod_since_analyze is near 0.",
	Needs:  []Need{needActual, needSnapshot},
	Silent: []string{
		"a wrong estimate with few rows changed since the last analyze: statistics that do not tell it (301)",
		"an error inside the rounding of the printed rows",
		"below a Limit, a semi join or a merge join, which stop early",
		"many rows changed and estimates that are right all the same",
	},
	Thresholds: []Threshold{
		{"min_ratio", 10, "x", "planned ÷ actual rows of a scan of the table or the reverse, at the nearest end of the rounding interval"},
		{"min_rows", 1000, "rows", "that the estimate is off by in one loop"},
		{"min_changed", 0.2, "of the rows", "changed since the last analyze"},
		{"min_cost", 0.2, "of the plan", "time of what was chosen for the wrong estimate"},
		{"floor_ms", 10, "ms", "of that time in one execution below which the finding stays info"},
	},
	Detect: detectStaleStatistics,
}

func detectStaleStatistics(p *Pass) {
	cases := planCases(p)
	plans, counted := false, false
	best := map[*dataset.Relation]*stale{}
	for _, c := range cases {
		plans = plans || c.executed(0)
		for i := range c.Plan.Nodes {
			r := c.knownRelation(c.relation(i))
			if r == nil || c.node(i).RelationName == "" {
				continue
			}
			counted = counted || countsChanges(r) && c.Example.Time.Known()
			if s := p.staleAt(c, i, r); s != nil && (best[r] == nil || s.weight() > best[r].weight()) {
				best[r] = s
			}
		}
	}
	switch {
	case !plans:
		p.Lacks("no plans with actual rows in input", addPlans)
		return
	case !counted:
		p.Lacks("no table snapshots with n_mod_since_analyze at the time of the plans in input", "pg_stat_user_tables with captured_at, while the plans are logged")
		return
	}
	var found []*stale
	for _, s := range best {
		found = append(found, s)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Relation.Name < found[j].Relation.Name })
	for _, s := range found {
		s.compare(p, cases)
		p.Report(s.finding(p), !s.chosen() || s.Choice.Cost < p.limit("floor_ms"))
	}
}

// countsChanges reports whether a capture tells how many rows changed since the
// last analyze.
func countsChanges(r *dataset.Relation) bool {
	n := len(r.Points)
	return n > 0 && (r.Points[0].ModSinceAnalyze.Known || r.Points[n-1].ModSinceAnalyze.Known)
}

// changesAt is the table's capture nearest to t, of those with the same last
// analyze as at t: before a later one, after an earlier one. nil if none tells how
// many rows changed.
func changesAt(r *dataset.Relation, t record.Time) *dataset.TablePoint {
	var best *dataset.TablePoint
	for i := range r.Points {
		q := &r.Points[i]
		if !q.ModSinceAnalyze.Known || !q.LiveTup.Known || !q.Time.Known() || !t.Known() {
			continue
		}
		if a := analyzedAt(q); q.Time > t && a.Known() && a > t {
			break
		}
		if best == nil || math.Abs(float64(q.Time-t)) < math.Abs(float64(best.Time-t)) {
			best = q
		}
	}
	if best == nil || best.Time < t && analyzedBetween(r, best.Time, t) {
		return nil
	}
	return best
}

// analyzedAt is when the table was last analyzed, as a capture tells.
func analyzedAt(p *dataset.TablePoint) record.Time {
	switch a, b := p.LastAnalyze, p.LastAutoanalyze; {
	case !a.Known():
		return b
	case !b.Known() || a > b:
		return a
	default:
		return b
	}
}

func analyzedBetween(r *dataset.Relation, from, to record.Time) bool {
	for _, a := range r.Analyzes {
		if a.End > from && a.End <= to {
			return true
		}
	}
	return false
}

// stale is a scan whose estimate is wrong while much of its table has changed.
type stale struct {
	Relation *dataset.Relation
	Case     *planCase
	Node     int
	Error    rowError
	Changed  *dataset.TablePoint // nearest to the plan
	Choice   badChoice           // what was chosen for it; Node −1 if nothing dear
	After    *planCase           // the statement after a later analyze; nil if not seen
	Better   float64             // factor of the error then
	Later    *dataset.Vacuum     // that analyze
}

func (s *stale) chosen() bool { return s.Choice.Node >= 0 }

// weight orders the places of one table.
func (s *stale) weight() float64 { return s.Case.Share*s.Choice.Cost + s.Error.Factor*1e-9 }

// staleAt judges node i of a plan, a scan of r.
func (p *Pass) staleAt(c *planCase, i int, r *dataset.Relation) *stale {
	e := c.rowError(i)
	off := math.Abs(e.Actual - e.Planned)
	if e.Factor < p.limit("min_ratio") || off < p.limit("min_rows") || c.stopsEarly(i) {
		return nil
	}
	at := changesAt(r, c.Example.Time)
	if at == nil {
		return nil
	}
	changed := float64(at.ModSinceAnalyze.N)
	if changed < p.limit("min_changed")*math.Max(1, float64(at.LiveTup.N)) || changed < off/2 {
		return nil
	}
	s := &stale{Relation: r, Case: c, Node: i, Error: e, Changed: at, Choice: badChoice{Node: -1}}
	if k, ok := c.consequence(&e, p.limit("min_cost")); ok {
		s.Choice = k
	}
	return s
}

// compare looks for the statement's plans after the next analyze of the table.
func (s *stale) compare(p *Pass, cases []*planCase) {
	for _, a := range s.Relation.Analyzes {
		if a.End > s.Case.Example.Time {
			s.Later = a
			break
		}
	}
	if s.Later == nil {
		return
	}
	for _, c := range cases {
		if c.Statement != s.Case.Statement || c.Example.Time < s.Later.End {
			continue
		}
		worst := 0.0
		for i := range c.Plan.Nodes {
			if c.knownRelation(c.relation(i)) == s.Relation && c.node(i).RelationName != "" && c.executed(i) {
				e := c.rowError(i)
				if c.stopsEarly(i) {
					e.Factor = 1
				}
				worst = max(worst, e.Factor)
			}
		}
		if worst > 0 && (s.After == nil || worst < s.Better) {
			s.After, s.Better = c, worst
		}
	}
}

// bulk is the capture that shows the largest rise of the rows changed since the
// last analyze, up to the plan, and that rise; nil if the captures begin after it.
func (s *stale) bulk() (p *dataset.TablePoint, rows float64) {
	points := s.Relation.Points
	for i := 1; i < len(points); i++ {
		a, b := &points[i-1], &points[i]
		if !b.Time.Known() || a.Time > s.Changed.Time {
			break
		}
		if n := rise(a.ModSinceAnalyze, b.ModSinceAnalyze); n > rows {
			p, rows = b, n
		}
	}
	return p, rows
}

// gain is how many times as long the plan took before the analyze as after it; 0
// if there is no plan after it.
func (s *stale) gain() float64 {
	if s.After == nil || s.After.Total <= 0 {
		return 0
	}
	return s.Case.Total / s.After.Total
}

func (s *stale) analyzedText() string {
	if a := analyzedAt(s.Changed); a.Known() {
		return "last analyzed at " + clock(a)
	}
	return fmt.Sprintf("never analyzed since its statistics are counted (%s)", s.Relation.Name)
}
