package signature

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Clock is a time as findings write it: UTC, to the second.
func clock(t record.Time) string { return t.Std().Format("15:04:05") }

// num writes a figure with three significant digits and thousands separators.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "?"
	}
	a := math.Abs(v)
	switch {
	case a < 1000 && v == math.Trunc(v):
		return strconv.FormatFloat(v+0, 'f', 0, 64) // −0 has no sign
	case a >= 1e15:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 1000:
		unit := math.Pow(10, math.Floor(math.Log10(a))-2)
		return thousands(int64(math.Round(v/unit) * unit))
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	for i := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(s[i])
	}
	return sign + b.String()
}

// times writes a ratio: "3.9x".
func times(r float64) string {
	if r >= 100 {
		return num(r) + "x"
	}
	return strconv.FormatFloat(r, 'f', 1, 64) + "x"
}

// percent writes a share: "34 %", "3.1 %".
func percent(share float64) string {
	v := share * 100
	if math.Abs(v) >= 9.95 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " %"
}

// bytesText writes a size: "62.0 MB".
func bytesText(n float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	i := 0
	for n >= 1024 && i < len(units)-1 {
		n /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%.0f bytes", n)
	}
	return num(n) + " " + units[i]
}

// spanUnits are the units of span, each used below its limit in seconds.
var spanUnits = []struct {
	below, seconds float64
	name           string
}{
	{0.001, 1e-6, "µs"}, {1, 1e-3, "ms"}, {120, 1, "s"}, {2 * 3600, 60, "minutes"}, {48 * 3600, 3600, "hours"}, {math.Inf(1), 86400, "days"},
}

// span writes a duration in words: "85.1 s", "17 minutes", "3.2 days".
func span(seconds float64) string {
	for _, u := range spanUnits {
		if seconds < u.below {
			return num(seconds/u.seconds) + " " + u.name
		}
	}
	return num(seconds) + " s"
}

// spanInterval is span with an interval in the same unit: "17.2 minutes [15.1,
// 19.4]".
func spanInterval(seconds, lo, hi float64) string {
	for _, u := range spanUnits {
		if seconds < u.below {
			return fmt.Sprintf("%s %s [%s, %s]", num(seconds/u.seconds), u.name, num(lo/u.seconds), num(hi/u.seconds))
		}
	}
	return span(seconds)
}

// shorten cuts a text in the middle so that at most n characters remain.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := (n - 3) * 2 / 3
	return string(r[:head]) + " … " + string(r[len(r)-(n-3-head):])
}
