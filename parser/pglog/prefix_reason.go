package pglog

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/source"
)

// misfit says where a prefix that the user gave stops explaining a line.
func (p *prefix) misfit(line []byte) string {
	best, at := 0, 0
	for k := range p.ops {
		part := &prefix{ops: p.ops[: k+1 : k+1]}
		part.ops = append(part.ops, op{letter: escapeSkip, field: fieldSkip, free: true})
		var m matched
		if !part.match(line, &m) {
			break
		}
		best, at = k+1, int(m.fields[fieldSkip].start)
	}
	text := fmt.Sprintf("--prefix %q does not fit; first line: %s", p.text, excerpt(line, reasonLine))
	if len(p.unknown) > 0 {
		text += fmt.Sprintf("; PostgreSQL knows no %%%c", p.unknown[0])
	}
	if best == len(p.ops) {
		return text
	}
	return text + "; " + p.ops[best].name() + " is missing at " + strconv.Quote(excerpt(bytes.TrimSpace(line[at:]), 30))
}

// name is the op as log_line_prefix has it.
func (o *op) name() string {
	if o.letter == 0 {
		return strconv.Quote(o.literal)
	}
	return "%" + string(o.letter)
}

// isTimed reports lines of a log: a time, and no column behind it. Some programs
// print milliseconds behind a comma.
func isTimed(line []byte) bool {
	n, _ := timeLength(line)
	if n == 0 || n >= len(line) {
		return false
	}
	return strings.IndexByte(",;|\t", line[n]) < 0 || line[n] == ',' && digits(line[n+1:]) == 3
}

// noLabel says why lines that begin with a time are no log of PostgreSQL; nil if
// there are none.
func (s *sample) noLabel() *source.Detection {
	if s.timed == nil {
		return nil
	}
	return &source.Detection{Score: 1, Reason: "lines begin with a time, but none has a severity of PostgreSQL (LOG:, ERROR: …); first: " +
		excerpt(s.timed, reasonLine)}
}

// noPrefix says why lines with a severity are no log.
func (s *sample) noPrefix() *source.Detection {
	if s.timed == nil {
		return nil
	}
	return &source.Detection{Score: 1, Reason: "looks like a log of PostgreSQL, but no log_line_prefix explains it; give --prefix; first line: " +
		excerpt(s.lines[0].line, reasonLine)}
}

// reasonLine is how much of a line is shown, in bytes.
const reasonLine = 160
