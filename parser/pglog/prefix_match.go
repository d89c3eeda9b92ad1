package pglog

import (
	"bytes"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// span is a part of a line; start == end for an empty value or none.
type span struct{ start, end int32 }

// matched is a line that a prefix explains.
type matched struct {
	fields   [fieldCount]span
	label    label
	severity record.Severity
	body     int  // offset of the text behind the label
	cut      bool // blanks of the prefix are missing or too many
	anchored bool // only the start of the prefix was explained
	loose    bool // a constant word of the prefix is another one, or missing
	budget   int
}

// field is the value of an escape, nil if the prefix or the line has none.
func (m *matched) field(line []byte, field int) []byte {
	s := m.fields[field]
	if s.start == s.end {
		return nil
	}
	return line[s.start:s.end]
}

// match reports whether line is the prefix, a label and a text.
func (p *prefix) match(line []byte, m *matched) bool {
	m.fields = [fieldCount]span{}
	m.budget, m.cut = matchBudget, false
	return p.from(0, line, 0, m)
}

// from matches the ops from k on at offset at.
func (p *prefix) from(k int, line []byte, at int, m *matched) bool {
	for ; k < len(p.ops); k++ {
		o := &p.ops[k]
		switch {
		case o.letter == 0:
			if len(line)-at < len(o.literal) || string(line[at:at+len(o.literal)]) != o.literal {
				return m.literalCut(o.literal, k == len(p.ops)-1, line, at)
			}
			at += len(o.literal)
		case o.letter == 'q':
			if m.end(line, at) {
				return true
			}
		case o.free:
			return p.free(k, line, at, m)
		default:
			n := o.strict(line, at, m)
			if n < 0 {
				return false
			}
			at += n
		}
	}
	if m.end(line, at) {
		return true
	}
	return m.endCut(line, skipBlanks(line, at))
}

// literalCut accepts a last literal whose trailing blanks the log has lost.
func (m *matched) literalCut(literal string, last bool, line []byte, at int) bool {
	short := bytes.TrimRight([]byte(literal), " ")
	if !last || len(short) == len(literal) || !bytes.HasPrefix(line[at:], short) {
		return false
	}
	return m.endCut(line, at+len(short))
}

// skipBlanks passes the one or two blanks that a prefix given without its
// trailing blank leaves.
func skipBlanks(line []byte, at int) int {
	for end := at + 2; at < end && at < len(line) && line[at] == ' '; at++ {
	}
	return at
}

// end matches the label at offset at.
func (m *matched) end(line []byte, at int) bool {
	l, sev, n := readLabel(line[at:])
	if n == 0 {
		return false
	}
	m.label, m.severity, m.body = l, sev, at+n
	return true
}

// endCut is end behind blanks that are missing or too many.
func (m *matched) endCut(line []byte, at int) bool {
	m.cut = m.end(line, at)
	return m.cut
}

// free matches a value of any text: it ends where what follows matches first.
func (p *prefix) free(k int, line []byte, at int, m *matched) bool {
	o := &p.ops[k]
	limit := min(len(line), at+maxValue)
	if k+1 == len(p.ops) || p.ops[k+1].letter != 0 {
		return p.freeAnywhere(k, line[:limit], line, at, m)
	}
	next := p.ops[k+1].literal
	if end := p.likelyEnd(k, line[at:limit]); end > 0 && at+end <= limit && p.tryFree(k, line, at, at+end, m) {
		return true
	}
	for end := o.least(line[:limit], at); end <= limit; end++ {
		i := bytes.Index(line[end:limit], []byte(next))
		if i < 0 || m.budget <= 0 {
			break
		}
		end += i
		if p.tryFree(k, line, at, end, m) {
			return true
		}
	}
	// The blanks at the end of the prefix may be lost.
	if p.blankAfter(k) {
		return p.freeAnywhere(k, line[:limit], line, at, m)
	}
	return false
}

// freeAnywhere ends the value at a label if nothing but blanks is to follow,
// else where the next value fits.
func (p *prefix) freeAnywhere(k int, window, line []byte, at int, m *matched) bool {
	if p.blankAfter(k) {
		return p.freeToLabel(k, window, line, at, m)
	}
	for end := p.ops[k].least(window, at); end <= len(window) && m.budget > 0; end++ {
		if p.tryFree(k, line, at, end, m) {
			return true
		}
	}
	return false
}

func (p *prefix) freeToLabel(k int, window, line []byte, at int, m *matched) bool {
	for end := at; end < len(window); end++ {
		if (window[end]-'A' < 26 || window[end] >= 0x80) && m.end(line, end) {
			m.cut = len(p.ops) > k+1
			p.setFree(k, line, at, at+len(bytes.TrimRight(line[at:end], " ")), m)
			return true
		}
	}
	return false
}

// least is the first offset at which a value of any text may end: behind its
// padding.
func (o *op) least(window []byte, at int) int {
	if o.left {
		return at + o.width
	}
	for end := at + o.width; at < end && at < len(window) && window[at] == ' '; at++ {
	}
	return at
}

// blankAfter reports whether only blanks or %q follow op k.
func (p *prefix) blankAfter(k int) bool {
	for _, o := range p.ops[k+1:] {
		if o.letter != 'q' && (o.letter != 0 || strings.Trim(o.literal, " ") != "") {
			return false
		}
	}
	return true
}

// likelyEnd is where a value ends that may hold what follows it: known backend
// types and command tags hold blanks, user names "@".
func (p *prefix) likelyEnd(k int, rest []byte) int {
	o := &p.ops[k]
	switch {
	case (o.letter == 'b' || o.letter == 'i') && (o.left || o.width == 0):
		if n := knownValue(o.letter, rest); n > 0 {
			return max(n, o.width)
		}
	case o.letter == 'u' && p.ops[k+1].literal == "@":
		return p.lastAt(k, rest)
	}
	return 0
}

// lastAt finds the "@" of %u@%d: user names hold one more often than database
// names do.
func (p *prefix) lastAt(k int, rest []byte) int {
	if k+3 < len(p.ops) && p.ops[k+2].letter == 'd' && p.ops[k+3].letter == 0 {
		if i := bytes.Index(rest, []byte(p.ops[k+3].literal)); i >= 0 {
			rest = rest[:i]
		}
	}
	return bytes.LastIndexByte(rest, '@')
}

func (p *prefix) tryFree(k int, line []byte, at, end int, m *matched) bool {
	m.budget--
	if m.budget < 0 || !p.from(k+1, line, end, m) {
		return false
	}
	p.setFree(k, line, at, end, m)
	return true
}

// setFree stores the value without its padding.
func (p *prefix) setFree(k int, line []byte, at, end int, m *matched) {
	o := &p.ops[k]
	if o.width > 0 {
		for o.left && end > at && line[end-1] == ' ' {
			end--
		}
		for !o.left && at < end && line[at] == ' ' {
			at++
		}
	}
	m.fields[o.field] = span{int32(at), int32(end)}
}

// strict matches a value with a grammar of its own and answers its length with
// padding, -1 if it does not fit.
func (o *op) strict(line []byte, at int, m *matched) int {
	start := at
	for !o.left && at-start < o.width && at < len(line) && line[at] == ' ' {
		at++
	}
	n := valueLength(o.letter, line[at:])
	if n < 0 {
		return -1
	}
	m.fields[o.field] = span{int32(at), int32(at + n)}
	at += n
	for o.left && at-start < o.width && at < len(line) && line[at] == ' ' {
		at++
	}
	return at - start
}

// valueLength is the length of the value of an escape at the start of b, -1 if
// it does not fit. %P, %v, %Q and %x may be empty.
func valueLength(letter byte, b []byte) int {
	switch letter {
	case 'm', 't', 's':
		if n, _ := timeLength(b); n > 0 {
			return n
		}
		return -1
	case 'p', 'l':
		return atLeast(1, digits(b))
	case 'P', 'x':
		return digits(b)
	case 'n':
		return pairLength(b, '.', digits)
	case 'c':
		return pairLength(b, '.', hexDigits)
	case 'v':
		if n := pairLength(b, '/', digits); n > 0 {
			return n
		}
		return 0
	case 'Q':
		if len(b) > 0 && b[0] == '-' {
			return 1 + digits(b[1:])
		}
		return digits(b)
	case 'e':
		if len(b) >= 5 && isSQLState(b[:5]) {
			return 5
		}
	}
	return -1
}

func atLeast(least, n int) int {
	if n < least {
		return -1
	}
	return n
}

// pairLength is the length of two numbers with a separator, -1 if b does not
// start so.
func pairLength(b []byte, sep byte, number func([]byte) int) int {
	i := number(b)
	if i == 0 || i >= len(b) || b[i] != sep {
		return -1
	}
	j := number(b[i+1:])
	if j == 0 {
		return -1
	}
	return i + 1 + j
}

func digits(b []byte) int {
	i := 0
	for i < len(b) && b[i]-'0' < 10 {
		i++
	}
	return i
}

func hexDigits(b []byte) int {
	i := 0
	for i < len(b) && (b[i]-'0' < 10 || b[i]-'a' < 6) {
		i++
	}
	return i
}
