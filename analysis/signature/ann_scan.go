package signature

import (
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// Defaults of pgvector 0.8: hnsw.ef_search, its greatest value, and
// hnsw.max_scan_tuples (its README, "Query options" and "Iterative index scans").
const (
	efSearchDefault      = 40
	efSearchMax          = 1000
	maxScanTuplesDefault = 20_000
)

// annScan is a scan of an HNSW index that gives rows by distance below a LIMIT.
type annScan struct {
	c    *planCase
	at   int
	Near distance
	// Want is the number of rows that the LIMIT asks of one loop, as planned: the
	// LIMIT, or the planner's estimate if that is less. Got is what came.
	Want, Got float64
	// Kept and Seen are, per loop, the rows that passed the filter and the
	// elements that the index gave.
	Kept, Seen float64
	EfSearch   annSetting
}

// annScan reads node i; false if it is no such scan.
func (c *planCase) annScan(i int) (annScan, bool) {
	n := c.node(i)
	a := annScan{c: c, at: i}
	if n.NodeType != "Index Scan" || !c.executed(i) || n.Parent < 0 || c.node(int(n.Parent)).NodeType != "Limit" {
		return a, false
	}
	key, _ := detail(n.Extra, "Order By")
	near, ok := readDistance(key, n.Alias)
	if !ok || !c.mayBeHNSW(i, &near) {
		return a, false
	}
	limit := c.node(int(n.Parent))
	a.Near = near
	a.Want, a.Got = limit.PlanRows, limit.ActualRows.Float()
	if near.Parameter && a.Got > 0 {
		a.Want = a.Got // a generic plan guesses at LIMIT $2: any number may have filled it
	}
	a.Kept = n.ActualRows.Float()
	a.Seen = a.Kept + float64(n.RowsRemovedFilter)
	a.EfSearch = c.annSetting("hnsw.ef_search", efSearchDefault)
	return a, limit.Has(record.HasActual|record.HasCosts) && limit.ActualLoops > 0
}

// mayBeHNSW: where snapshots tell the access method, it decides; else the plan's
// types and operators do, and a name that says otherwise.
func (c *planCase) mayBeHNSW(i int, d *distance) bool {
	n := c.node(i)
	if r := c.knownRelation(c.relationName(i)); r != nil {
		if x := r.Index(n.IndexName); x != nil && methodOf(x) != "" {
			return methodOf(x) == "hnsw"
		}
	}
	return d.isVector() && !strings.Contains(lower(n.IndexName), "ivf")
}

// annSetting is a parameter of pgvector: EXPLAIN (SETTINGS) does not print them.
type annSetting struct {
	Name  string
	Value float64
	// Text is the value where it is no number.
	Text string
	// Known says that the input tells it; else it is the default.
	Known bool
	// Varies says that statements of the log set it, or that roles differ.
	Varies bool
}

// annSetting looks for the parameter in the plan, in the settings of roles and
// databases, and in those of the server.
func (c *planCase) annSetting(name string, usual float64) annSetting {
	out := annSetting{Name: name, Value: usual}
	set := func(text string) {
		if out.Known && out.Text != text {
			out.Varies = true
		}
		out.Text, out.Known = text, true
		out.Value, _ = leadingNumber(text)
	}
	if text, ok := c.setting(name); ok {
		set(text)
	}
	for _, row := range c.Model.Rows(record.ViewRoleSettings) {
		if text, ok := roleSetting(&row, name); ok {
			set(text)
		}
	}
	for _, s := range c.Model.Statements {
		out.Varies = out.Varies || s.Command == "SET" && strings.Contains(lower(s.Normalized), name)
	}
	return out
}

// roleSetting is a parameter in a row of pg_db_role_setting: one setting a row,
// or the array as stored.
func roleSetting(row *record.Sample, name string) (string, bool) {
	if own, ok := row.Text("name"); ok && own == name {
		return row.Text("setting")
	}
	text, _ := row.Text("setconfig")
	for _, item := range strings.Split(strings.Trim(text, "{}"), ",") {
		if key, value, ok := strings.Cut(strings.Trim(item, `"`), "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// told says where the value is from.
func (s *annSetting) told() string {
	switch {
	case s.Varies:
		return s.Name + " is set in several ways in the input"
	case s.Known:
		return s.Name + " = " + s.Text
	}
	return s.Name + " is not in the input, and EXPLAIN does not print it: its default " + num(s.Value) + " is assumed"
}

// isOn reports whether the parameter is told and not off.
func (s *annSetting) isOn() bool { return s.Known && s.Text != "off" && s.Text != "" }

// annIndexes are the indexes of a relation that serve approximate searches.
func annIndexes(r *dataset.Relation) []*dataset.Index {
	var out []*dataset.Index
	for _, x := range r.Indexes {
		if m := methodOf(x); m == "hnsw" || m == "ivfflat" {
			out = append(out, x)
		}
	}
	return out
}

// settingFigure shows the parameter that the rows were held against.
func (a *annScan) settingFigure() finding.Figure {
	return finding.Figure{What: a.EfSearch.Name, Value: a.EfSearch.Value, Unit: "elements", Says: a.EfSearch.told()}
}
