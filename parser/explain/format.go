package explain

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// bom is the byte order mark that some editors and shells put before UTF-8.
var bom = []byte("\uFEFF")

// reader reads all plans of one block of a file, whatever the format.
type reader struct {
	head   *source.Head
	batch  *record.Batch
	parser *Parser
	block  []byte
	pos    record.Pos // of block[offset]
	offset int
	row    int // line of the block at offset, 0 for the first
	first  record.Pos
	// lines are where the lines of the block stood in the file, if its text is
	// not the file's own; numbers are their lines and that of the end.
	lines   []Line
	numbers []int64
	named   record.Time
}

// newReader counts the block and mends it if need be.
func newReader(h *source.Head, block []byte, pos record.Pos, b *record.Batch) *reader {
	b.Bytes += int64(len(block))
	b.Lines += int64(bytes.Count(block, newline))
	if n := len(block); n > 0 && block[n-1] != '\n' {
		b.Lines++
	}
	r := &reader{head: h, batch: b, parser: NewParser(), block: block, pos: pos, first: pos}
	r.named = record.NoTime
	if t, ok := record.TimeFromName(h.Name); ok {
		r.named = t
	}
	if bytes.HasPrefix(block, bom) {
		r.moveTo(len(bom))
	}
	return r
}

// readerOf reads lines that were freed of their carrier.
func readerOf(h *source.Head, lines []Line, file string, b *record.Batch) *reader {
	r := &reader{head: h, batch: b, parser: NewParser(), named: record.NoTime}
	r.pos.File = file
	if t, ok := record.TimeFromName(h.Name); ok {
		r.named = t
	}
	r.use(lines)
	return r
}

// use makes lines the text that is read.
func (r *reader) use(lines []Line) {
	r.block, r.lines, r.offset, r.row = joinLines(lines), lines, 0, 0
	r.numbers = make([]int64, len(lines)+1)
	for i := range lines {
		r.numbers[i] = lines[i].Number
		r.numbers[i+1] = lines[i].Number + 1
	}
	r.moveTo(0)
}

// mend undoes damage to the block's lines.
func (r *reader) mend(passes []pass) {
	lines := r.lines
	if lines == nil {
		lines = SplitLines(r.block, r.first)
	}
	repairs := len(r.batch.Repairs)
	mended := mend(lines, passes, r.pos.File, r.batch)
	if len(r.batch.Repairs) > repairs {
		r.use(mended)
	}
}

// moveTo advances the place to an offset of the block.
func (r *reader) moveTo(offset int) {
	r.row += bytes.Count(r.block[r.offset:offset], newline)
	r.offset = offset
	if r.lines == nil {
		r.pos.Line = r.first.Line + int64(r.row)
		r.pos.Offset = r.first.Offset + int64(offset)
	} else if r.row < len(r.lines) {
		l := &r.lines[r.row]
		r.pos.Line, r.pos.Offset = l.Number, l.Offset
	}
}

// options are those of a plan that starts at the present place.
func (r *reader) options() Options {
	o := Options{Extras: true, Line: r.pos.Line}
	if r.lines != nil {
		o.Lines = r.numbers[r.row:]
	}
	return o
}

// maxLosses is how many losses of a block keep their places; further ones are
// counted with the last.
const maxLosses = 100

// lose records damage at the present place.
func (r *reader) lose(err error) {
	r.batch.Entries++
	if n := len(r.batch.Losses); n >= maxLosses {
		r.batch.Losses[n-1].Count++
		return
	}
	r.batch.Losses = append(r.batch.Losses, record.Loss{
		Pos: r.pos, Kind: record.LossPlan, Text: err.Error(), Count: 1,
	})
}

// add makes an execution of a plan that starts at the present place.
func (r *reader) add(p *record.Plan) {
	if p.Truncated {
		r.batch.Losses = append(r.batch.Losses, record.Loss{
			Pos: r.pos, Kind: record.LossTruncated, Text: "the file ends inside a plan", Count: 1,
		})
	}
	e := record.Execution{
		Pos:        r.pos,
		LogTime:    r.named,
		Resolution: record.Second,
		Kind:       record.ExecExplain,
		LineNum:    -1,
		QueryID:    p.QueryID,
		Parameters: p.QueryParameters,
		HasPlan:    true,
		Figures:    p.Figures,
		Plan:       Clone(p),
	}
	for _, kv := range p.Extra {
		if kv.Key == duplicateKeys {
			n, _, _ := fixed([]byte(kv.Value), 0)
			r.batch.Repairs = append(r.batch.Repairs, record.Repair{Pos: r.pos, Name: "duplicate keys", Count: n})
		}
		if t, ok := record.ParseTime(kv.Value); ok && kv.Key == "captured_at" {
			e.LogTime, e.Resolution = t, record.Microsecond
		}
	}
	e.Duration, e.HasDuration = duration(p)
	if p.QueryText != "" && r.head.Intern != nil {
		e.Statement = r.head.Intern([]byte(p.QueryText))
	} else {
		e.Statement = statementOf(p)
	}
	r.batch.Executions = append(r.batch.Executions, e)
	r.batch.Entries++
	r.batch.Understood++
}

// duration is the execution time if it was printed, else the root's.
func duration(p *record.Plan) (record.Duration, bool) {
	root := &p.Nodes[0]
	if p.HasExecution {
		return p.ExecutionTime, true
	}
	return root.ActualTotalTime, root.Has(record.HasTiming)
}

// statementOf makes a statement of a plan that does not carry its query.
func statementOf(p *record.Plan) *record.Statement {
	s := &record.Statement{
		Fingerprint: fmt.Sprintf("plan:%016x", p.Figures.Shape),
		Normalized:  ShapeText(p),
		Command:     "SELECT",
		Approximate: true,
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.RelationName == "" {
			continue
		}
		relation := n.RelationName
		if n.SchemaName != "" {
			relation = n.SchemaName + "." + relation
		}
		s.Relations = append(s.Relations, relation)
		if n.NodeType == "ModifyTable" && s.Target == "" {
			s.Command, s.Target = strings.ToUpper(n.Operation), relation
		}
	}
	slices.Sort(s.Relations)
	s.Relations = slices.Compact(s.Relations)
	return s
}

// whole is the detection of a file that is read in one block.
func whole(h *source.Head, score int, detail string, parse func(*reader)) *source.Detection {
	d := &source.Detection{
		Score:  score,
		Detail: detail,
		Whole:  true,
		Begin:  func([]byte) int { return 0 },
		Cut:    func(data []byte) int { return len(data) },
		Parse: func(block []byte, pos record.Pos, b *record.Batch) {
			parse(newReader(h, block, pos, b))
		},
	}
	if _, ok := record.TimeFromName(h.Name); ok {
		d.TimeFrom = record.TimeFileName
	}
	return d
}

// foreign is the detection of a plan of another database.
func foreign(err error) *source.Detection {
	d := &source.Detection{Score: 50, Reason: ErrForeign.Error()}
	var named *ForeignError
	if errors.As(err, &named) {
		d.Reason = named.reason()
	}
	return d
}

// isForeign tells the error for a plan of another database.
func isForeign(err error) bool { return errors.Is(err, ErrForeign) }
