package report

import (
	"bytes"
	_ "embed" // the schema
	"encoding/json"
	"io"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// SchemaVersion is raised when a key of the JSON report changes its meaning or
// goes; new keys do not raise it.
const SchemaVersion = 1

//go:embed schema/report-1.schema.json
var schema string

// Schema is the JSON Schema of the JSON report.
func Schema() string { return schema }

// JSON writes everything for programs: the keys of Schema in a fixed order,
// times as RFC 3339 in UTC with microseconds, what is not known as null. Texts
// are the input's own, with invalid UTF-8 replaced. Fingerprints are strings.
func JSON(w io.Writer, v *view.View, _ Options) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(jsonOf(v)); err != nil {
		return err
	}
	_, err := w.Write(visible(b.Bytes()))
	return err
}

// number is a float64 that JSON can say: NaN and infinities are null.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// optional is nil for a time that is not known.
func optional(t record.Time) *string {
	s := view.RFC3339(t)
	if s == "" {
		return nil
	}
	return &s
}

func utf8Of(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func utf8List(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = utf8Of(s)
	}
	return out
}

type jsonReport struct {
	SchemaVersion int                `json:"schema_version"`
	Tool          jsonTool           `json:"tool"`
	Period        jsonPeriod         `json:"period"`
	Server        string             `json:"server"`
	Filter        string             `json:"filter"` // and what it left; "" without a filter
	Headline      string             `json:"headline"`
	Totals        jsonTotals         `json:"totals"`
	Anonymized    bool               `json:"anonymized"`
	Incidents     []jsonIncident     `json:"incidents"`
	Findings      []jsonFinding      `json:"findings"`
	Suppressed    []jsonSuppressed   `json:"suppressed"`
	Comparison    *jsonComparison    `json:"comparison"` // null without a baseline
	Evaluated     []string           `json:"evaluated"`
	NotEvaluated  []jsonNotEvaluated `json:"not_evaluated"`
	Inputs        []jsonInput        `json:"inputs"`
	Coverage      jsonCoverage       `json:"coverage"`
	Statements    []jsonStatement    `json:"statements"`
	Series        []jsonSeriesGiven  `json:"series"`
	SLO           []jsonCrossing     `json:"slo"`
	Notes         []string           `json:"notes"`
}

type jsonTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type jsonPeriod struct {
	From *string `json:"from"`
	To   *string `json:"to"`
	Zone string  `json:"log_zone"`
}

type jsonTotals struct {
	Bytes      int64   `json:"bytes"`
	Executions int64   `json:"executions"`
	Plans      int64   `json:"plans"`
	Durations  int64   `json:"durations"`
	Vacuums    int64   `json:"vacuums"`
	Snapshots  int64   `json:"snapshots"`
	ServerTime float64 `json:"server_time_s"`
}

type jsonNotEvaluated struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Lacks string `json:"lacks"`
	Add   string `json:"add"`
}

type jsonInput struct {
	File       string  `json:"file"`
	Format     string  `json:"format"`
	Detail     string  `json:"detail"`
	Version    string  `json:"server"`
	Zone       string  `json:"zone"`
	View       string  `json:"view"`
	Bytes      int64   `json:"bytes"`
	Lines      int64   `json:"lines"`
	Entries    int64   `json:"entries"`
	Understood int64   `json:"understood"`
	Executions int64   `json:"executions"`
	Plans      int64   `json:"plans"`
	Vacuums    int64   `json:"vacuums"`
	Samples    int64   `json:"samples"`
	Snapshots  int64   `json:"snapshots"`
	Interval   float64 `json:"interval_s"`
	First      *string `json:"first"`
	Last       *string `json:"last"`

	Kinds   []jsonKind `json:"kinds"`
	Unknown []int64    `json:"not_understood_lines"`
}

type jsonKind struct {
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
}

type jsonCoverage struct {
	Files      int64      `json:"files"`
	Lines      int64      `json:"lines"`
	Entries    int64      `json:"entries"`
	Understood int64      `json:"understood"`
	Unreadable int64      `json:"unreadable"`
	CapsHit    int64      `json:"caps_hit"`
	Losses     []jsonLoss `json:"losses"`
}

type jsonLoss struct {
	File  string `json:"file"`
	Line  int64  `json:"line"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Count int64  `json:"count"`
}

type jsonStatement struct {
	Fingerprint   string  `json:"fingerprint"`
	Text          string  `json:"text"`
	Command       string  `json:"command"`
	Approximate   bool    `json:"approximate"`
	Calls         int64   `json:"calls"`
	Total         float64 `json:"total_ms"`
	Mean          float64 `json:"mean_ms"`
	P50           float64 `json:"p50_ms"`
	P95           float64 `json:"p95_ms"`
	Max           float64 `json:"max_ms"`
	Share         number  `json:"share"`
	Rows          number  `json:"rows_per_call"`
	Buffers       number  `json:"buffers_per_call"`
	BuffersPerRow number  `json:"buffers_per_row"`
	Shapes        int     `json:"plan_shapes"`
	From          string  `json:"from"`
}

func jsonOf(v *view.View) *jsonReport {
	r := v.Result
	out := &jsonReport{
		SchemaVersion: SchemaVersion,
		Tool:          jsonTool{"pgassay", utf8Of(r.Version)},
		Period:        jsonPeriod{optional(r.From), optional(r.To), utf8Of(r.Zone)},
		Server:        utf8Of(r.Server),
		Filter:        utf8Of(r.Filter),
		Headline:      v.Headline,
		Totals: jsonTotals{
			r.Totals.Bytes, r.Totals.Executions, r.Totals.Plans, r.Totals.Durations,
			r.Totals.Vacuums, r.Totals.Snapshots, r.Totals.ServerTime.Seconds(),
		},
		Anonymized:   r.Anonymized,
		Suppressed:   suppressedOf(v),
		Comparison:   comparisonOf(r.Comparison),
		Incidents:    incidentsOf(v, v.Incidents),
		Findings:     make([]jsonFinding, 0, len(v.Findings)),
		Evaluated:    utf8List(r.Evaluated),
		NotEvaluated: make([]jsonNotEvaluated, 0, len(r.NotEvaluated)),
		Inputs:       make([]jsonInput, 0, len(r.Inputs)),
		Coverage:     coverageOf(v),
		Statements:   make([]jsonStatement, 0, len(r.Statements)),
		Series:       seriesGivenOf(r.Given),
		SLO:          crossingsOf(r.Crossings),
		Notes:        utf8List(r.Notes),
	}
	for i := range v.Findings {
		out.Findings = append(out.Findings, findingOf(&v.Findings[i]))
	}
	for _, n := range r.NotEvaluated {
		out.NotEvaluated = append(out.NotEvaluated, jsonNotEvaluated{utf8Of(n.ID), utf8Of(n.Name), utf8Of(n.Lacks), utf8Of(n.Add)})
	}
	for i := range r.Inputs {
		out.Inputs = append(out.Inputs, inputOf(&r.Inputs[i]))
	}
	for i := range r.Statements {
		out.Statements = append(out.Statements, statementOf(&r.Statements[i]))
	}
	return out
}

func inputOf(in *analysis.Input) jsonInput {
	return jsonInput{
		File: utf8Of(in.Name), Format: utf8Of(in.Format), Detail: utf8Of(in.Detail), Version: utf8Of(in.Version),
		Zone: utf8Of(in.Zone), View: utf8Of(string(in.View)), Bytes: in.Bytes, Lines: in.Lines, Entries: in.Entries,
		Understood: in.Understood, Executions: in.Executions, Plans: in.Plans, Vacuums: in.Vacuums,
		Samples: in.Samples, Snapshots: in.Snapshots, Interval: in.Interval.Seconds(),
		First: optional(in.First), Last: optional(in.Last), Kinds: kindsOf(in.Kinds), Unknown: linesOf(in.Unknown),
	}
}

func kindsOf(kinds []parser.KindCount) []jsonKind {
	out := make([]jsonKind, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, jsonKind{utf8Of(k.Kind), k.Count})
	}
	return out
}

func coverageOf(v *view.View) jsonCoverage {
	t := v.Result.Totals
	c := jsonCoverage{
		Files: t.Files, Lines: t.Lines, Entries: t.Entries, Understood: t.Understood,
		Unreadable: v.Unreadable, CapsHit: v.Caps, Losses: make([]jsonLoss, 0, len(v.Result.Losses)),
	}
	for _, l := range v.Result.Losses {
		c.Losses = append(c.Losses, jsonLoss{
			utf8Of(l.Pos.File), l.Pos.Line, utf8Of(string(l.Kind)), utf8Of(l.Text), max(l.Count, 1),
		})
	}
	return c
}

func statementOf(s *analysis.StatementRow) jsonStatement {
	return jsonStatement{
		Fingerprint: utf8Of(s.Fingerprint), Text: utf8Of(s.Text), Command: utf8Of(s.Command), Approximate: s.Approximate,
		Calls: s.Calls, Total: s.Total.Milliseconds(), Mean: s.Mean.Milliseconds(), P50: s.P50.Milliseconds(),
		P95: s.P95.Milliseconds(), Max: s.Max.Milliseconds(), Share: number(s.Share), Rows: number(s.Rows),
		Buffers: number(s.Buffers), BuffersPerRow: number(s.BuffersPerRow), Shapes: s.Shapes, From: utf8Of(s.From),
	}
}

// linesOf are the lines of places in one file.
func linesOf(places []record.Pos) []int64 {
	out := make([]int64, len(places))
	for i, p := range places {
		out[i] = p.Line
	}
	return out
}
