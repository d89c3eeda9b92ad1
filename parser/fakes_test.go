package parser

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// lineLog stands for stderr logs: an entry is "@TIME TEXT" and the lines after
// it that begin otherwise.
var lineLog = source.Format{Name: "line-log", Detect: detectByFirst(lineStart, func() *source.Detection {
	return &source.Detection{
		Score: 50,
		Begin: func(data []byte) int { return beginOf(lineStart, data) },
		Cut:   func(data []byte) int { return bytes.LastIndex(data, []byte("\n@")) + 1 },
		Parse: func(block []byte, pos record.Pos, b *record.Batch) {
			for len(block) > 0 {
				n := bytes.Index(block, []byte("\n@")) + 1
				if n == 0 {
					n = len(block)
				}
				entry(block[:n], pos, b)
				pos.Line += int64(bytes.Count(block[:n], []byte("\n")))
				pos.Offset += int64(n)
				block = block[n:]
			}
		},
	}
})}

// quoteLog stands for csvlog: an entry is `@TIME "TEXT"`, where the text may
// hold anything but quotes.
var quoteLog = source.Format{Name: "quote-log", Detect: detectByFirst(quoteStart, func() *source.Detection {
	return &source.Detection{
		Score: 90,
		Begin: func(data []byte) int { return beginOf(quoteStart, data) },
		Cut:   func(data []byte) int { return lastRow(data) },
		Parse: func(block []byte, pos record.Pos, b *record.Batch) {
			for len(block) > 0 {
				n := rowEnd(block)
				if n < 0 {
					b.Entries++
					b.Losses = append(b.Losses, record.Loss{Pos: pos, Kind: record.LossEntry, Text: "no closing quote", Count: 1})
					return
				}
				entry(block[:n], pos, b)
				pos.Line += int64(bytes.Count(block[:n], []byte("\n")))
				pos.Offset += int64(n)
				block = block[n:]
			}
		},
	}
})}

// rowTable stands for snapshots: a header, then a row a line.
var rowTable = source.Format{Name: "row-table", Detect: func(h *source.Head) *source.Detection {
	if !bytes.HasPrefix(h.Data, []byte("relname\n")) {
		return nil
	}
	return &source.Detection{
		Score: 60, View: record.ViewTables, TimeFrom: record.TimeFileName, Detail: "1 column",
		Begin: func(data []byte) int { return bytes.IndexByte(data, '\n') + 1 },
		Cut:   func(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 },
		Parse: func(block []byte, pos record.Pos, b *record.Batch) {
			for row := range bytes.Lines(block) {
				b.Samples = append(b.Samples, record.Sample{Pos: pos, View: record.ViewTables})
				pos.Line++
				pos.Offset += int64(len(row))
			}
		},
	}
}}

// planFile stands for EXPLAIN output, which is read whole.
var planFile = source.Format{Name: "plan-file", Detect: func(h *source.Head) *source.Detection {
	if !bytes.HasPrefix(h.Data, []byte("[")) {
		return nil
	}
	d := &source.Detection{Score: 70, Whole: true}
	d.Parse = func(block []byte, pos record.Pos, b *record.Batch) {
		b.Entries, b.Understood = 1, 1
		b.Executions = append(b.Executions, record.Execution{Pos: pos, Kind: record.ExecExplain, HasPlan: true, LogTime: record.NoTime})
	}
	if bytes.HasPrefix(h.Data, []byte("[xml")) {
		d.Reason = "XML plans are not read"
	}
	return d
}}

var fakes = []source.Format{lineLog, quoteLog, rowTable, planFile}

var (
	lineStart  = regexp.MustCompile(`(?m)^@\d+ [a-z]`)
	quoteStart = regexp.MustCompile(`(?m)^@\d+ "[^"]*"\n`)
)

func detectByFirst(start *regexp.Regexp, made func() *source.Detection) func(*source.Head) *source.Detection {
	return func(h *source.Head) *source.Detection {
		if !start.Match(h.Data) {
			return nil
		}
		return made()
	}
}

func beginOf(start *regexp.Regexp, data []byte) int {
	if at := start.FindIndex(data); at != nil {
		return at[0]
	}
	return len(data)
}

// entry adds what one whole entry of a fake log holds: its text, as the
// execution's parameters. "bad" makes a loss, "start" a server start.
func entry(text []byte, pos record.Pos, b *record.Batch) {
	b.Entries++
	first, _, _ := strings.Cut(string(text), " ")
	seconds, err := strconv.ParseInt(strings.TrimPrefix(first, "@"), 10, 64)
	if err != nil {
		b.Losses = append(b.Losses, record.Loss{Pos: pos, Kind: record.LossEntry, Text: "no time", Count: 1})
		return
	}
	b.Understood++
	at := record.Time(seconds * int64(record.Second))
	switch {
	case bytes.Contains(text, []byte("bad")):
		b.Losses = append(b.Losses, record.Loss{Pos: pos, Kind: record.LossPlan, Text: "bad plan", Count: 1})
	case bytes.Contains(text, []byte("start")):
		b.Events = append(b.Events, record.Event{Pos: pos, LogTime: at, Kind: record.EventServerStart, Text: "17.5"})
	default:
		b.Executions = append(b.Executions, record.Execution{Pos: pos, LogTime: at, Parameters: string(text)})
	}
}

// rowEnd is the length of the first row of a quote log, -1 if it is not whole.
func rowEnd(data []byte) int {
	open := false
	for i, c := range data {
		switch {
		case c == '"':
			open = !open
		case c == '\n' && !open:
			return i + 1
		}
	}
	return -1
}

func lastRow(data []byte) int {
	last := 0
	for {
		n := rowEnd(data[last:])
		if n < 0 || last+n == len(data) {
			return last
		}
		last += n
	}
}
