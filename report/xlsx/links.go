package xlsx

import (
	"fmt"
	"slices"
)

// places are the ways between findings and the rows about their subjects.
type places struct {
	// working, subject and plan are cells by finding, "" if there is none.
	working, subject, plan []string
	// of are the findings about a row of a sheet.
	of map[rowKey][]int
}

// rowKey is a row of a sheet by what it is about: an index, a table, the
// fingerprint of a statement.
type rowKey struct{ sheet, name string }

// cellAt names the first cell of a row; the header is row 1.
func cellAt(sheet string, row int) string { return fmt.Sprintf("'%s'!A%d", sheet, row+2) }

// find fills b.places.
func (b *book) find() {
	n := len(b.view.Findings)
	p := &places{working: make([]string, n), subject: make([]string, n), plan: make([]string, n), of: map[rowKey][]int{}}
	b.places = p
	row := 0
	for i := range b.view.Findings {
		f := &b.view.Findings[i]
		if len(f.Working) > 0 {
			p.working[i] = cellAt(figuresSheet, row)
		}
		row += len(f.Working)
		s := &f.Raw.Subject
		p.about(i, indexesSheet, s.Index)
		p.about(i, tablesSheet, s.Relation)
		p.about(i, statementsSheet, s.Fingerprint)
		p.about(i, statementsSheet, s.Parent)
	}
	r := b.view.Result
	for i := range r.Indexes {
		p.lead(p.subject, rowKey{indexesSheet, r.Indexes[i].Name}, indexesSheet, i)
	}
	for i := range r.Relations {
		p.lead(p.subject, rowKey{tablesSheet, r.Relations[i].Name}, tablesSheet, i)
	}
	for i := range r.Statements {
		p.lead(p.subject, rowKey{statementsSheet, r.Statements[i].Fingerprint}, statementsSheet, i)
	}
	row = 0
	for i := range r.Plans {
		p.lead(p.plan, rowKey{statementsSheet, r.Plans[i].Fingerprint}, plansSheet, row)
		row += len(r.Plans[i].Plan.Nodes)
	}
}

func (p *places) about(finding int, sheet, name string) {
	if name == "" {
		return
	}
	k := rowKey{sheet, name}
	if !slices.Contains(p.of[k], finding) {
		p.of[k] = append(p.of[k], finding)
	}
}

// lead makes the findings about a row lead to it unless they lead elsewhere.
func (p *places) lead(targets []string, about rowKey, sheet string, row int) {
	if row >= maxRows {
		return
	}
	for _, f := range p.of[about] {
		if targets[f] == "" {
			targets[f] = cellAt(sheet, row)
		}
	}
}

// back is the link from a row to the first finding about it; "PGA101 +1" tells
// that there is one more.
func (b *book) back(sheet, name string) link {
	found := b.places.of[rowKey{sheet, name}]
	if len(found) == 0 {
		return link{}
	}
	text := b.view.Findings[found[0]].ID
	if n := len(found) - 1; n > 0 {
		text += fmt.Sprintf(" +%d", n)
	}
	return link{text, cellAt(findingsSheet, found[0])}
}
