package xlsx

import (
	"crypto/sha256"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
	"github.com/xuri/excelize/v2"
)

// Values of cells beside string, int64, float64, record.Time, record.Count and
// nil. Nothing that is absent is written as zero: the cell stays empty.
type (
	// link is a text that leads to a cell of the workbook; without a target it
	// is a text like any other.
	link struct{ text, target string }
	// severity is a text in the colour of a finding's severity.
	severity struct {
		text  string
		level int
	}
)

// value is v as the library takes it, in the given style; nil leaves the cell
// empty. Strings are typed as strings whatever they begin with.
func (b *book) value(v any, style int) any {
	switch x := v.(type) {
	case string:
		return styled(x, style)
	case int64:
		return excelize.Cell{StyleID: style, Value: x}
	case float64:
		return number(x, style)
	case record.Time:
		if view.Known(x) {
			return number(serial(x), style)
		}
	case record.Count:
		if x.Known {
			return excelize.Cell{StyleID: style, Value: x.N}
		}
	case severity:
		return styled(x.text, b.styles.severity[x.level])
	case link:
		if x.target != "" {
			style = b.styles.link
		}
		return styled(x.text, style)
	}
	return nil
}

// styled is a text; an empty one has no cell.
func styled(s string, style int) any {
	if s == "" {
		return nil
	}
	return excelize.Cell{StyleID: style, Value: capped(kept(s))}
}

// number leaves the cell empty for what a cell cannot hold.
func number(v float64, style int) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return excelize.Cell{StyleID: style, Value: v}
}

// serial is t as the workbook counts it: days since 1899-12-30. Cells hold 15
// digits, and programs cut what they do not show, so that a number below t
// would show the second before: it is rounded up, by less than 9 µs.
func serial(t record.Time) float64 {
	const epoch, day, digits = 25569, 86400e6, 1e10
	return math.Ceil((float64(t)/day+epoch)*digits) / digits
}

// surrogate is a text that looks like the escape of half a character: _xD800_
// (ECMA-376 part 1, 22.4.2.4 bstr). The library escapes all others; this one it
// drops.
var surrogate = regexp.MustCompile(`_(x[dD][89a-fA-F][0-9A-Fa-f]{2}_)`)

// kept saves such a text with its first character escaped.
func kept(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	return surrogate.ReplaceAllString(s, "_x005F_$1")
}

// capped cuts s at the length a cell can hold, with a mark that tells its
// length and the SHA-256 prefix of the whole. The limit counts UTF-16 units, of
// which there are no more than bytes.
func capped(s string) string {
	if len(s) <= excelize.TotalCellChars {
		return s
	}
	units := 0
	for _, r := range s {
		units += utf16Len(r)
	}
	if units <= excelize.TotalCellChars {
		return s
	}
	mark := fmt.Sprintf(" … [cut: %s characters in all, SHA-256 %.8x]", view.Count(int64(utf8.RuneCountInString(s))), sha256.Sum256([]byte(s)))
	left := excelize.TotalCellChars - len(mark)
	for i, r := range s {
		if left -= utf16Len(r); left < 0 {
			return s[:i] + mark
		}
	}
	return s
}

func utf16Len(r rune) int { return max(utf16.RuneLen(r), 1) }
