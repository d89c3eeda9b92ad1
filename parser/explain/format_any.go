package explain

import (
	"bytes"
	"errors"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Any reads plans of any format from files that hold other text as well, or
// whose lines stand in a carrier: quoted mail, markdown, numbered lines, copied
// cells, syslog.
var Any = source.Format{
	Name:   "explain",
	Doc:    "EXPLAIN output of any format in mail, markdown, numbered or quoted lines",
	Detect: detectAny,
}

// Scores of Any: plans in a carrier above Text, which sees some of them only;
// plans that a width limit has cut below the formats that mend them as well.
const (
	scoreCarrier = 82
	scoreBroken  = 60
	scoreMixed   = 30
)

func detectAny(h *source.Head) *source.Detection {
	if IsLog(h.Data) {
		return nil
	}
	lines := SplitLines(h.Data, record.Pos{Line: 1})
	var dry record.Batch
	score, detail := scoreMixed, "plans among other text"
	if lines = mend(lines, carriers[:], "", &dry); len(dry.Repairs) > 0 {
		score, detail = scoreCarrier, dry.Repairs[0].Name
	} else if lines = mend(lines, breaks[:], "", &dry); len(dry.Repairs) > 0 {
		score, detail = scoreBroken, dry.Repairs[0].Name
	}
	if !IsPlan(lines) {
		return foreignText(h.Data)
	}
	return whole(h, score, detail, func(r *reader) {
		r.mend(carriers[:])
		readAny(r)
	})
}

// IsLog tells a log by its first lines: plans in it belong to its entries.
func IsLog(data []byte) bool {
	const near = 100 // lines
	n := 0
	for line := range bytes.Lines(data) {
		if isLogLine(trimLineEnd(line)) {
			return true
		}
		if n++; n == near {
			break
		}
	}
	return false
}

// foreignText is the refusal of a text that another database printed; nil if
// its first lines tell nothing.
func foreignText(data []byte) *source.Detection {
	const near = 6 // lines
	n := 0
	for line := range bytes.Lines(bytes.TrimSpace(data)) {
		if database := foreignLine(bytes.TrimSpace(line), n == 0); database != "" {
			return foreign(&ForeignError{Database: database})
		}
		if n++; n == near {
			break
		}
	}
	return nil
}

// IsPlan tells whether a plan begins in lines.
func IsPlan(lines []Line) bool {
	bare := true
	for i := range lines {
		text := bytes.TrimSpace(lines[i].Text)
		switch startOf(text, bare) {
		case startNone:
			bare = isHeader(text) || bare && len(text) == 0
			continue
		case startJSON:
			const near = 10 // lines
			for _, l := range lines[i:min(i+near, len(lines))] {
				if bytes.Contains(l.Text, []byte(`"Node Type"`)) || bytes.Contains(l.Text, []byte(`"Plan"`)) {
					return true
				}
			}
			continue
		}
		return true
	}
	return false
}

// start is what a line may begin.
type start uint8

const (
	startNone start = iota
	startText
	startMessage // auto_explain's text
	startJSON
	startXML
	startYAML
)

// startOf tells what begins at a line; a root without costs is believed only if
// bare.
func startOf(text []byte, bare bool) start {
	switch {
	case len(text) == 0:
		return startNone
	case text[0] == '{', text[0] == '[' && (len(text) == 1 || nextObject(text) > 0):
		return startJSON
	case text[0] == '<':
		if isXMLStart(text) {
			return startXML
		}
		return startNone
	case isYAMLStart(text):
		return startYAML
	case bytes.HasPrefix(text, queryLabel):
		return startMessage
	case isRoot(text, !bare):
		return startText
	}
	if _, ok := cutFragment(text); ok && bare {
		return startText
	}
	return startNone
}

// Read reads every plan in lines that were freed of their carrier and appends
// what it finds to b. Text between plans is passed over; damaged plans and plans
// of other databases are losses.
func Read(h *source.Head, lines []Line, file string, b *record.Batch) {
	readAny(readerOf(h, lines, file, b))
}

func readAny(r *reader) {
	r.mend(breaks[:])
	bare := true
	for r.offset < len(r.block) {
		text := r.thisLine()
		kind := startOf(text, bare)
		if kind == startNone {
			bare = isHeader(text) || bare && len(text) == 0
			r.nextLine()
			continue
		}
		bare = false
		r.readOne(kind)
	}
}

// thisLine is the line at the present place without its indentation.
func (r *reader) thisLine() []byte {
	text := r.block[r.offset:]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return bytes.TrimSpace(text)
}

// readOne reads the plan that begins at the present line and moves behind it.
func (r *reader) readOne(kind start) {
	data := r.block[r.offset:]
	if kind == startMessage {
		data = data[:messageEnd(data)]
	}
	var plan *record.Plan
	var n int
	var err error
	switch kind {
	case startJSON:
		if i := nextObject(data); i > 0 {
			r.moveTo(r.offset + i)
			data = data[i:]
		}
		plan, n, err = r.parser.JSON(data, r.options())
	case startXML:
		plan, n, err = r.parser.XML(data, r.options())
	case startYAML:
		plan, n, err = r.parser.YAML(data, r.options())
	default:
		plan, n, err = r.parser.Text(data, r.options())
	}
	switch {
	case err == nil:
		r.add(plan)
		r.moveTo(r.offset + max(n, 1))
		return
	case errors.Is(err, ErrNoPlan) && kind == startJSON && n > 0:
		r.moveTo(r.offset + n) // an object of something else
		return
	case !errors.Is(err, ErrNoPlan) && (kind != startJSON || bytes.Contains(data[:n], []byte(`"Plan"`))):
		r.lose(err)
	}
	r.moveTo(r.offset + n)
	r.nextLine()
}

// messageEnd is where auto_explain's message ends in a text that goes on: at the
// next one, or at the next entry of a log.
func messageEnd(data []byte) int {
	for offset := 0; ; {
		i := bytes.IndexByte(data[offset:], '\n')
		if i < 0 {
			return len(data)
		}
		offset += i + 1
		line := data[offset:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		text := bytes.TrimLeft(line, " \t")
		if _, part := syslogPart(line); bytes.HasPrefix(text, queryLabel) || isLogLine(text) || part > 0 {
			return offset
		}
	}
}
