package signature

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// costLoad is a workload of 1,200 s on public.orders: a SELECT whose cost is
// followed, and a lookup beside it that stays level. Captures every 10 s.
type costLoad struct {
	perSecond func(s int) int     // executions; 4 if nil
	pages     func(s int) float64 // of the table
	live      func(s int) float64 // rows
	dead      func(s int) float64
	buffers   func(s int) float64 // per execution; nil: the log has no plans
	reads     func(s int) float64 // of them; none if nil
	ms        func(s int) float64
	rows      func(s int) float64
	shape     func(s int) uint64
	sizes     bool
	waits     func(s int) string // type of the wait event of its active samples
	noise     float64
	seqScan   bool
	settings  map[string]string
}

const loadSeconds = 1200

func constant(v float64) func(int) float64 { return func(int) float64 { return v } }

// rising goes from one value to another over the run.
func rising(from, to float64) func(int) float64 {
	return func(s int) float64 { return from + (to-from)*float64(s)/loadSeconds }
}

// stepping changes at a second.
func stepping(at int, from, to float64) func(int) float64 {
	return func(s int) float64 {
		if s < at {
			return from
		}
		return to
	}
}

// growingTable is the shape of PGA103: a scan of all of a table that doubles,
// for ten rows.
func growingTable() costLoad {
	return costLoad{pages: rising(4000, 10000), live: rising(400_000, 1_000_000), buffers: rising(4000, 10000), ms: rising(40, 100),
		rows: constant(10), sizes: true, noise: 0.02, seqScan: true}
}

var (
	slowSelect = &record.Statement{Fingerprint: "slow", Normalized: "select * from orders where note = $1", Command: "SELECT", Relations: []string{"orders"}}
	lookup     = &record.Statement{Fingerprint: "lookup", Normalized: "select * from orders where id = $1", Command: "SELECT", Relations: []string{"orders"}}
)

func (l costLoad) batch() *record.Batch {
	b := &record.Batch{}
	r := rand.New(rand.NewPCG(11, 12))
	line := int64(0)
	execute := func(at record.Time, s *record.Statement, ms, buffers, read, rows float64, shape uint64) {
		line++
		e := record.Execution{Pos: record.Pos{File: "log", Line: line, Offset: line}, LogTime: at, Kind: record.ExecStatement, Session: strconv.FormatInt(line%4, 10),
			Duration: record.Duration(ms * 1000), HasDuration: true, Statement: s}
		if l.buffers != nil {
			e.Kind, e.HasPlan = record.ExecPlan, true
			own := record.Buffers{SharedHit: int64(buffers - read), SharedRead: int64(read)}
			e.Figures = record.Figures{Shape: shape, HasRows: true, Rows: record.Rows(rows * 100), HasBuffers: true, Own: own, Total: own}
			if s == slowSelect && l.seqScan {
				e.Plan = scanOf(rows)
			}
		}
		b.Executions = append(b.Executions, e)
	}
	for s := range loadSeconds {
		n := 4
		if l.perSecond != nil {
			n = l.perSecond(s)
		}
		for k := range n {
			at := sec(float64(s) + float64(k)/float64(n))
			buffers, read, shape := 0.0, 0.0, uint64(1)
			if l.buffers != nil {
				buffers = l.buffers(s) * (1 + l.noise*r.NormFloat64())
			}
			if l.reads != nil {
				read = min(buffers, l.reads(s))
			}
			if l.shape != nil {
				shape = l.shape(s)
			}
			execute(at, slowSelect, l.ms(s)*(1+5*l.noise*(r.Float64()-0.5)), buffers, read, l.rows(s), shape)
		}
		execute(sec(float64(s)+0.99), lookup, 0.1+0.02*r.Float64(), 4, 0, 1, 7)
		if s%10 == 0 {
			l.capture(b, s)
		}
	}
	for name, value := range l.settings {
		row(b, record.ViewSettings, sec(0), "name", name, "setting", value)
	}
	return b
}

func scanOf(rows float64) *record.Plan {
	return &record.Plan{Nodes: []record.Node{{Parent: -1, NodeType: "Seq Scan", SchemaName: "public", RelationName: "orders", Fields: record.HasActual | record.HasTiming | record.HasBuffers,
		ActualLoops: 1, ActualRows: record.Rows(rows * 100), RowsRemovedFilter: 1000, Extra: []record.KeyValue{{Key: "Filter", Value: "(note = 'x'::text)"}}}}}
}

func (l costLoad) capture(b *record.Batch, s int) {
	if l.sizes {
		pairs := []string{"schemaname", "public", "relname", "orders", "relation_size", fmt.Sprint(int64(l.pages(s)) * 8192), "n_live_tup", fmt.Sprint(int64(l.live(s)))}
		if l.dead != nil {
			pairs = append(pairs, "n_dead_tup", fmt.Sprint(int64(l.dead(s))))
		}
		row(b, record.ViewTables, sec(float64(s)), pairs...)
		row(b, record.ViewIndexes, sec(float64(s)), "schemaname", "public", "relname", "orders", "indexrelname", "orders_pkey", "amname", "btree", "index_size", fmt.Sprint(int64(l.pages(s)/40)*8192))
	}
	if l.waits == nil {
		return
	}
	for pid := range 4 {
		row(b, record.ViewActivity, sec(float64(s)+float64(pid)/1000), "pid", strconv.Itoa(pid), "state", "active", "backend_type", "client backend", "wait_event_type", l.waits(s),
			"query", "slow")
	}
}

// row adds a captured row of a view from names and values in turn.
func row(b *record.Batch, view record.View, at record.Time, pairs ...string) {
	var names []string
	var values []record.Value
	for i := 0; i < len(pairs); i += 2 {
		names, values = append(names, pairs[i]), append(values, record.Value{Text: pairs[i+1], Valid: pairs[i+1] != ""})
	}
	n := int64(len(b.Samples))
	b.Samples = append(b.Samples, record.Sample{View: view, CapturedAt: at, TimeSource: record.TimeColumn, Pos: record.Pos{File: string(view) + ".csv", Line: n + 1, Offset: n},
		Columns: record.NewColumns(names), Values: values})
}

// silentOn fails if the signature says anything of the load, or cannot evaluate
// it.
func silentOn(t *testing.T, l costLoad, s *Signature) {
	t.Helper()
	p := run(l.batch(), s)
	silent(t, p, s.ID)
	if len(p.NotEvaluated) > 0 {
		t.Errorf("not evaluated: %v", p.NotEvaluated)
	}
}

func lacksOn(t *testing.T, l costLoad, s *Signature, part string) {
	t.Helper()
	p := run(l.batch(), s)
	silent(t, p, s.ID)
	if len(p.NotEvaluated) != 1 {
		t.Fatalf("not evaluated: %v, want one lack of %q", p.NotEvaluated, part)
	}
	wantText(t, "lacks", p.NotEvaluated[0].Lacks, part)
}

func explainingIn(f *finding.Finding) []string {
	var out []string
	for _, a := range f.Attribution {
		if a.Verdict == finding.Explains || a.Verdict == finding.NotToldApart {
			out = append(out, a.Candidate)
		}
	}
	return out
}
