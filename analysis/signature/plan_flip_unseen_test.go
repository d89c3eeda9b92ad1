package signature

import (
	"strconv"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// dropLoad is two queries on one table, ten a second each, seen by snapshots
// every 5 s only; its index is gone from second 300 of 600 on.
type dropLoad struct {
	kept     bool // the index stays
	unused   bool // nothing scans the index
	seqScans bool // sequential scans come in its place
	buffers  int  // an execution takes since; 4 before
	rows     int  // an execution gives since; 1 before
	back     int  // second at which the cost is back, with another index; 0 never
}

func (l dropLoad) run() *Pass {
	b := &record.Batch{}
	var calls, rows, buffers, ms, scans, read int
	for s := 0; s <= 600; s += 5 {
		late := s > 300 && (l.back == 0 || s <= l.back)
		if s > 0 {
			calls, scans = calls+50, scans+100
			per, cost := 1, 4
			if late {
				per, cost = l.rows, l.buffers
				if l.seqScans {
					read += 100 * 1000
				}
			}
			rows, buffers, ms = rows+50*per, buffers+50*cost, ms+50*cost
		}
		at, gone := sec(float64(s)), s > 300 && !l.kept
		for i, query := range []string{"select a from orders where c = $1", "select b from orders where c = $1"} {
			row(b, record.ViewStatements, at, "queryid", strconv.Itoa(i+1), "query", query, "calls", strconv.Itoa(calls), "rows", strconv.Itoa(rows),
				"total_exec_time", strconv.Itoa(ms), "shared_blks_hit", strconv.Itoa(buffers), "shared_blks_read", "0")
		}
		row(b, record.ViewTables, at, "schemaname", "public", "relname", "orders", "seq_tup_read", strconv.Itoa(read), "n_live_tup", "1000")
		row(b, record.ViewIndexes, at, "schemaname", "public", "relname", "orders", "indexrelname", "orders_pkey", "idx_scan", "7")
		if !gone {
			uses := strconv.Itoa(scans)
			if l.unused {
				uses = "7"
			}
			row(b, record.ViewIndexes, at, "schemaname", "public", "relname", "orders", "indexrelname", "orders_c", "idx_scan", uses,
				"indexdef", "CREATE INDEX orders_c ON public.orders USING btree (c)")
		}
	}
	d := dataset.New(dataset.DefaultLimits(), func(t []byte) *record.Statement {
		return &record.Statement{Fingerprint: string(t), Normalized: string(t), Command: "SELECT", Relations: []string{"orders"}}
	})
	d.Fold(b)
	return Run(d.Build(), []*Signature{planFlip}, nil)
}

var fullDrop = dropLoad{seqScans: true, buffers: 400, rows: 1}

func TestDroppedIndexOfTwoStatementsIsOneIncidentWithoutPlans(t *testing.T) {
	p := fullDrop.run()
	if len(p.Findings) != 2 {
		t.Fatalf("%d findings, want one of each statement", len(p.Findings))
	}
	f, side := p.Findings[0], p.Findings[1]
	if f.Confidence != finding.Likely || f.Effect < 90 || f.Onset.Event != "drop of index orders_c" || f.Subject.Relation != "public.orders" {
		t.Errorf("%s %gx after %q on %s: %s", f.Confidence, f.Effect, f.Onset.Event, f.Subject.Relation, f.WhyConfidence)
	}
	if f.Cause != "" || side.Cause != f.Fingerprint() {
		t.Errorf("causes %q and %q, want one incident", f.Cause, side.Cause)
	}
	wantText(t, "summary", f.Summary, "The plans are not logged", "Sequential scans read")
	wantText(t, "actions", f.Actions[0].Do, "CREATE INDEX CONCURRENTLY orders_c ON public.orders")
}

func TestDroppedIndexThatServedTheStatementsIsLikely(t *testing.T) {
	l := fullDrop
	l.seqScans = false
	if f := l.run().Findings[0]; f.Confidence != finding.Likely {
		t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestCostThatReturnsIsToldWithItsEnd(t *testing.T) {
	l := fullDrop
	l.back = 450
	p := l.run()
	if len(p.Findings) == 0 {
		t.Fatal("no finding")
	}
	f := p.Findings[0]
	if f.Onset.End < sec(445) || f.Onset.End > sec(460) {
		t.Errorf("ended at %s, want second 455", f.Onset.End.Std())
	}
	wantText(t, "actions", f.Actions[0].Do, "Nothing now")
}

func TestNoFlipUnseen(t *testing.T) {
	for name, change := range map[string]func(*dropLoad){
		"the cost does not change":           func(l *dropLoad) { l.buffers, l.seqScans = 4, false },
		"more rows":                          func(l *dropLoad) { l.rows = 100 },
		"nothing used the index":             func(l *dropLoad) { l.unused = true },
		"no event: PGA106 and PGA103 see it": func(l *dropLoad) { l.kept = true },
	} {
		l := fullDrop
		change(&l)
		t.Run(name, func(t *testing.T) { silent(t, l.run(), "PGA105") })
	}
}
