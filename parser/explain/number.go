package explain

import (
	"math"
	"strconv"
)

// fixed reads a decimal number scaled by 10^digits, rounded half up in
// magnitude. fraction tells whether a decimal point was printed. What exceeds
// int64 is clamped; what is no finite number is not ok.
func fixed(b []byte, digits int) (v int64, fraction, ok bool) {
	i, neg := 0, false
	if len(b) > 0 && b[0] == '-' {
		i, neg = 1, true
	}
	start := i
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		v = shift(v, b[i]-'0')
	}
	if i == start {
		return 0, false, false
	}
	if i < len(b) && b[i] == '.' {
		fraction = true
		i++
		for ; digits > 0 && i < len(b) && b[i]-'0' <= 9; i++ {
			v = shift(v, b[i]-'0')
			digits--
		}
		if i < len(b) && b[i] >= '5' && b[i] <= '9' && v < math.MaxInt64 {
			v++
		}
		for i < len(b) && b[i]-'0' <= 9 {
			i++
		}
	}
	if i < len(b) {
		return 0, false, false
	}
	for ; digits > 0; digits-- {
		v = shift(v, 0)
	}
	if neg {
		v = -v
	}
	return v, fraction, true
}

// shift is v×10+digit, clamped to int64.
func shift(v int64, digit byte) int64 {
	if v > (math.MaxInt64-9)/10 {
		return math.MaxInt64
	}
	return v*10 + int64(digit)
}

// exactDigits is how many decimal digits a float64 mantissa holds for sure.
const exactDigits = 15

// float reads a cost or an estimate: the bare word Infinity and numbers of 60
// digits are valid. NaN is not ok.
func float(b []byte) (float64, bool) {
	var m int64
	point, n := -1, 0
	for i, c := range b {
		switch {
		case c-'0' <= 9 && n < exactDigits:
			m = m*10 + int64(c-'0')
			n++
		case c == '.' && point < 0:
			point = i
		default:
			f, err := strconv.ParseFloat(string(b), 64)
			return f, err == nil && !math.IsNaN(f)
		}
	}
	if n == 0 {
		return 0, false
	}
	if point < 0 {
		return float64(m), true
	}
	return float64(m) / powersOf10[len(b)-point-1], true
}

var powersOf10 = [exactDigits + 1]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
}
