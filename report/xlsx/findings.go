package xlsx

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// maxListed is how many figures a cell of the Findings sheet lists.
const maxListed = 12

// findingColumns begin with what is printed.
var findingColumns = []column{
	{"ID", 9, text}, {"Severity", 10, text}, {"Confidence", 11, text}, {"Subject", 30, wrapped}, {"Title", 40, wrapped},
	{"Effect (cost ÷ baseline)", 10, real}, {"Share of time", 9, share}, {"Since (UTC)", 23, moment}, {"Figures", 46, wrapped},
	{"Ruled out", 42, wrapped}, {"Action", 46, wrapped},
	{"Row", 7, text}, {"Chart", 7, text}, {"Plan", 7, text}, {"Against the baseline", 10, text}, {"Subject is", 11, text},
	{"Event before", 36, wrapped}, {"Event (UTC)", 23, moment}, {"Ended (UTC)", 23, moment}, {"Cost and risk", 40, wrapped},
	{"Will not help", 30, wrapped}, {"Verify", 48, wrapped}, {"Summary", 60, wrapped}, {"Why this confidence", 36, wrapped},
	{"Places", 40, wrapped}, {"Name", 24, text}, {"Database", 16, text}, {"Statement fingerprint", 20, text},
	{"Fingerprint", 20, text},
}

// findings is one row for each: its ID leads to the working, "row" to the row
// about its subject.
func (b *book) findings() *table {
	return &table{
		name: findingsSheet, columns: findingColumns, rows: len(b.view.Findings), row: b.finding, lines: 27, printed: 11,
	}
}

func (b *book) finding(i int) []any {
	f := &b.view.Findings[i]
	raw := f.Raw
	var effect any
	if raw.Effect != 0 {
		effect = raw.Effect
	}
	var since, event, end record.Time
	if o := raw.Onset; o != nil {
		since, event, end = o.Time, o.EventTime, o.End
	}
	action, cost := actionsOf(f)
	return []any{
		link{f.ID, b.places.working[i]}, severity{raw.Severity.String(), int(raw.Severity)}, raw.Confidence.String(),
		f.Subject, f.Title, effect, raw.Share, since, figuresOf(f), rivalsOf(f), action,
		named("row", b.places.subject[i]), named("chart", b.charts[i]), named("plan", b.places.plan[i]), f.Status, f.Kind, f.Event, event, end, cost, f.WillNotHelp,
		strings.Join(f.Verify, "\n"), f.Summary, f.Confidence, strings.Join(f.Places, ", "), view.Line(raw.Name),
		view.Line(raw.Subject.Database), view.Line(raw.Subject.Fingerprint), raw.Fingerprint(),
	}
}

// named is a link if there is something to lead to.
func named(text, target string) link {
	if target == "" {
		return link{}
	}
	return link{text, target}
}

func actionsOf(f *view.Finding) (do, cost string) {
	var dos, costs []string
	for _, a := range f.Actions {
		dos = append(dos, a.Do)
		if a.Cost != "" {
			costs = append(costs, a.Cost)
		}
	}
	return strings.Join(dos, "\n"), strings.Join(costs, "\n")
}

// figuresOf lists the working in lines, rivals apart.
func figuresOf(f *view.Finding) string {
	return listed(f.Working[:len(f.Working)-len(f.Raw.RuledOut)], func(r *view.Row) string {
		return joined(joined(r.What, ": ", r.Figure), ", ", r.Says)
	})
}

// rivalsOf lists the other explanations with their verdicts.
func rivalsOf(f *view.Finding) string {
	return listed(f.Working[len(f.Working)-len(f.Raw.RuledOut):], func(r *view.Row) string {
		return joined(joined(r.What, ": ", r.Says), ", ", r.Figure)
	})
}

func listed(rows []view.Row, say func(*view.Row) string) string {
	var lines []string
	for i := range rows[:min(len(rows), maxListed)] {
		lines = append(lines, say(&rows[i]))
	}
	if n := len(rows) - maxListed; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: see the sheet %s", n, figuresSheet))
	}
	return strings.Join(lines, "\n")
}

func joined(a, separator, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + separator + b
}

// figures is the working of every finding: figures, forecasts, rivals.
func (b *book) figures() *table {
	type at struct{ finding, row int }
	var rows []at
	for i := range b.view.Findings {
		for j := range b.view.Findings[i].Working {
			rows = append(rows, at{i, j})
		}
	}
	return &table{
		name: figuresSheet, optional: true, rows: len(rows),
		columns: []column{
			{"ID", 9, text}, {"Subject", 36, wrapped}, {"What", 44, wrapped}, {"Value", 14, real}, {"Unit", 16, text},
			{"95 % low", 14, real}, {"95 % high", 14, real}, {"As text", 34, wrapped}, {"Limit", 20, wrapped},
			{"Says", 30, wrapped}, {"p (corrected)", 12, real},
		},
		row: func(i int) []any { return b.figure(rows[i].finding, rows[i].row) },
	}
}

func (b *book) figure(finding, row int) []any {
	f := &b.view.Findings[finding]
	id := link{f.ID, cellAt(findingsSheet, finding)}
	if row >= len(f.Raw.Figures) {
		r := &f.Working[row]
		return []any{id, f.Subject, r.What, nil, nil, nil, nil, r.Figure, nil, r.Says, nil}
	}
	g := &f.Raw.Figures[row]
	var value, low, high, p any
	if g.Text == "" || g.Value != 0 {
		value = g.Value
	}
	if g.Interval != nil {
		low, high = g.Interval[0], g.Interval[1]
	}
	if g.PValue != nil {
		p = *g.PValue
	}
	return []any{
		id, f.Subject, view.Line(g.What), value, view.Line(g.Unit), low, high, view.FigureText(g),
		view.Line(g.Limit), view.Line(g.Says), p,
	}
}

func (b *book) evidence() *table {
	type at struct{ finding, row int }
	var rows []at
	for i := range b.view.Findings {
		for j := range b.view.Findings[i].Raw.Evidence {
			rows = append(rows, at{i, j})
		}
	}
	return &table{
		name: evidenceSheet, optional: true, rows: len(rows),
		columns: []column{
			{"ID", 9, text}, {"Subject", 36, wrapped}, {"What", 16, text}, {"File", 36, wrapped}, {"Line", 11, whole},
			{"Time (UTC)", 23, moment}, {"Value", 14, real}, {"Unit", 16, text}, {"Limit", 20, wrapped}, {"Excerpt", 60, wrapped},
		},
		row: func(i int) []any {
			f := &b.view.Findings[rows[i].finding]
			e := &f.Raw.Evidence[rows[i].row]
			return []any{
				link{f.ID, cellAt(findingsSheet, rows[i].finding)}, f.Subject, view.Line(e.What), view.Line(e.Pos.File),
				lineOf(e.Pos), e.Time, e.Value, view.Line(e.Unit), view.Line(e.Limit), view.Block(e.Excerpt),
			}
		},
	}
}

// lineOf is the line of a place, nothing if it is not known.
func lineOf(p record.Pos) record.Count { return record.Count{N: p.Line, Known: p.Line > 0} }
