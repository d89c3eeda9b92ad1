package psql

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Frame reads psql's output: plans in frames of any style, and plans between
// them.
var Frame = source.Format{
	Name:   "psql",
	Doc:    "psql output with plans: frames of every style, transcripts",
	Detect: detect,
}

// Scores: above explain-text (80 at the start of a file), below the formats of
// logs.
const (
	scoreFrame      = 85
	scoreTranscript = 65
)

// detect claims a file with a plan in a frame, or with the build of an index.
func detect(h *source.Head) *source.Detection {
	if explain.IsLog(h.Data) {
		return nil
	}
	if d := detectPlan(h); d != nil {
		return d
	}
	if isBuild(h.Data) {
		return detection(h, "transcript", scoreTranscript)
	}
	return nil
}

func detectPlan(h *source.Head) *source.Detection {
	if !bytes.Contains(h.Data, []byte(queryPlan)) && !bytes.Contains(h.Data, []byte("Node")) &&
		!bytes.Contains(h.Data, []byte("cost=")) {
		return nil
	}
	var dry record.Batch
	lines := explain.Unwrap(explain.SplitLines(h.Data, record.Pos{Line: 1}), "", &dry)
	t, at := firstPlan(lines)
	if at < 0 {
		return nil
	}
	score := scoreTranscript
	if at == 0 || len(bytes.TrimSpace(joined(lines[:at]))) == 0 {
		score = scoreFrame
	}
	return detection(h, t.style, score)
}

// isBuild tells the transcript of an index build by the notice of it beside a
// prompt or a command tag, which no log has.
func isBuild(data []byte) bool {
	notice, client := false, false
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		if message, ok := cutNotice(line); ok {
			_, ok = record.BuildNotice(message)
			notice = notice || ok
			continue
		}
		_, first, _ := cutPrompt(line)
		_, _, tag := cutTag(line)
		client = client || first || tag
	}
	return notice && client
}

// detection reads the file whole.
func detection(h *source.Head, style string, score int) *source.Detection {
	d := &source.Detection{
		Score:  score,
		Detail: style,
		Whole:  true,
		Begin:  func([]byte) int { return 0 },
		Cut:    func(data []byte) int { return len(data) },
		Parse:  func(block []byte, pos record.Pos, b *record.Batch) { parse(h, block, pos, b) },
	}
	if _, ok := record.TimeFromName(h.Name); ok {
		d.TimeFrom = record.TimeFileName
	}
	return d
}

func joined(lines []explain.Line) []byte {
	var text []byte
	for _, l := range lines {
		text = append(text, l.Text...)
	}
	return text
}

// firstPlan finds the first frame with a plan and its line, −1 if there is none.
func firstPlan(lines []explain.Line) (table, int) {
	for i := 0; i < len(lines); {
		t, ok := frameAt(lines[i:])
		if ok && t.hasPlan() {
			return t, i
		}
		i += max(t.size, 1)
	}
	return table{}, -1
}

// frameAt reads the frame that begins at the first line.
func frameAt(lines []explain.Line) (table, bool) {
	if len(bytes.TrimSpace(lines[0].Text)) == 0 {
		return table{}, false
	}
	for _, read := range [...]func([]explain.Line) (table, bool){
		expanded, aligned, unaligned, unalignedExpanded, htmlTable, marked,
	} {
		if t, ok := read(lines); ok {
			return t, true
		}
	}
	return table{}, false
}

// parse reads a whole file.
func parse(h *source.Head, block []byte, pos record.Pos, b *record.Batch) {
	b.Bytes += int64(len(block))
	lines := explain.SplitLines(bytes.TrimPrefix(block, []byte("\uFEFF")), pos)
	b.Lines += int64(len(lines))
	lines = explain.Unwrap(lines, pos.File, b)
	frames := record.Repair{Name: "psql frames"}
	notes := newTranscript(h, pos.File, b)
	other := 0
	for i := 0; i < len(lines); {
		t, ok := frameAt(lines[i:])
		if !ok {
			i++
			continue
		}
		notes.between(lines[other:i])
		if t.hasPlan() {
			if frames.Count == 0 {
				frames.Pos = record.Pos{File: pos.File, Line: lines[i].Number, Offset: lines[i].Offset}
			}
			frames.Count++
			t.read(h, pos.File, b)
		} else if !notes.snapshot(&t) && !notes.clock(&t) {
			notes.table(&t)
		}
		i += max(t.size, 1)
		other = i
	}
	notes.between(lines[other:])
	if frames.Count > 0 {
		b.Repairs = append(b.Repairs, frames)
	}
}

// between reads the text between frames: tuples alone, plans that were pasted,
// and what a transcript says of itself.
func (t *transcript) between(lines []explain.Line) {
	bare := explain.IsPlan(lines)
	if bare {
		explain.Read(t.head, lines, t.file, t.b)
	}
	t.lines(lines, bare)
}
