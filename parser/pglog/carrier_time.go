package pglog

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// isoTime reads the RFC 3339 time that b begins with and writes it as
// PostgreSQL would; n is its length, 0 if b does not begin with one. A time
// without a zone is none: PostgreSQL's own has a blank where this has its T.
func (r *jsonReader) isoTime(b []byte) (text []byte, n int) {
	if len(b) < len("2026-03-02T08:00:01Z") || b[10] != 'T' && b[10] != ' ' {
		return nil, 0
	}
	start := len(r.scratch)
	r.scratch = append(r.scratch, b[:min(len(b), 48)]...)
	text = r.scratch[start:]
	text[10] = ' '
	if i := bytes.IndexByte(text, ','); i == 19 {
		text[i] = '.'
	}
	n, zone := timeLength(text)
	if n == 0 || zone == n || b[10] == ' ' && zone > 0 && text[zone-1] == ' ' {
		r.scratch = r.scratch[:start]
		return nil, 0
	}
	r.scratch = r.scratch[:start+n]
	return r.scratch[start : start+n : start+n], n
}

// epochText writes microseconds since 1970 as PostgreSQL would print them.
func (r *jsonReader) epochText(us int64) []byte {
	start := len(r.scratch)
	r.scratch = time.UnixMicro(us).UTC().AppendFormat(r.scratch, "2006-01-02 15:04:05.000000Z")
	return r.scratch[start:len(r.scratch):len(r.scratch)]
}

// serviceTime reads a time as log services export it: RFC 3339, milliseconds or
// microseconds since 1970, or "3/2/2026, 8:00:01.100 AM" of a portal. nil if it
// is none.
func (r *jsonReader) serviceTime(b []byte) []byte {
	if text, n := r.isoTime(b); n > 0 {
		return text
	}
	if n, _ := timeLength(b); n > 0 {
		return b[:n]
	}
	if n, ok := parseInt(b); ok && n > 1e11 && n < 1e17 {
		if n < 1e14 {
			n *= 1000
		}
		return r.epochText(n)
	}
	t, err := time.Parse("1/2/2006, 3:04:05 PM", string(b))
	if err != nil {
		return nil
	}
	return r.epochText(t.UnixMicro())
}

// months are in the order of their names in BSD's syslog.
const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// bsdYears gives times without a year one: the first month of a file is of its
// year, earlier months are of the next.
type bsdYears struct {
	year, first int
}

// noYear is taken where nothing tells the year: it has a 29th of February.
const noYear = 2000

// newBSDYears takes the year from the file's name or from a date in its head.
// first is the month of the first line.
func newBSDYears(h *source.Head, first int) (y bsdYears, known bool) {
	y = bsdYears{year: noYear, first: first}
	if t, ok := record.TimeFromName(h.Name); ok {
		y.year = t.Std().Year()
		return y, true
	}
	for _, text := range [...]string{h.Name, string(h.Data)} {
		if year, ok := yearIn(text, first); ok {
			y.year = year
			return y, true
		}
	}
	return y, false
}

// yearIn finds a date such as 2026-03-02 or 20260302 of the given month in a
// text, else of another month.
func yearIn(text string, month int) (year int, ok bool) {
	for i := 0; i+8 <= len(text); i++ {
		if text[i] != '2' || text[i+1] != '0' || i > 0 && text[i-1]-'0' < 10 {
			continue
		}
		date := text[i:min(i+10, len(text))]
		layout := "2006-01-02"
		if date[4] != '-' {
			date, layout = date[:8], "20060102"
		}
		t, err := time.Parse(layout, date)
		if err != nil {
			continue
		}
		if int(t.Month()) == month {
			return t.Year(), true
		}
		if !ok {
			year, ok = t.Year(), true
		}
	}
	return year, ok
}

// bsdTime reads "Mar  2 08:00:01", with or without a fraction or a year, and
// writes it as PostgreSQL would, without a zone. n is its length, 0 if b does
// not begin with one.
func (r *jsonReader) bsdTime(b []byte, years bsdYears) (text []byte, n int) {
	month := bsdMonth(b)
	if month == 0 {
		return nil, 0
	}
	day := bytes.TrimLeft(b[4:min(len(b), 6)], " ")
	if digits(day) != len(day) || len(b) < 7 || b[6] != ' ' {
		return nil, 0
	}
	at, year := 7, years.year
	if month < years.first {
		year++
	}
	if digits(b[at:]) == 4 && len(b) > at+4 && b[at+4] == ' ' {
		year, _ = strconv.Atoi(string(b[at : at+4]))
		at += 5
	}
	n = at + len("08:00:01")
	if len(b) < n || digits(b[at:]) != 2 || b[at+2] != ':' || digits(b[at+3:]) != 2 || b[at+5] != ':' || digits(b[at+6:]) != 2 {
		return nil, 0
	}
	if n < len(b) && b[n] == '.' {
		n += 1 + digits(b[n+1:])
	}
	start := len(r.scratch)
	r.scratch = strconv.AppendInt(r.scratch, int64(year), 10)
	r.scratch = append(r.scratch, '-', '0'+byte(month/10), '0'+byte(month%10), '-')
	if len(day) == 1 {
		r.scratch = append(r.scratch, '0')
	}
	r.scratch = append(append(append(r.scratch, day...), ' '), b[at:n]...)
	return r.scratch[start:len(r.scratch):len(r.scratch)], n
}

// bsdMonth is the month whose name b begins with, 0 if there is none.
func bsdMonth(b []byte) int {
	if len(b) < 4 || b[3] != ' ' {
		return 0
	}
	i := strings.Index(months, string(b[:3]))
	if i < 0 || i%3 != 0 {
		return 0
	}
	return i/3 + 1
}
