package report

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// planKey is the key of what pgassay adds to EXPLAIN's JSON.
const planKey = "pgassay"

// planJSON writes EXPLAIN's JSON, which other programs read, with pgassay's
// figures under a key of their own in each node and beside each plan. All plans
// stand in one list. Losses and findings without a place stand beside the first.
func planJSON(w io.Writer, s *analysis.PlanSet, _ PlanOptions) error {
	shown := slices.ContainsFunc(s.Plans, func(p analysis.ReadPlan) bool { return p.Plan != nil })
	if !shown {
		_, err := io.WriteString(w, "[\n]\n")
		return err
	}
	write := harmless(explain.WriteJSON, visible)
	return joinPlans(w, s, ",", func(w io.Writer, p *analysis.ReadPlan) error {
		a := account(p)
		plan := bare(p.Plan)
		for i := range plan.Nodes {
			n := &plan.Nodes[i]
			n.Extra = append(n.Extra, record.KeyValue{Key: planKey, Value: compact(nodeAccount(a, i))})
		}
		plan.Extra = append(plan.Extra, record.KeyValue{Key: planKey, Value: compact(planAccount(a, s))})
		return write(w, plan)
	})
}

// without is a copy of list that lacks a key.
func without(list []record.KeyValue, key string) []record.KeyValue {
	return slices.DeleteFunc(slices.Clone(list), func(kv record.KeyValue) bool { return kv.Key == key })
}

// compact is v as JSON in one line.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null" // v is made of numbers and strings: cannot fail
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// rounded drops what arithmetic adds beyond the digits that EXPLAIN prints.
func rounded(v float64) *number {
	const digits = 1e6
	if r := math.Round(v*digits) / digits; finite(r) {
		v = r
	}
	n := number(v)
	return &n
}

// jsonNodeAccount are the figures of one node; what is not known is null or
// missing.
type jsonNodeAccount struct {
	Self         *number      `json:"self_ms,omitempty"`
	Inclusive    *number      `json:"inclusive_ms,omitempty"`
	CPU          *number      `json:"cpu_ms,omitempty"`
	Tolerance    *number      `json:"tolerance_ms,omitempty"`
	Share        *number      `json:"share,omitempty"`
	Participants *number      `json:"participants,omitempty"`
	Rows         []number     `json:"rows,omitempty"` // value, low, high
	Factor       *number      `json:"estimate_factor,omitempty"`
	NoFactor     string       `json:"no_estimate_factor,omitempty"`
	Buffers      *jsonBuffers `json:"self_buffers,omitempty"`
	PerRow       *number      `json:"buffers_per_row,omitempty"`
	IO           *number      `json:"self_io_ms,omitempty"`
	Findings     []jsonPlaced `json:"findings,omitempty"`
}

type jsonBuffers struct {
	SharedHit   int64 `json:"shared_hit"`
	SharedRead  int64 `json:"shared_read"`
	Dirtied     int64 `json:"shared_dirtied"`
	Written     int64 `json:"shared_written"`
	LocalHit    int64 `json:"local_hit"`
	LocalRead   int64 `json:"local_read"`
	TempRead    int64 `json:"temp_read"`
	TempWritten int64 `json:"temp_written"`
}

type jsonPlaced struct {
	ID          string `json:"id"`
	Severity    string `json:"severity"`
	Fingerprint string `json:"fingerprint"`
	Title       string `json:"title"`
}

func nodeAccount(a *accounted, i int) jsonNodeAccount {
	n, o := a.node(i)
	var out jsonNodeAccount
	if n.Has(record.HasTiming) {
		out.Self, out.Inclusive, out.CPU = rounded(o.Self), rounded(o.Inclusive), rounded(o.CPU)
		out.Tolerance, out.Share = rounded(o.Tolerance), rounded(o.Share)
	}
	if n.Has(record.HasActual) {
		out.Participants = rounded(o.Participants)
		out.Rows = []number{number(o.Rows.Value), number(o.Rows.Low), number(o.Rows.High)}
	}
	if o.Estimate.Why == "" {
		out.Factor = rounded(o.Estimate.Factor)
	}
	out.NoFactor = o.Estimate.Why
	if n.Has(record.HasBuffers) {
		out.Buffers, out.PerRow = buffersOf(&o.SelfBuffers), rounded(o.PerRow)
	}
	if n.Has(record.HasIOTime) {
		out.IO = rounded(o.SelfIO)
	}
	for _, k := range a.findings[i] {
		out.Findings = append(out.Findings, jsonPlacedOf(a, k))
	}
	return out
}

func buffersOf(b *record.Buffers) *jsonBuffers {
	return &jsonBuffers{b.SharedHit, b.SharedRead, b.SharedDirtied, b.SharedWritten, b.LocalHit, b.LocalRead, b.TempRead, b.TempWritten}
}

func jsonPlacedOf(a *accounted, k int) jsonPlaced {
	f := &a.ReadPlan.Findings[k].Finding
	return jsonPlaced{utf8Of(f.ID), f.Severity.String(), f.Fingerprint(), utf8Of(f.Title)}
}

// jsonPlanAccount is what concerns the plan as a whole.
type jsonPlanAccount struct {
	Number      int64         `json:"number"`
	Of          int64         `json:"of"`
	File        string        `json:"file"`
	Line        int64         `json:"line"`
	Offset      int64         `json:"offset"`
	Time        *string       `json:"time"`
	Fingerprint string        `json:"statement_fingerprint"`
	Root        *number       `json:"root_ms,omitempty"`
	Self        *number       `json:"self_sum_ms,omitempty"`
	Residual    *number       `json:"residual_ms,omitempty"`
	Tolerance   *number       `json:"tolerance_ms,omitempty"`
	Skew        *number       `json:"timing_skew_ms,omitempty"`
	Execution   *number       `json:"execution_ms,omitempty"`
	Outside     []jsonOutside `json:"outside,omitempty"`
	Buffers     *jsonBuffers  `json:"buffers,omitempty"`
	Findings    []jsonPlaced  `json:"findings,omitempty"`
	Truncated   bool          `json:"truncated,omitempty"`
	Losses      []jsonLoss    `json:"losses,omitempty"`
	Repairs     []jsonRepair  `json:"repairs,omitempty"`
}

type jsonOutside struct {
	What      string `json:"what"`
	Time      number `json:"ms"`
	IsAssumed bool   `json:"assumed,omitempty"`
}

type jsonRepair struct {
	File  string `json:"file"`
	Line  int64  `json:"line"`
	Name  string `json:"name"`
	Count int64  `json:"lines"`
}

func planAccount(a *accounted, s *analysis.PlanSet) jsonPlanAccount {
	out := jsonPlanAccount{
		Number: a.Number, Of: s.Found, File: utf8Of(a.Pos.File), Line: a.Pos.Line, Offset: a.Pos.Offset,
		Time: optional(a.Time), Fingerprint: utf8Of(a.Fingerprint), Truncated: a.ReadPlan.Plan.Truncated,
	}
	if a.Timed {
		out.Root, out.Self, out.Residual = rounded(a.Root), rounded(a.Self), rounded(a.Residual)
		out.Tolerance, out.Skew = rounded(a.Tolerance), rounded(a.Skew)
	}
	if a.HasExecution {
		out.Execution = rounded(a.Execution)
	}
	for i := range a.Outside {
		out.Outside = append(out.Outside, outsideOf(&a.Outside[i]))
	}
	if a.Buffered {
		out.Buffers = buffersOf(&a.Blocks)
	}
	for _, k := range a.findings[-1] {
		out.Findings = append(out.Findings, jsonPlacedOf(a, k))
	}
	if a.ReadPlan == firstTree(s) {
		out.addInput(s)
	}
	return out
}

func outsideOf(o *ledger.Outside) jsonOutside {
	return jsonOutside{utf8Of(o.What), *rounded(o.Time), o.IsAssumed}
}

// firstTree is the first plan of s that is shown.
func firstTree(s *analysis.PlanSet) *analysis.ReadPlan {
	for i := range s.Plans {
		if s.Plans[i].Plan != nil {
			return &s.Plans[i]
		}
	}
	return nil
}

// addInput tells what of the input was lost, mended, and found without a place.
func (out *jsonPlanAccount) addInput(s *analysis.PlanSet) {
	for i := range s.Files {
		for _, l := range s.Files[i].Losses {
			out.Losses = append(out.Losses, jsonLoss{utf8Of(l.Pos.File), l.Pos.Line, utf8Of(string(l.Kind)), utf8Of(l.Text), max(l.Count, 1)})
		}
		for _, r := range s.Files[i].Repairs {
			out.Repairs = append(out.Repairs, jsonRepair{utf8Of(r.Pos.File), r.Pos.Line, utf8Of(r.Name), r.Count})
		}
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		out.Findings = append(out.Findings, jsonPlaced{utf8Of(f.ID), f.Severity.String(), f.Fingerprint(), utf8Of(f.Title)})
	}
}
