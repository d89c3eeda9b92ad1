// Package finding is what a signature answers: a claim with its evidence.
//
// Every text is plain language without terminal or markup codes; writers
// escape. Every figure keeps its number and unit, so that writers and other
// programs need not parse the text.
package finding

import (
	"cmp"
	"fmt"
	"hash/fnv"

	"github.com/pgassay/pgassay/parser/record"
)

// Severity orders findings by effect and share.
type Severity uint8

// Severities, least first.
const (
	Info Severity = iota
	Warning
	Critical
)

// String is "info", "warning" or "critical".
func (s Severity) String() string { return [...]string{"info", "warning", "critical"}[s] }

// Confidence says how much of the mechanism was seen.
type Confidence uint8

// Confidences, least first: one, two or three of equation, event and control.
const (
	Possible Confidence = iota
	Likely
	Confirmed
)

// String is "possible", "likely" or "confirmed".
func (c Confidence) String() string { return [...]string{"possible", "likely", "confirmed"}[c] }

// Subject is what a finding is about. Empty fields do not apply.
type Subject struct {
	Database    string
	Relation    string // schema.table
	Index       string // schema.index
	Fingerprint string // of the statement
	Statement   string // normalized text
	Parent      string // fingerprint of the parent statement (4xx)
	Session     string // session group: application or user
	Server      string // label of the server, where the input is of several
	Event       string // what the server logged (5xx): a SQLSTATE, "signal 9"
}

// String names the subject briefly: index, else relation, statement, event,
// session, database.
func (s Subject) String() string {
	switch {
	case s.Index != "":
		return s.Index
	case s.Relation != "":
		return s.Relation
	case s.Statement != "":
		return s.Statement
	case s.Event != "":
		return s.Event
	}
	return cmp.Or(s.Session, s.Database)
}

// Finding is one recognised mechanism on one subject.
type Finding struct {
	ID         string // PGA101
	Name       string // linear-page-walk
	Severity   Severity
	Confidence Confidence
	// WhyConfidence names what held and what was missing: equation, event,
	// control.
	WhyConfidence string
	Felt          string // what a user notices, a sentence without a full stop
	Title         string // one line, a sentence without a full stop
	Summary       string // one paragraph: what, since when, how much, what it is not
	Subject       Subject
	Onset         *Onset
	Figures       []Figure   // the working, most important first
	RuledOut      []RuledOut // every rival explanation and its figure
	Attribution   []Attribution
	Evidence      []Evidence // places
	Actions       []Action
	WillNotHelp   []string
	Verify        []string // how to check that the action worked
	Forecast      []Figure
	Series        []Series
	N             string  // the counts behind the figures, in words
	Effect        float64 // cost ÷ baseline; 0 if it has no ratio
	Share         float64 // of observed server time, or of a request's wall time; 0..1
	Notes         []string
	// Cause is the Fingerprint of the finding whose mechanism this one is
	// another side of; "" if it stands for itself. One cause is one incident.
	Cause string
}

// Fingerprint is stable over runs: hash(ID, subject), free of lines and values.
func (f *Finding) Fingerprint() string {
	h := fnv.New64a()
	s := f.Subject
	for _, p := range []string{f.ID, s.Database, s.Relation, s.Index, s.Fingerprint, s.Parent, s.Session} {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	h.Write([]byte(s.Server))
	if s.Event != "" { // so that findings without one keep theirs
		h.Write([]byte("\x00" + s.Event))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Onset is when it began and the event before it.
type Onset struct {
	Time       record.Time
	Event      string // "vacuum of public.items cleaned items_embedding_hnsw"
	EventTime  record.Time
	EventPos   record.Pos
	Lag        record.Duration
	Transition record.Duration // settling after the event, left out of fits
	End        record.Time     // when it stopped; NoTime while it lasts
}

// Figure is one row of the working: what was measured, its value with unit and
// interval, the limit it was held against, and what that says.
type Figure struct {
	What     string
	Value    float64
	Unit     string
	Interval *[2]float64 // 95 %
	Limit    string      // the band or limit, in words: "in [0.8, 1.2]"
	Says     string      // "explains", "control quiet", "holds", "left out" …
	Text     string      // replaces the formatted value where a number cannot say it
	PValue   *float64    // corrected
	Indent   bool        // detail of the row above
}

// Verdict on a rival explanation.
type Verdict string

// Verdicts.
const (
	RuledOutVerdict Verdict = "ruled out"
	NotRuledOut     Verdict = "not ruled out"
	NotMeasurable   Verdict = "not measurable"
)

// RuledOut is a rival explanation with its figure.
type RuledOut struct {
	Rival   string // "concurrency", "throughput", "plan change" …
	Verdict Verdict
	Figure  string // "partial r 0.00 (raw 0.29)"
	Raw     *float64
	Partial *float64
	Why     string // for "not measurable": what is missing
}

// Evidence is one observation with its place.
type Evidence struct {
	What    string // "first", "worst", "latest", "event" …
	Pos     record.Pos
	Time    record.Time
	Value   float64
	Unit    string
	Limit   string
	Excerpt string // short, from the record; "" if it says nothing more
}

// Action is something to do. It is never executed by pgassay.
type Action struct {
	Do   string // exact SQL or setting, or a sentence
	SQL  bool
	Cost string // cost and risk: locks, disk headroom, time
}

// Series is a chart: named columns over time, or x against y.
type Series struct {
	Name    string // conclusion, used as the title
	Kind    SeriesKind
	XLabel  string
	YLabel  string
	XUnit   string
	Columns []Column
	Marks   []Mark
	Fit     *Line // own robust fit, for SeriesScatter
}

// SeriesKind says how to draw a series.
type SeriesKind uint8

// Kinds: values over time, or points in a plane.
const (
	SeriesTime SeriesKind = iota
	SeriesScatter
)

// Column is one line or cloud of a series.
type Column struct {
	Name      string
	Unit      string
	Points    []Point
	Secondary bool // own scale
}

// Point is one reading. X is record.Time in microseconds for SeriesTime.
type Point struct {
	X, Y float64
}

// Mark is an event on the time axis.
type Mark struct {
	Time record.Time
	Text string
}

// Line is y = Intercept + Slope·x between From and To.
type Line struct {
	Intercept, Slope float64
	From, To         float64
}
