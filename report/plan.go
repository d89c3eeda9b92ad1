package report

import (
	"bytes"
	"io"
	"slices"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// PlanFormat is one way to write plans: a literal in PlanFormats.
type PlanFormat struct {
	Name string
	Doc  string // one line for the help
	// Bare formats hold nothing but plans: no findings, no losses.
	Bare bool
	// Write writes the plans of s. Its errors are those of w.
	Write func(w io.Writer, s *analysis.PlanSet, o PlanOptions) error
}

// PlanOptions steer how plans are written. Formats ignore what does not apply to
// them.
type PlanOptions struct {
	Options
	Sort      ledger.Order // a flat list in this order instead of the tree; "" is the tree
	NodeTypes bool         // add sums per node type, relation and index
	Verbose   bool         // all details of nodes, and the repairs made while reading
}

// PlanFormats lists the ways to write plans, the default first.
var PlanFormats = []PlanFormat{
	{Name: "terminal", Doc: "the tree with what each node cost (default)", Write: planTerminal},
	{Name: "json", Doc: `EXPLAIN's JSON, one list of all plans; what pgassay adds stands under "pgassay"`, Write: planJSON},
	{Name: "text", Doc: "EXPLAIN's own text, to be pasted elsewhere", Bare: true, Write: planText},
	{Name: "yaml", Doc: "EXPLAIN's own YAML", Bare: true, Write: planYAML},
	{Name: "xml", Doc: "EXPLAIN's own XML", Bare: true, Write: planXML},
	{Name: "markdown", Doc: "tables for tickets", Write: planMarkdown},
}

// PlanFormatByName finds a format of PlanFormats.
func PlanFormatByName(name string) (PlanFormat, bool) {
	for _, f := range PlanFormats {
		if f.Name == name {
			return f, true
		}
	}
	return PlanFormat{}, false
}

func planText(w io.Writer, s *analysis.PlanSet, _ PlanOptions) error {
	return writePlans(w, s, "\n", harmless(func(w io.Writer, p *record.Plan) error { return explain.WriteText(w, p) }, spelled))
}

func planYAML(w io.Writer, s *analysis.PlanSet, _ PlanOptions) error {
	return writePlans(w, s, "", harmless(explain.WriteYAML, visible))
}

// planXML writes one document that holds all plans.
func planXML(w io.Writer, s *analysis.PlanSet, _ PlanOptions) error {
	write := harmless(explain.WriteXML, spelled)
	return joinPlans(w, s, "", func(w io.Writer, p *analysis.ReadPlan) error { return write(w, bare(p.Plan)) })
}

// writePlans writes one plan after the other.
func writePlans(w io.Writer, s *analysis.PlanSet, between string, write func(io.Writer, *record.Plan) error) error {
	first := true
	for i := range s.Plans {
		p := s.Plans[i].Plan
		if p == nil {
			continue
		}
		if !first {
			if _, err := io.WriteString(w, between); err != nil {
				return err
			}
		}
		first = false
		if err := write(w, bare(p)); err != nil {
			return err
		}
	}
	return nil
}

// bare is p without what pgassay adds to EXPLAIN's JSON.
func bare(p *record.Plan) *record.Plan {
	plan := *p
	plan.Extra = without(p.Extra, planKey)
	plan.Nodes = slices.Clone(p.Nodes)
	for i := range plan.Nodes {
		plan.Nodes[i].Extra = without(plan.Nodes[i].Extra, planKey)
	}
	return &plan
}

// joinPlans makes one document of the documents of single plans: the first and
// the last line, which are the same in all, stand once.
func joinPlans(w io.Writer, s *analysis.PlanSet, between string, write func(io.Writer, *analysis.ReadPlan) error) error {
	var buffer bytes.Buffer
	end := ""
	for i := range s.Plans {
		if s.Plans[i].Plan == nil {
			continue
		}
		buffer.Reset()
		if err := write(&buffer, &s.Plans[i]); err != nil {
			return err
		}
		text := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
		head, tail := bytes.IndexByte(text, '\n'), bytes.LastIndexByte(text, '\n')
		first := text[:tail]
		if end != "" {
			first = append([]byte(between), text[head:tail]...)
		}
		end = string(text[tail:]) + "\n"
		if _, err := w.Write(first); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, end)
	return err
}

// harmless passes what write writes through escape, so that no name or literal
// of a plan steers a terminal.
func harmless(write func(io.Writer, *record.Plan) error, escape func([]byte) []byte) func(io.Writer, *record.Plan) error {
	return func(w io.Writer, p *record.Plan) error {
		var b bytes.Buffer
		if err := write(&b, p); err != nil {
			return err
		}
		_, err := w.Write(escape(b.Bytes()))
		return err
	}
}
