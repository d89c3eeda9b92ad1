package view

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Unknown stands where a number is not known. Absent is not zero.
const Unknown = "unknown"

// Quantity formats a value with its unit at three significant figures: "2,550
// buffers/row", "85.1 s", "3.9x", "52 %". Whole numbers below a million keep
// all their digits, since they are counts. Units that are understood are
// scaled: ms, s and us to what a person says, bytes in powers of 1024 as
// pg_size_pretty does, fraction to percent. All others are printed as they are.
func Quantity(v float64, unit string) string {
	if !finite(v) {
		return Unknown
	}
	s := scaleOf(v, unit)
	return s.with(plainNumber(v*s.factor, s.digits))
}

// QuantityInterval is Quantity followed by an interval in the same unit: "0.98
// buffers/page [0.97 1.00]". The interval decides how many digits are shown:
// one of its half width, two if that begins with 1; two at least and three at
// most of the value.
func QuantityInterval(v, low, high float64, unit string) string {
	if !finite(v) || !finite(low) || !finite(high) {
		return Quantity(v, unit)
	}
	s := scaleOf(v, unit)
	v, low, high = v*s.factor, low*s.factor, high*s.factor
	top := max(math.Abs(v), math.Abs(low), math.Abs(high))
	d := decimals(top, 3)
	if half := math.Abs(high-low) / 2; half > 0 {
		digits := 1
		if half < 2*math.Pow(10, math.Floor(math.Log10(half))) {
			digits = 2
		}
		d = min(d, max(decimals(half, digits), decimals(top, 2)))
	}
	return s.with(fixed(v, d)) + " [" + fixed(low, d) + " " + fixed(high, d) + "]"
}

// Count formats an exact count with thousands separators: "271,904".
func Count(n int64) string { return group(strconv.FormatInt(n, 10)) }

// Counted is Count with its noun: "1 file", "2 files".
func Counted(n int64, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return Count(n) + " " + plural
}

// OptionalCount formats a count that may be absent.
func OptionalCount(c record.Count) string {
	if !c.Known {
		return Unknown
	}
	return Count(c.N)
}

// Span formats a duration: "0.047 ms", "85.1 s", "12.5 min".
func Span(d record.Duration) string { return Quantity(d.Milliseconds(), "ms") }

// Share formats a fraction of one as percent.
func Share(f float64) string { return Quantity(f, "fraction") }

// PValue formats a corrected p-value.
func PValue(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + plainNumber(p, 2)
}

// Compact formats a value for the end of a sparkline: "2.4k", "10.0k", "85 MB".
func Compact(v float64, unit string) string {
	if s := scaleOf(v, unit); s.known {
		return Quantity(v, unit)
	}
	for _, step := range [...]struct {
		from float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) < step.from {
			continue
		}
		n := v / step.from
		if math.Abs(n) < 99.95 {
			return fixed(n, 1) + step.name
		}
		return fixed(n, 0) + step.name
	}
	return plainNumber(v, 3)
}

// scale is how a unit is shown: the factor to it, its name, the digits that
// make sense, and whether it is a unit that says itself what it is.
type scale struct {
	factor float64
	unit   string
	digits int
	known  bool
}

func (s scale) with(number string) string {
	switch s.unit {
	case "":
		return number
	case "x":
		return number + "x"
	}
	return number + " " + s.unit
}

func scaleOf(v float64, unit string) scale {
	v = math.Abs(v)
	switch unit {
	case "us", "µs", "microseconds":
		return spanScale(v/1e3, 1e-3)
	case "ms", "milliseconds":
		return spanScale(v, 1)
	case "s", "seconds":
		return spanScale(v*1e3, 1e3)
	case "B", "bytes":
		return byteScale(v)
	case "fraction":
		return scale{100, "%", 3, true}
	case "%", "percent":
		return scale{1, "%", 3, true}
	case "x", "×":
		return scale{1, "x", 2, true}
	}
	switch {
	case v >= 1e12:
		return scale{1, unit, 3, false}
	case v >= 1e9:
		return scale{1e-9, join("billion", unit), 3, false}
	case v >= 1e6:
		return scale{1e-6, join("million", unit), 3, false}
	}
	return scale{1, unit, 3, false}
}

// spanScale chooses the unit of a time of ms milliseconds; toMS is the factor
// from the value's own unit.
func spanScale(ms, toMS float64) scale {
	switch {
	case ms < 1e3:
		return scale{toMS, "ms", 3, true}
	case ms < 600e3:
		return scale{toMS / 1e3, "s", 3, true}
	case ms < 7200e3:
		return scale{toMS / 60e3, "min", 3, true}
	case ms < 48*3600e3:
		return scale{toMS / 3600e3, "h", 3, true}
	}
	return scale{toMS / 86400e3, "days", 3, true}
}

func byteScale(v float64) scale {
	factor, i := 1.0, 0
	names := [...]string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	for v*factor >= 1024 && i < len(names)-1 {
		factor /= 1024
		i++
	}
	return scale{factor, names[i], 3, true}
}

// plainNumber has digits significant figures without trailing zeros; whole
// numbers below a million keep all digits.
func plainNumber(v float64, digits int) string {
	if !finite(v) {
		return Unknown
	}
	a := math.Abs(v)
	switch {
	case a == math.Trunc(a) && a < 1e6:
		return fixed(v, 0)
	case a >= 1e15 || a < 1e-6:
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	s := fixed(v, decimals(v, digits))
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// decimals is the number of decimals that gives v that many significant
// figures; negative to round left of the point.
func decimals(v float64, digits int) int {
	if v == 0 || !finite(v) {
		return 0
	}
	return digits - 1 - int(math.Floor(math.Log10(math.Abs(v))))
}

// fixed formats v rounded to d decimals, which may be negative, with
// separators.
func fixed(v float64, d int) string {
	if d < 0 {
		p := math.Pow10(-d)
		v, d = math.Round(v/p)*p, 0
	}
	s := strconv.FormatFloat(v, 'f', min(d, 12), 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	whole, fraction, found := strings.Cut(s, ".")
	if !found {
		return group(whole)
	}
	return group(whole) + "." + fraction
}

// group puts commas between thousands.
func group(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
