package pglog

import "bytes"

// lineUnits are the lines of a file. read takes the carrier off one.
type lineUnits struct {
	read func(u *unwrapper, line []byte, c *carried)
}

func (l lineUnits) next(u *unwrapper, data []byte, at int, c *carried) int {
	line, next := cutLine(data, at)
	if len(line) > 0 {
		l.read(u, line, c)
	}
	return next
}

func (l lineUnits) begin(data []byte, accept func(c *carried) bool) int {
	u := newUnwrapper()
	for at := 0; at < len(data); {
		var c carried
		u.scratch = u.scratch[:0]
		next := l.next(u, data, at, &c)
		if accept(&c) {
			return at
		}
		at = next
	}
	return len(data)
}

func (lineUnits) opening([]byte) bool { return false }

func (l lineUnits) cut(data []byte, accept func(c *carried) bool) int {
	u := newUnwrapper()
	for end := len(data); end > 0; {
		at := bytes.LastIndexByte(data[:end], '\n') + 1
		if at == 0 {
			break
		}
		var c carried
		u.scratch = u.scratch[:0]
		if at < len(data) {
			l.next(u, data, at, &c)
			if accept(&c) {
				return at
			}
		}
		end = at - 1
	}
	return 0
}
