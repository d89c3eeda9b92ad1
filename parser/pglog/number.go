package pglog

import (
	"bytes"
	"math"

	"github.com/pgassay/pgassay/parser/record"
)

// parseInt reads a whole signed decimal of 64 bits.
func parseInt(b []byte) (int64, bool) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	var n uint64
	for _, c := range b {
		if c-'0' >= 10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	switch {
	case neg && n == 1<<63:
		return math.MinInt64, true
	case n > math.MaxInt64:
		return 0, false
	case neg:
		return -int64(n), true
	}
	return int64(n), true
}

// parsePID reads a process id, 0 if b is none.
func parsePID(b []byte) int32 {
	n, ok := parseInt(b)
	if !ok || n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int32(n)
}

// cursor walks over a message from template word to figure. A step that does
// not fit leaves it where it was and answers false.
type cursor struct{ b []byte }

func (c *cursor) lit(text string) bool {
	if len(c.b) < len(text) || string(c.b[:len(text)]) != text {
		return false
	}
	c.b = c.b[len(text):]
	return true
}

// after moves behind the next text.
func (c *cursor) after(text string) bool {
	i := bytes.Index(c.b, []byte(text))
	if i < 0 {
		return false
	}
	c.b = c.b[i+len(text):]
	return true
}

// until answers what stands before the next text and moves behind it.
func (c *cursor) until(text string) ([]byte, bool) {
	i := bytes.Index(c.b, []byte(text))
	if i < 0 {
		return nil, false
	}
	head := c.b[:i]
	c.b = c.b[i+len(text):]
	return head, true
}

func (c *cursor) int() (int64, bool) {
	i := 0
	if i < len(c.b) && c.b[i] == '-' {
		i++
	}
	for i < len(c.b) && c.b[i]-'0' < 10 {
		i++
	}
	n, ok := parseInt(c.b[:i])
	if ok {
		c.b = c.b[i:]
	}
	return n, ok
}

// decimal reads a number such as 41.900 (or 41,900) as millionths of unit,
// where unit is the microseconds of one: 1000 for ms. Digits below the
// microsecond are cut.
func (c *cursor) decimal(unit record.Duration) (record.Duration, bool) {
	n, ok := c.int()
	if !ok || n < 0 || n > math.MaxInt64/int64(record.Second)/4 {
		return 0, false
	}
	d := record.Duration(n) * unit
	if len(c.b) > 1 && (c.b[0] == '.' || c.b[0] == ',') && c.b[1]-'0' < 10 {
		d += record.Duration(fraction(c.b[1:])) * unit / record.Second
		i := 1
		for i < len(c.b) && c.b[i]-'0' < 10 {
			i++
		}
		c.b = c.b[i:]
	}
	return d, true
}

func lastIndex(b []byte, text string) int { return bytes.LastIndex(b, []byte(text)) }
