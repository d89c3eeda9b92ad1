package dataset

import (
	"slices"
	"sort"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Transcript is a psql session that was saved to a file: one experiment. Its
// plans have no time; their order is that of the file.
type Transcript struct {
	File  string
	Steps []TranscriptStep // in order
}

// TranscriptStep is one thing of a transcript. Exactly one of Heading, Command,
// Size, Notice and Execution is set.
type TranscriptStep struct {
	Pos       record.Pos
	Heading   string        // a comment, or what \echo printed
	Command   *record.Event // EventCommand
	Size      *record.Event // EventSize
	Notice    *record.Event // EventNotice
	Execution *Execution    // an EXPLAIN plan
}

// transcripts fills Model.Transcripts of the events that transcripts left and
// of the executions that are kept. Files of plans without any such event are no
// transcripts.
func (b *builder) transcripts() {
	byFile := map[string]*Transcript{}
	for i := range b.d.events {
		e := &b.d.events[i]
		if !e.Kind.OfTranscript() {
			continue
		}
		t := byFile[e.Pos.File]
		if t == nil {
			t = &Transcript{File: e.Pos.File}
			byFile[e.Pos.File] = t
		}
		t.Steps = append(t.Steps, stepOf(e))
	}
	for _, e := range b.m.Executions {
		if t := byFile[e.Pos.File]; t != nil && e.Kind == record.ExecExplain {
			t.Steps = append(t.Steps, TranscriptStep{Pos: e.Pos, Execution: e})
		}
	}
	for _, t := range byFile {
		sort.SliceStable(t.Steps, func(i, j int) bool { return t.Steps[i].Pos.Offset < t.Steps[j].Pos.Offset })
		b.m.Transcripts = append(b.m.Transcripts, *t)
	}
	slices.SortFunc(b.m.Transcripts, func(x, y Transcript) int { return strings.Compare(x.File, y.File) })
}

func stepOf(e *record.Event) TranscriptStep {
	s := TranscriptStep{Pos: e.Pos}
	switch e.Kind {
	case record.EventHeading:
		s.Heading = e.Text
	case record.EventCommand:
		s.Command = e
	case record.EventSize:
		s.Size = e
	case record.EventNotice:
		s.Notice = e
	}
	return s
}

// logEvents are the events that do not come from transcripts.
func (d *Dataset) logEvents() []record.Event {
	events := slices.Clone(d.events)
	return slices.DeleteFunc(events, func(e record.Event) bool { return e.Kind.OfTranscript() })
}
