package pglog

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// wellKnown are prefixes in wide use; the shapes of the head's own lines are
// tried beside them.
var wellKnown = [...]string{
	"%m [%p] ", // the default since version 10
	"%t [%p] ",
	"%t:%r:%u@%d:[%p]:", // Amazon RDS and Aurora
	"%m [%p] %q%u@%d ",  // Debian
	"%m [%p] %q%u@%d %a ",
	"%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ", // pgBadger's manual
	"%t [%p]: [%l-1] %quser=%u,db=%d,app=%a,client=%h ",
	"%m [%p]: [%l-1] db=%d,user=%u ", // Google Cloud SQL
	"%t-%c-",                         // Azure
	"",
}

const (
	sampleLines    = 100 // lines spread over the head
	sampleOfShape  = 4   // further lines of one shape
	sampleShapes   = 24  // shapes tried
	labelSearch    = 1500
	scorePlausible = 4 // of a line; one less for each value that looks wrong
	scoreAnchor    = 1
)

// sampleLine is a line of the head that holds a label.
type sampleLine struct {
	line  []byte
	label int // offset of the label
}

// sample is what the head of a log shows of its prefix.
type sample struct {
	lines    []sampleLine // spread over the head, and some of each shape
	labelled int          // lines with a label
	plain    int          // lines that do not start with TAB
	tabbed   bool         // some do
	shapes   map[string]int
	timed    []byte // the first line that begins with a time
}

// takeSample collects lines with a label. Lines of rare shapes, such as those of
// background processes, must be among them.
func takeSample(head []byte) *sample {
	s := &sample{shapes: make(map[string]int)}
	var all []sampleLine
	for at := 0; at < len(head); {
		line, next := cutLine(head, at)
		at = next
		if len(line) == 0 || line[0] == '\t' {
			s.tabbed = s.tabbed || len(line) > 0
			continue
		}
		s.plain++
		if s.timed == nil && isTimed(line) {
			s.timed = line
		}
		if i := findLabel(line); i >= 0 {
			all = append(all, sampleLine{line, i})
		}
	}
	s.labelled = len(all)
	step := len(all)/sampleLines + 1
	for i, l := range all {
		shape := shapeOf(l.line[:l.label], true)
		s.shapes[shape]++
		if i%step == 0 || s.shapes[shape] <= sampleOfShape && len(s.lines) < 2*sampleLines {
			s.lines = append(s.lines, l)
			s.shapes[shapeOf(l.line[:l.label], false)]++
		}
	}
	return s
}

// cutLine is the line at offset at without its end, and the offset of the next.
func cutLine(data []byte, at int) (line []byte, next int) {
	end := bytes.IndexByte(data[at:], '\n')
	if end < 0 {
		end, next = len(data), len(data)
	} else {
		end += at
		next = end + 1
	}
	if end > at && data[end-1] == '\r' {
		end--
	}
	return data[at:end], next
}

// findLabel is the offset of the first label of line, -1 if there is none.
func findLabel(line []byte) int {
	line = line[:min(len(line), labelSearch)]
	for from := 0; ; {
		i := bytes.Index(line[from:], []byte(":  "))
		if i < 0 {
			return -1
		}
		start := from + i
		if start > 0 && line[start-1] == ' ' {
			start--
		}
		for start > max(0, from+i-maxLabel) && isLabelByte(line[start-1]) {
			start--
		}
		for ; start < from+i; start++ {
			if _, _, n := readLabel(line[start:]); n > 0 {
				return start
			}
		}
		from += i + 1
	}
}

// guess is a prefix and how well it explains the sample.
type guess struct {
	prefix  *prefix
	score   int
	matched int
	filled  int // values that were not empty on every line
}

func (g *guess) better(h *guess) bool {
	if g.score != h.score {
		return g.score > h.score
	}
	if a, b := g.prefix.words(), h.prefix.words(); a != b {
		return a < b
	}
	if g.filled != h.filled {
		return g.filled > h.filled
	}
	return len(g.prefix.ops) < len(h.prefix.ops)
}

// words counts the letters in literals that are not the key of a key=value:
// values taken for literals, mostly.
func (p *prefix) words() int {
	n := 0
	for _, o := range p.ops {
		run := 0
		for _, c := range o.literal {
			switch {
			case unicode.IsLetter(c):
				run++
			case c == '=' || c == '_':
				run = 0
			default:
				n += run
				run = 0
			}
		}
		n += run
	}
	return n
}

// detectPrefix finds the log_line_prefix that explains the sample best; nil if
// none explains a line. The shapes of the lines themselves and the well-known
// prefixes are tried, then %q at each place of the best of them: of the one that
// scores best, of the one that does so on the lines it explains, and of the one
// with the most values; and constant words of these as values, which lines of
// other processes lack.
//
// The prefixes of earlier files of the folder are tried too. Where one does as
// well, it is taken: the head of one file may not show all.
func detectPrefix(s *sample, earlier []string) *guess {
	best := s.ownPrefix()
	for _, g := range score(earlier, s.lines) {
		if g.matched == len(s.lines) && (best == nil || g.score >= best.score) {
			return g
		}
	}
	if best == nil {
		return nil
	}
	return best.withQuit(s.lines)
}

// ownPrefix is the prefix that the sample itself tells.
func (s *sample) ownPrefix() *guess {
	guesses := score(append(s.commonShapes(), wellKnown[:]...), s.lines)
	if len(guesses) == 0 {
		return nil
	}
	best, purest, fullest := guesses[0], guesses[0], guesses[0]
	for _, g := range guesses[1:] {
		if g.better(best) {
			best = g
		}
		if g.purer(purest, len(s.lines)/4) {
			purest = g
		}
		if g.filled > fullest.filled || g.filled == fullest.filled && g.better(fullest) {
			fullest = g
		}
	}
	for _, base := range slices.Compact([]*guess{best, purest, fullest}) {
		if base.matched == len(s.lines) {
			continue
		}
		for _, g := range score(freed(base.prefix.text, s.lines), s.lines) {
			if g.matched > base.matched && g.better(best) {
				best = g
			}
		}
		for _, g := range score(quits(base.prefix.text), s.lines) {
			if g.better(best) {
				best = g
			}
		}
	}
	return best
}

// withQuit is g with a %q before the first value that only sessions have: a head
// without a line of a background process cannot tell, and other parts of the log
// have some. A line where that value is empty tells that there is no %q.
func (g *guess) withQuit(lines []sampleLine) *guess {
	at, field := quitPlace(g.prefix.text)
	if at <= 0 {
		return g
	}
	var m matched
	for _, l := range lines {
		if g.prefix.match(l.line, &m) && m.field(l.line, field) == nil {
			return g
		}
	}
	text := g.prefix.text
	for _, with := range score([]string{text[:at] + "%q" + text[at:]}, lines) {
		if with.matched == g.matched && with.score == g.score {
			return with
		}
	}
	return g
}

// quitPlace is where people put %q in a prefix: before the word with the first
// of %u, %d, %a, %r and %h, whose field it answers; 0 if the prefix has a %q,
// none of these, or no such place.
func quitPlace(text string) (at, field int) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		start := i
		for i++; i+1 < len(text) && (text[i] == '-' || text[i]-'0' < 10); i++ {
		}
		switch text[i] {
		case 'q':
			return 0, 0
		case 'u', 'd', 'a', 'r', 'h':
			if at == 0 {
				at, field = strings.LastIndexByte(text[:start], ' ')+1, strings.IndexByte(escapes, text[i])
			}
		}
	}
	return at, field
}

// purer reports whether g explains at least so many lines, and each better than
// h does.
func (g *guess) purer(h *guess, least int) bool {
	if g.matched < least {
		return false
	}
	if a, b := g.score*h.matched, h.score*g.matched; a != b {
		return a > b
	}
	return g.better(h)
}

// quits puts %q at each place of a prefix, except behind a value of any text,
// which could not be told from what follows.
func quits(text string) []string {
	var list []string
	for i := range text {
		if i < 2 || text[i-2] != '%' || strings.IndexByte(freeEscapes, text[i-1]) < 0 {
			list = append(list, text[:i]+"%q"+text[i:])
		}
	}
	return list
}

// score is the guesses that explain a line.
func score(texts []string, lines []sampleLine) []*guess {
	var list []*guess
	for _, text := range texts {
		p, err := compilePrefix(text)
		if err != nil {
			continue
		}
		if g := p.score(lines); g.matched > 0 {
			list = append(list, g)
		}
	}
	return list
}

// commonShapes are the likely prefixes behind the lines, the most frequent
// first.
func (s *sample) commonShapes() []string {
	list := make([]string, 0, len(s.shapes))
	for shape := range s.shapes {
		list = append(list, shape)
	}
	sort.Slice(list, func(i, j int) bool {
		if s.shapes[list[i]] != s.shapes[list[j]] {
			return s.shapes[list[i]] > s.shapes[list[j]]
		}
		return list[i] < list[j]
	})
	return list[:min(len(list), sampleShapes)]
}

// score counts the lines that p explains; a line whose values look wrong counts
// less.
func (p *prefix) score(lines []sampleLine) *guess {
	g := &guess{prefix: p}
	var m matched
	var filled [fieldCount]bool
	for _, l := range lines {
		if !p.match(l.line, &m) {
			continue
		}
		g.matched++
		for i, f := range m.fields {
			if f.end > f.start && !filled[i] {
				filled[i] = true
				g.filled++
			}
		}
		if p.text == "" {
			g.score += scoreAnchor
			continue
		}
		g.score += max(scoreAnchor, scorePlausible-p.oddness(&m, l.line))
	}
	return g
}

// oddness counts what the values of a line hold that their kind does not: parts
// of the next value, mostly.
func (p *prefix) oddness(m *matched, line []byte) int {
	n := 0
	if m.cut {
		n = scorePlausible
	}
	for i, o := range p.ops {
		v := m.field(line, o.field)
		if !o.free || len(v) == 0 {
			continue
		}
		keyed := i > 0 && strings.HasSuffix(p.ops[i-1].literal, "=")
		n += bytes.Count(v, []byte{'='})
		if !plausible(o.letter, v, keyed) {
			n++
		}
	}
	return n
}

// plausible judges a value: names with separators in them are rare, with blanks
// unless a key stands before them; blanks around a value are part of the prefix.
func plausible(letter byte, v []byte, keyed bool) bool {
	if v[0] == ' ' || v[len(v)-1] == ' ' || v[len(v)-1] == ':' {
		return false
	}
	switch letter {
	case 'u':
		return !bytes.ContainsAny(v, ",|;") && (keyed || bytes.IndexByte(v, ' ') < 0)
	case 'd':
		return !bytes.ContainsAny(v, ",|;@") && (keyed || bytes.IndexByte(v, ' ') < 0)
	case 'a':
		return !bytes.ContainsAny(v, ",|;")
	case 'h', 'L':
		return !bytes.ContainsAny(v, " (,@")
	case 'r':
		return v[len(v)-1] == ')' || v[0] == '['
	}
	return !bytes.ContainsAny(v, "@|,")
}
