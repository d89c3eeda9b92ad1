package pgstat

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// CSV is a statistics view as CSV with a header: \copy (select now() as
// captured_at, * from pg_stat_user_tables) to 'x.csv' csv header. The delimiter
// may be a comma, a semicolon, a tab or the bar of psql -A. Runs appended to one file may repeat
// the header.
var CSV = source.Format{
	Name:   "snapshot-csv",
	Doc:    "statistics views as CSV with a header",
	Detect: func(h *source.Head) *source.Detection { return detectCSV(h, newLayout, noView) },
}

// Scores of detection.
const (
	scoreView    = 90
	scoreLate    = 60 // after a line that is no JSON
	scoreNoMatch = 5
)

// csvFile is how one CSV file is read.
type csvFile struct {
	name   string
	header []byte // line, without its end
	delim  byte
	layout *layout
}

// detectCSV recognises a file by its header: layoutOf makes the layout of the
// names, refusal says why there is none.
func detectCSV(h *source.Head, layoutOf func([]string) *layout, refusal func(what string, names []string) string) *source.Detection {
	line, _ := firstLine(h.Data)
	delim, names := sniffHeader(line)
	if names == nil {
		return nil
	}
	l := layoutOf(names)
	if l == nil {
		return &source.Detection{Score: scoreNoMatch, Reason: refusal("CSV whose columns", names)}
	}
	f := &csvFile{name: h.Name, header: bytes.Clone(line), delim: delim, layout: l}
	return &source.Detection{
		Score:    scoreView,
		Detail:   l.detail(),
		View:     l.view,
		TimeFrom: l.timeFrom(h.Name),
		Begin:    f.begin,
		Cut:      cutCSV,
		Parse:    f.parse,
	}
}

// noView is the reason why a file with these columns cannot be used.
func noView(what string, names []string) string {
	var known []string
	for _, v := range Views() {
		known = append(known, string(v.View))
	}
	return fmt.Sprintf("%s match no statistics view known: (%s); known are %s",
		what, shown(names), strings.Join(known, ", "))
}

// shown is the first few names.
func shown(names []string) string {
	if len(names) > 6 {
		names = append(names[:6:6], "…")
	}
	return strings.Join(names, ", ")
}

// firstLine is the first line that is not blank, and the offset behind it.
func firstLine(s []byte) (line []byte, after int) {
	for after < len(s) {
		n := bytes.IndexByte(s[after:], '\n')
		if n < 0 {
			n = len(s) - after
		}
		line = bytes.TrimSuffix(s[after:after+n], []byte{'\r'})
		after = min(after+n+1, len(s))
		if len(bytes.TrimSpace(line)) > 0 {
			return line, after
		}
	}
	return nil, after
}

// sniffHeader finds the delimiter that makes most column names of the line; no
// names if it is no header.
func sniffHeader(line []byte) (delim byte, names []string) {
	for _, d := range []byte{',', ';', '\t', '|'} {
		if got := headerNames(line, d); len(got) > max(len(names), 1) {
			delim, names = d, got
		}
	}
	return delim, names
}

// headerNames splits a header; nil unless all are names.
func headerNames(line []byte, delim byte) (names []string) {
	if len(line) > maxColumns*64 {
		return nil
	}
	var r rows
	if n, ok := r.csvRow(line, delim); !ok || n != len(line) || len(r.cells) > maxColumns {
		return nil
	}
	start := 0
	for _, c := range r.cells {
		name := string(r.text[start:c.end])
		if !isName(strings.TrimSpace(name)) {
			return nil
		}
		names = append(names, name)
		start = c.end
	}
	return names
}

// isName tells an identifier, or ?column?, from a value.
func isName(s string) bool {
	if s == "" || len(s) > 63 || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for _, b := range []byte(s) {
		word := b == '_' || b == '$' || b == '?' || b == ' ' || b == '-' || b >= 0x80
		if !word && (b|0x20 < 'a' || b|0x20 > 'z') && (b < '0' || b > '9') {
			return false
		}
	}
	return true
}

// begin is behind the header, or, after a row that was too long, behind the
// next line end.
func (f *csvFile) begin(data []byte) int {
	if line, after := firstLine(data); bytes.Equal(line, f.header) {
		return after
	}
	if n := bytes.IndexByte(data, '\n'); n >= 0 {
		return n + 1
	}
	return len(data)
}

// cutCSV cuts behind the last line end that is not inside quotes.
func cutCSV(data []byte) int {
	cut, from := 0, 0
	for {
		n := bytes.IndexByte(data[from:], '"')
		if n < 0 {
			n = len(data) - from
		}
		if nl := bytes.LastIndexByte(data[from:from+n], '\n'); nl >= 0 {
			cut = from + nl + 1
		}
		if from += n + 1; from >= len(data) {
			return cut
		}
		n = bytes.IndexByte(data[from:], '"')
		if n < 0 {
			return cut
		}
		from += n + 1
	}
}

const wrongColumns = "a row has not as many columns as the header"

func (f *csvFile) parse(block []byte, pos record.Pos, b *record.Batch) {
	r := newRows(b, f.name)
	base := pos.Offset
	for at := 0; at < len(block); {
		rest := block[at:]
		line := rest
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			line = rest[:n+1]
		}
		n := len(line)
		if trimmed := bytes.TrimRight(line, "\r\n"); !f.passedOver(trimmed) {
			r.reset()
			end, ok := r.csvRow(rest, f.delim)
			if ok && len(r.cells) == len(f.layout.names) {
				n = end
				r.add(f.layout, pos)
			} else {
				n = r.giveUp(n, end, len(block))
				b.Entries++
				r.lose(pos, wrongColumns)
			}
		}
		pos.Line += int64(bytes.Count(rest[:n], []byte{'\n'}))
		at += n
		pos.Offset = base + int64(at)
	}
}

// giveUp is how much to pass over of a bad row that ends at end: only its first
// line, since a quote that does not close would take good rows with it; but
// all, once that has made the block be read some times over.
func (r *rows) giveUp(line, end, block int) int {
	if r.again > 4*block {
		return max(line, end)
	}
	r.again += end
	return line
}

// passedOver tells lines that are no rows: blank, the header again, and psql's
// footer.
func (f *csvFile) passedOver(line []byte) bool {
	return len(line) == 0 || bytes.Equal(line, f.header) || isFooter(line)
}

// isFooter tells psql's "(12 rows)".
func isFooter(line []byte) bool {
	return len(line) > 0 && line[0] == '(' && (bytes.HasSuffix(line, []byte(" rows)")) || bytes.HasSuffix(line, []byte(" row)")))
}

// csvRow reads the row at the start of s into r and returns the offset behind
// its line end; not ok if a quote does not close or there are too many fields. An empty field without
// quotes, and \N between tabs, is null.
func (r *rows) csvRow(s []byte, delim byte) (n int, ok bool) {
	for {
		var more bool
		if n < len(s) && s[n] == '"' {
			if n, ok = r.quotedField(s, n+1); !ok {
				return len(s), false
			}
			n, more = r.plainField(s, n, delim) // nothing, unless damaged
			r.endCell(true)
		} else {
			start := len(r.text)
			n, more = r.plainField(s, n, delim)
			field := r.text[start:]
			null := len(field) == 0 || delim == '\t' && string(field) == `\N`
			r.endCell(!null)
		}
		if !more {
			return n, true
		}
		if len(r.cells) > maxColumns {
			return n, false
		}
	}
}

// quotedField appends the field whose opening quote is before n.
func (r *rows) quotedField(s []byte, n int) (int, bool) {
	for {
		q := bytes.IndexByte(s[n:], '"')
		if q < 0 {
			return len(s), false
		}
		r.text = append(r.text, s[n:n+q]...)
		n += q + 1
		if n >= len(s) || s[n] != '"' {
			return n, true
		}
		r.text = append(r.text, '"')
		n++
	}
}

// plainField appends up to the delimiter or line end and passes it; more tells
// whether another field follows.
func (r *rows) plainField(s []byte, n int, delim byte) (after int, more bool) {
	start := n
	for n < len(s) && s[n] != delim && s[n] != '\n' {
		n++
	}
	end := n
	more = n < len(s) && s[n] == delim
	if !more && end > start && s[end-1] == '\r' {
		end--
	}
	r.text = append(r.text, s[start:end]...)
	return min(n+1, len(s)), more
}
