package sqltext

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxNormalized is the length at which a normalized text is cut in the middle.
const maxNormalized = 4 << 10

// ellipsis stands where a normalized text was cut.
const ellipsis = " … "

// render makes the normalized text: canonical text with its constants numbered
// after the highest parameter, as PostgreSQL does in pg_stat_statements.
func render(s []byte) string {
	n := highestParam(s)
	var out bytes.Buffer
	for t, rest := next(s); t.kind != tokEnd; t, rest = next(rest) {
		// What stands between the tokens, a folding mark included, is kept.
		gap := len(s) - len(rest) - len(t.text)
		out.Write(s[:gap])
		if t.kind == tokString || t.kind == tokNumber {
			n++
			out.WriteByte('$')
			out.WriteString(strconv.Itoa(n))
		} else {
			out.Write(t.text)
		}
		s = rest
	}
	return cut(bytes.ToValidUTF8(out.Bytes(), []byte("\uFFFD")))
}

// highestParam is the highest n of the parameters $n.
func highestParam(s []byte) int {
	highest := 0
	for t, rest := next(s); t.kind != tokEnd; t, rest = next(rest) {
		if t.kind != tokParam {
			continue
		}
		if n, err := strconv.ParseUint(string(t.text[1:]), 10, 16); err == nil {
			highest = max(highest, int(n))
		}
	}
	return highest
}

// cut shortens text to maxNormalized bytes, keeping both ends.
func cut(s []byte) string {
	if len(s) <= maxNormalized {
		return string(s)
	}
	head := (maxNormalized - len(ellipsis)) * 3 / 4
	tail := len(s) - (maxNormalized - len(ellipsis) - head)
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return string(s[:head]) + ellipsis + string(s[tail:])
}
