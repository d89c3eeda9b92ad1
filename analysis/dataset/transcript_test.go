package dataset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// transcriptBatch is a file with a heading, a command, a size and a plan, one to
// a line, given out of order, and an entry of a log.
func transcriptBatch(file string) *record.Batch {
	at := func(line int64) record.Pos { return record.Pos{File: file, Line: line, Offset: line * 10} }
	b := &record.Batch{Events: []record.Event{
		{Pos: at(4), LogTime: record.NoTime, Kind: record.EventSize, Object: "index_pages", Count: 7, Unit: record.UnitPages},
		{Pos: at(1), LogTime: record.NoTime, Kind: record.EventHeading, Text: "L1"},
		{Pos: at(3), LogTime: record.NoTime, Kind: record.EventCommand, Object: "VACUUM"},
		{Pos: record.Pos{File: "log", Line: 1}, LogTime: 5, Kind: record.EventCheckpoint},
	}}
	e := plan("", "insert", 0, 100, true)
	e.Pos, e.LogTime, e.Kind = at(2), record.NoTime, record.ExecExplain
	b.Executions = []record.Execution{e}
	return b
}

// stepsOf says the steps of each transcript.
func stepsOf(m *Model) string {
	var out []string
	for _, t := range m.Transcripts {
		for _, s := range t.Steps {
			what := "heading " + s.Heading
			switch {
			case s.Command != nil:
				what = "command " + s.Command.Object
			case s.Size != nil:
				what = fmt.Sprintf("size %d", s.Size.Count)
			case s.Execution != nil:
				what = "plan"
			}
			out = append(out, fmt.Sprintf("%s:%d %s", t.File, s.Pos.Line, what))
		}
	}
	return strings.Join(out, ", ")
}

func TestTranscriptIsInTheOrderOfItsFile(t *testing.T) {
	const a, b = "a.txt:1 heading L1, a.txt:2 plan, a.txt:3 command VACUUM, a.txt:4 size 7", "b.txt:1 heading L1, b.txt:2 plan, b.txt:3 command VACUUM, b.txt:4 size 7"
	for _, order := range [][]string{{"a.txt", "b.txt"}, {"b.txt", "a.txt"}} {
		d, o := New(DefaultLimits(), intern), New(DefaultLimits(), intern)
		d.Fold(transcriptBatch(order[0]))
		o.Fold(transcriptBatch(order[1]))
		d.Merge(o)
		if got := stepsOf(d.Build()); got != a+", "+b {
			t.Errorf("%v: %s", order, got)
		}
	}
}

// What a transcript tells has no time and is no entry of a log.
func TestTranscriptDoesNotDisturbTheLog(t *testing.T) {
	d := New(DefaultLimits(), intern)
	d.Fold(transcriptBatch("a.txt"))
	m := d.Build()
	if len(m.Events) != 1 || m.Events[0].Kind != record.EventCheckpoint || m.From != 5 || m.To != 5 {
		t.Errorf("events %+v from %v to %v", m.Events, m.From, m.To)
	}
}

func TestPlansAloneAreNoTranscript(t *testing.T) {
	b := transcriptBatch("a.txt")
	b.Events = b.Events[3:]
	d := New(DefaultLimits(), intern)
	d.Fold(b)
	if m := d.Build(); len(m.Transcripts) != 0 {
		t.Errorf("%+v", m.Transcripts)
	}
}

// A time cannot choose what has none.
func TestFilterByTimeLeavesNoTranscript(t *testing.T) {
	d := New(DefaultLimits(), intern)
	d.Filter(Filter{Since: Moment{Time: 1, Known: true}})
	d.Fold(transcriptBatch("a.txt"))
	if m := d.Build(); len(m.Transcripts) != 0 || len(m.Events) != 1 {
		t.Errorf("%+v, %d events", m.Transcripts, len(m.Events))
	}
}
