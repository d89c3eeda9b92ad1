package plandiff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Limits of what counts as a change between two reports. A report has means, not
// executions: nothing can be tested.
const (
	// ReportRatio is the least ratio of an effect, a mean or buffers per call.
	ReportRatio = 1.2
	// ReportShare is the least growth of a finding's share of the server's time.
	ReportShare = 0.05
)

// schemaVersion is the version of pgassay's JSON report that is read.
const schemaVersion = 1

// Report is a pgassay report in JSON, as far as it is compared.
type Report struct {
	SchemaVersion int `json:"schema_version"`
	Period        struct {
		From *string `json:"from"`
		To   *string `json:"to"`
	} `json:"period"`
	Headline   string            `json:"headline"`
	Findings   []ReportFinding   `json:"findings"`
	Statements []ReportStatement `json:"statements"`
}

// ReportFinding is one finding of a report.
type ReportFinding struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Severity    string   `json:"severity"`
	Title       string   `json:"title"`
	Fingerprint string   `json:"fingerprint"`
	Effect      *float64 `json:"effect"`
	Share       *float64 `json:"share"`
}

// ReportStatement is one row of a report's overview of statements.
type ReportStatement struct {
	Fingerprint string   `json:"fingerprint"`
	Text        string   `json:"text"`
	Calls       int64    `json:"calls"`
	Mean        *float64 `json:"mean_ms"`
	Buffers     *float64 `json:"buffers_per_call"`
	PerRow      *float64 `json:"buffers_per_row"`
	Share       *float64 `json:"share"`
}

// IsReport tells a JSON report of pgassay by its first bytes.
func IsReport(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n")
	const near = 200
	return bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head[:min(len(head), near)], []byte(`"schema_version"`))
}

// errNotReport says that the input is JSON of something else.
var errNotReport = errors.New("not a report of pgassay: no findings in it")

// ReadReport reads a JSON report of pgassay. Errors are those of JSON, of another
// schema, and of a file that is no report.
func ReadReport(data []byte) (*Report, error) {
	var r Report
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	switch {
	case r.SchemaVersion == 0 || r.Findings == nil:
		return nil, errNotReport
	case r.SchemaVersion != schemaVersion:
		return nil, fmt.Errorf("a report of schema version %d, not %d", r.SchemaVersion, schemaVersion)
	}
	return &r, nil
}

// FindingChange is a finding in one report or both.
type FindingChange struct {
	Old, New *ReportFinding // nil if the report lacks it
	Verdict  Verdict
}

// Finding is the newer side.
func (c *FindingChange) Finding() *ReportFinding {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// StatementChange is a statement in one report or both.
type StatementChange struct {
	Old, New *ReportStatement
	Verdict  Verdict
}

// Statement is the newer side.
func (c *StatementChange) Statement() *ReportStatement {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// ReportChange is two reports side by side, what is worse first.
type ReportChange struct {
	Old, New   *Report
	Findings   []FindingChange
	Statements []StatementChange
}

// CompareReports matches findings by fingerprint and statements by theirs.
func CompareReports(old, new *Report) *ReportChange {
	c := &ReportChange{Old: old, New: new}
	c.Findings = joined(old.Findings, new.Findings,
		func(f *ReportFinding) string { return f.Fingerprint },
		func(a, b *ReportFinding) FindingChange { return FindingChange{a, b, findingVerdict(a, b)} })
	c.Statements = joined(old.Statements, new.Statements,
		func(s *ReportStatement) string { return s.Fingerprint },
		func(a, b *ReportStatement) StatementChange { return StatementChange{a, b, statementVerdict(a, b)} })
	slices.SortStableFunc(c.Findings, func(a, b FindingChange) int {
		return cmp.Or(cmp.Compare(rank(a.Verdict), rank(b.Verdict)), cmp.Compare(severity(b.Finding().Severity), severity(a.Finding().Severity)))
	})
	slices.SortStableFunc(c.Statements, func(a, b StatementChange) int {
		return cmp.Or(cmp.Compare(rank(a.Verdict), rank(b.Verdict)), cmp.Compare(known(b.Statement().Share), known(a.Statement().Share)))
	})
	return c
}

// joined pairs two lists by key, those of new first.
func joined[T, C any](old, new []T, key func(*T) string, change func(old, new *T) C) []C {
	at := map[string]*T{}
	for i := range old {
		at[key(&old[i])] = &old[i]
	}
	var out []C
	taken := map[string]bool{}
	for i := range new {
		k := key(&new[i])
		if !taken[k] {
			out = append(out, change(at[k], &new[i]))
		}
		taken[k] = true
	}
	for i := range old {
		k := key(&old[i])
		if !taken[k] {
			out = append(out, change(&old[i], nil))
		}
		taken[k] = true
	}
	return out
}

func findingVerdict(a, b *ReportFinding) Verdict {
	switch {
	case a == nil:
		return OnlyNew
	case b == nil:
		return OnlyOld
	}
	if d := severity(b.Severity) - severity(a.Severity); d != 0 {
		return direction(float64(d))
	}
	if v := grown(a.Effect, b.Effect, 0); v != Same {
		return v
	}
	if d := known(b.Share) - known(a.Share); math.Abs(d) >= ReportShare {
		return direction(d)
	}
	return Same
}

func statementVerdict(a, b *ReportStatement) Verdict {
	switch {
	case a == nil:
		return OnlyNew
	case b == nil:
		return OnlyOld
	}
	if v := grown(a.Buffers, b.Buffers, BlockNoise); v != Same {
		return v
	}
	return grown(a.Mean, b.Mean, TimeNoiseMS)
}

// grown holds a figure against ReportRatio and a floor.
func grown(a, b *float64, floor float64) Verdict {
	if a == nil || b == nil || math.Abs(*b-*a) <= floor {
		return Same
	}
	if *b >= ReportRatio**a || *a >= ReportRatio**b {
		return direction(*b - *a)
	}
	return Same
}

func direction(d float64) Verdict {
	if d > 0 {
		return Worse
	}
	return Better
}

func known(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

func severity(s string) int { return slices.Index([]string{"info", "warning", "critical"}, s) }
