package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// Stderr is log_destination = stderr with any log_line_prefix.
var Stderr = source.Format{
	Name:   "stderr",
	Doc:    "PostgreSQL log, log_destination = stderr, any log_line_prefix",
	Detect: detectStderr,
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// stderrLog reads lines that a prefix explains.
type stderrLog struct {
	*workers
	prefix *prefix
	loose  *prefix // reads what prefix does not explain; may be nil
	anchor *prefix // reads what neither explains; may be nil
	lacks  []string
	exact  bool // see carrier
	// tabbed says that further lines of a message begin with a TAB, as
	// PostgreSQL writes them: others are of another program.
	tabbed bool
	// unexplained is the loss of a line that neither reads.
	unexplained string
}

func detectStderr(h *source.Head) *source.Detection {
	_, d := recogniseStderr(h, new(carrier))
	return d
}

// recogniseStderr finds the prefix, or tries the one given. What the carrier
// tells, the prefix need not. Both results are nil if h is no log; without a
// log the detection says why.
func recogniseStderr(h *source.Head, c *carrier) (*stderrLog, *source.Detection) {
	s := takeSample(bytes.TrimPrefix(h.Data, byteOrderMark))
	if s.labelled == 0 {
		return nil, s.noLabel()
	}
	if h.Prefix != "" || c.bare {
		p, err := compilePrefix(h.Prefix)
		if err != nil {
			return nil, &source.Detection{Score: 1, Reason: err.Error()}
		}
		if g := p.score(s.lines); g.matched > 0 {
			return newStderr(h, g, s, c)
		}
		return nil, &source.Detection{Score: 1, Reason: p.misfit(s.lines[0].line)}
	}
	g := detectPrefix(s, h.Prefixes)
	if g == nil {
		return nil, s.noPrefix()
	}
	return newStderr(h, g, s, c)
}

func newStderr(h *source.Head, g *guess, s *sample, c *carrier) (*stderrLog, *source.Detection) {
	l := &stderrLog{workers: newWorkers(h), prefix: g.prefix, anchor: g.prefix.anchor(), lacks: g.prefix.lacks(c), exact: c.exact}
	if h.Prefix == "" && !c.bare {
		l.loose = g.prefix.loose(s.lines)
	}
	l.tabbed = s.tabbed && c.units == nil
	l.unexplained = "line that the prefix '" + g.prefix.text + "' does not explain; give --prefix"
	score := (60 + 35*s.labelled/max(s.plain, 1)) * g.matched / len(s.lines)
	if !g.prefix.hasAny("mtnpc") && !c.hasTime && !c.hasPID {
		score /= 5
	}
	return l, &source.Detection{
		Score:  max(score, 1),
		Detail: "prefix '" + g.prefix.text + "'",
		Prefix: g.prefix.text,
		Zone:   l.zone(s.lines),
		Begin:  l.begin,
		GoesOn: l.goesOn,
		Cut:    l.cut,
		Parse:  l.parse,
	}
}

// goesOn reports whether data begins with a further line of an entry: behind a
// TAB, or a labelled part of it.
func (s *stderrLog) goesOn(data []byte) bool {
	if len(data) > 0 && data[0] == '\t' {
		return true
	}
	var m matched
	line, _ := cutLine(data, 0)
	return s.match(line, &m) && m.label != labelPrimary
}

// zone is the zone of the first time that the prefix finds.
func (s *stderrLog) zone(lines []sampleLine) string {
	var m matched
	for _, l := range lines {
		if !s.match(l.line, &m) {
			continue
		}
		for _, field := range [...]int{fieldTimeMS, fieldTime} {
			if text := m.field(l.line, field); text != nil {
				_, z := timeLength(text)
				return string(text[z:])
			}
		}
	}
	return ""
}

// match reports whether a line is part of an entry: the prefix and a label.
func (s *stderrLog) match(line []byte, m *matched) bool {
	if len(line) == 0 || line[0] == '\t' {
		return false
	}
	m.anchored, m.loose = false, false
	if s.prefix.match(line, m) {
		return true
	}
	if m.loose = s.loose != nil && s.loose.match(line, m); m.loose {
		return true
	}
	m.anchored = s.anchor != nil && s.anchor.match(line, m)
	return m.anchored
}

// begin finds the first primary line.
func (s *stderrLog) begin(data []byte) int {
	var m matched
	for at := 0; at < len(data); {
		if at == 0 && bytes.HasPrefix(data, byteOrderMark) {
			at = len(byteOrderMark)
		}
		line, next := cutLine(data, at)
		if s.match(line, &m) && m.label == labelPrimary {
			return at
		}
		at = next
	}
	return len(data)
}

// cut cuts before the last primary line. PostgreSQL writes the lines of an entry
// in one piece, so that what belongs to earlier entries stands before it.
func (s *stderrLog) cut(data []byte) int {
	var m matched
	for end := len(data); end > 0; {
		at := bytes.LastIndexByte(data[:end], '\n') + 1
		if at == 0 {
			break
		}
		if at < len(data) && data[at] != '\t' {
			line, _ := cutLine(data, at)
			if s.match(line, &m) && m.label == labelPrimary {
				return at
			}
		}
		end = at - 1
	}
	return 0
}
