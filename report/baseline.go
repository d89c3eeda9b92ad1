package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// maxBaseline bounds what is read of a baseline, in bytes.
const maxBaseline = 1 << 30

// baselineReport is what is needed of a JSON report. Pointers are what may be
// null, or missing in what is no report.
type baselineReport struct {
	SchemaVersion *int `json:"schema_version"`
	Tool          jsonTool
	Period        jsonPeriod
	Anonymized    bool
	Evaluated     []string
	Findings      []baselineFinding
	Suppressed    []struct{ Finding baselineFinding }
	Statements    []baselineStatement
}

type baselineFinding struct {
	ID, Name, Title, Severity, Fingerprint string
	Subject                                jsonSubject
	Effect                                 float64
}

type baselineStatement struct {
	Fingerprint, From string
	Calls             int64
	Mean              *float64 `json:"mean_ms"`
	P50               *float64 `json:"p50_ms"`
	Rows              *float64 `json:"rows_per_call"`
	Buffers           *float64 `json:"buffers_per_call"`
	BuffersPerRow     *float64 `json:"buffers_per_row"`
}

// ReadBaseline reads a report that JSON wrote, of this SchemaVersion. name is
// that of the file, for the report and for errors.
func ReadBaseline(r io.Reader, name string) (*analysis.Baseline, error) {
	limited := &io.LimitedReader{R: r, N: maxBaseline}
	var in baselineReport
	if err := json.NewDecoder(limited).Decode(&in); err != nil {
		if limited.N == 0 {
			err = fmt.Errorf("longer than %d bytes", int64(maxBaseline))
		}
		return nil, fmt.Errorf("baseline %s: no JSON report of pgassay: %w", name, err)
	}
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("baseline %s: %w", name, err)
	}
	b := &analysis.Baseline{Name: name, Version: in.Tool.Version, From: timeOf(in.Period.From), To: timeOf(in.Period.To), Evaluated: in.Evaluated}
	for _, s := range in.Suppressed {
		in.Findings = append(in.Findings, s.Finding)
	}
	for i := range in.Findings {
		f, err := in.Findings[i].known()
		if err != nil {
			return nil, fmt.Errorf("baseline %s: %w", name, err)
		}
		b.Findings = append(b.Findings, f)
	}
	for i := range in.Statements {
		b.Statements = append(b.Statements, in.Statements[i].known())
	}
	return b, nil
}

func (in *baselineReport) check() error {
	switch {
	case in.SchemaVersion == nil:
		return errors.New("no JSON report of pgassay: it has no schema_version")
	case *in.SchemaVersion != SchemaVersion:
		return fmt.Errorf("schema_version %d, this pgassay reads %d: write it again with --update-baseline", *in.SchemaVersion, SchemaVersion)
	case in.Anonymized:
		return errors.New("it is anonymized: its findings cannot be recognised")
	}
	return nil
}

func (f *baselineFinding) known() (analysis.BaselineFinding, error) {
	out := analysis.BaselineFinding{
		Fingerprint: f.Fingerprint, ID: f.ID, Name: f.Name, Title: f.Title, Effect: f.Effect,
		Subject: finding.Subject{
			Database: f.Subject.Database, Relation: f.Subject.Relation, Index: f.Subject.Index, Fingerprint: f.Subject.Fingerprint,
			Statement: f.Subject.Statement, Parent: f.Subject.Parent, Session: f.Subject.Session, Server: f.Subject.Server,
		},
	}
	for s := finding.Info; s <= finding.Critical; s++ {
		if s.String() == f.Severity {
			out.Severity = s
			return out, nil
		}
	}
	return out, fmt.Errorf("finding %s %s: severity %q is not known", f.ID, f.Fingerprint, f.Severity)
}

func (s *baselineStatement) known() analysis.BaselineStatement {
	return analysis.BaselineStatement{
		Fingerprint: s.Fingerprint, From: s.From, Calls: s.Calls, Mean: orNaN(s.Mean), P50: orNaN(s.P50),
		Rows: orNaN(s.Rows), Buffers: orNaN(s.Buffers), BuffersPerRow: orNaN(s.BuffersPerRow),
	}
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// timeOf is NoTime for what is no time.
func timeOf(s *string) record.Time {
	if s == nil {
		return record.NoTime
	}
	t, err := time.Parse(time.RFC3339, *s)
	if err != nil {
		return record.NoTime
	}
	return record.TimeOf(t)
}
