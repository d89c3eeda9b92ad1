package report

import (
	"fmt"

	"github.com/pgassay/pgassay/report/view"
)

// attributionTitle heads the table of candidate causes on every page.
const attributionTitle = "What explains it, largest share first:"

var attributionHead = []string{"cause", "figure", "verdict"}

// maxCauses is what the terminal page shows of them.
const maxCauses = 8

// attribution is the table of candidate causes.
func (p *page) attribution(f *view.Finding) {
	if len(f.Attribution) == 0 {
		return
	}
	rows := [][]string{append([]string(nil), attributionHead...)}
	for _, r := range f.Attribution[:min(len(f.Attribution), maxCauses)] {
		rows = append(rows, []string{r.What, r.Figure, r.Says})
	}
	p.blank()
	p.para(body, plain, attributionTitle, faint)
	p.table(body, rows, 0)
	if n := len(f.Attribution) - maxCauses; n > 0 {
		p.para(body, plain, fmt.Sprintf("and %d more with a smaller share or none: in the other formats", n), faint)
	}
}

func (m *markdownPage) attribution(f *view.Finding) {
	if len(f.Attribution) == 0 {
		return
	}
	rows := [][]string{attributionHead}
	for _, r := range f.Attribution[:min(len(f.Attribution), maxMarkdownRows)] {
		rows = append(rows, []string{r.What, r.Figure, r.Says})
	}
	m.para(attributionTitle)
	m.table(rows)
}
