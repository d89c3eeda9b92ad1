package report

import (
	"strings"

	"github.com/pgassay/pgassay/report/view"
)

// page collects lines of at most width columns.
type page struct {
	b     strings.Builder
	width int
	color bool
	clock view.Clock
}

// style is an ANSI "select graphic rendition" parameter; "" is plain.
type style string

const (
	plain  style = ""
	bold   style = "1"
	faint  style = "2"
	red    style = "1;31"
	yellow style = "1;33"
	blue   style = "1;34"
)

func (p *page) paint(s style, text string) string {
	if !p.color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

func (p *page) blank() { p.b.WriteByte('\n') }

// What a page shows of one text, in columns; longer ones are cut in the middle,
// with a mark. The json report has them whole.
const (
	maxText = 8000
	maxCell = 600
)

// para writes text wrapped to the page: the first line after lead (painted as
// leadStyle), the others under it.
func (p *page) para(lead string, leadStyle style, text string, s style) {
	indent := view.Width(lead)
	rest := strings.Repeat(" ", indent)
	for i, line := range wrapBlock(view.Shorten(text, maxText), p.width-indent) {
		switch {
		case i == 0:
			p.line(p.paint(leadStyle, lead) + p.paint(s, line))
		case line == "":
			p.blank()
		default:
			p.line(rest + p.paint(s, line))
		}
	}
}

// line writes a line. CI systems read commands from what is printed ("::set",
// "##[set"); no text of the input may give one.
func (p *page) line(s string) {
	s = strings.ReplaceAll(s, "##[", "#·[")
	if text := strings.TrimLeft(s, " "); strings.HasPrefix(text, "::") {
		s = s[:len(s)-len(text)] + ":·" + text[len("::"):]
	}
	p.b.WriteString(strings.TrimRight(s, " "))
	p.b.WriteByte('\n')
}

// table writes rows of equal length in aligned columns that fit the page, the
// cells wrapped. The first kept columns are not narrowed while others can be.
// Texts above maxCell are cut in rows itself.
func (p *page) table(indent string, rows [][]string, kept int) {
	const gap = "  "
	if len(rows) == 0 {
		return
	}
	for _, row := range rows {
		for c := range row {
			row[c] = view.Shorten(row[c], maxCell)
		}
	}
	widths := columnWidths(rows, p.width-len(indent)-len(gap)*(len(rows[0])-1), kept)
	for _, row := range rows {
		cells := make([][]string, len(row))
		height := 0
		for c, text := range row {
			cells[c] = wrapIndented(text, widths[c])
			height = max(height, len(cells[c]))
		}
		for h := range height {
			line := indent
			for c := range cells {
				text := ""
				if h < len(cells[c]) {
					text = cells[c][h]
				}
				line += pad(text, widths[c]) + gap
			}
			p.line(line)
		}
	}
}

// columnWidths gives each column its natural width and, while the sum is above
// total, narrows the column whose narrowing adds the fewest lines.
func columnWidths(rows [][]string, total, kept int) []int {
	n := len(rows[0])
	widths, least, natural := make([]int, n), make([]int, n), make([][]int, len(rows))
	for r, row := range rows {
		natural[r] = make([]int, n)
		for c, text := range row {
			natural[r][c] = min(view.Width(text), 4*total)
			widths[c] = min(max(widths[c], natural[r][c]), total)
			least[c] = min(max(least[c], longestWord(text)), total*9/20)
		}
	}
	sum := 0
	for c, w := range widths {
		sum += w
		if c < kept {
			least[c] = w
		}
	}
	for ; sum > total; sum-- {
		widths[narrowest(natural, widths, least)]--
	}
	return widths
}

// narrowest is the column that is cheapest to narrow by one, of equal ones the
// widest. If none is above its least width it is the widest of all.
func narrowest(natural [][]int, widths, least []int) int {
	best, cost, widest := -1, 0, 0
	for c := range widths {
		if widths[c] > widths[widest] {
			widest = c
		}
		if widths[c] <= least[c] {
			continue
		}
		widths[c]--
		n := height(natural, widths)
		widths[c]++
		if best < 0 || n < cost || n == cost && widths[c] > widths[best] {
			best, cost = c, n
		}
	}
	if best < 0 {
		return widest
	}
	return best
}

func longestWord(text string) int {
	n := 0
	for word := range strings.SplitSeq(text, " ") {
		n = max(n, view.Width(word))
	}
	return n
}

// height estimates the lines of a table.
func height(natural [][]int, widths []int) int {
	n := 0
	for _, row := range natural {
		lines := 1
		for c, w := range row {
			lines = max(lines, (w+widths[c]-1)/max(widths[c], 1))
		}
		n += lines
	}
	return n
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-view.Width(s)))
}

// wrapBlock wraps each line of text on its own.
func wrapBlock(text string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, wrapIndented(line, width)...)
	}
	return out
}

// wrapIndented wraps one line and keeps its indentation.
func wrapIndented(line string, width int) []string {
	body := strings.TrimLeft(line, " ")
	indent := line[:min(len(line)-len(body), width/2)]
	out := wrap(body, width-len(indent))
	for i := range out {
		out[i] = indent + out[i]
	}
	return out
}

// wrap breaks text at spaces into lines of at most width columns; a word that
// is wider is broken where it must be. It never returns less than one line.
func wrap(text string, width int) []string {
	var out []string
	line, used := "", 0
	for word := range strings.SplitSeq(text, " ") {
		w := view.Width(word)
		if used > 0 && used+1+w <= width {
			line, used = line+" "+word, used+1+w
			continue
		}
		if used > 0 {
			out = append(out, line)
		}
		for w > width {
			n := breakAt(word, width)
			out = append(out, word[:n])
			w -= view.Width(word[:n])
			word = word[n:]
		}
		line, used = word, w
	}
	return append(out, line)
}

// breakAt is the number of bytes of the longest start of word that fits.
func breakAt(word string, width int) int {
	used := 0
	for i, r := range word {
		if used += view.RuneWidth(r); used > width && i > 0 {
			return i
		}
	}
	return len(word)
}
