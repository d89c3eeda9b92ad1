package signature

import (
	"math/rand/v2"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// batchLoad is an INSERT of different sizes, one statement a second.
type batchLoad struct {
	fixed, row float64   // buffers
	sizes      []float64 // rows, drawn at random
	drift      float64   // by which the cost grows over the whole time
	noise      float64   // share of the cost
	apart      bool      // one size after the other
	growing    bool      // the largest size is drawn more and more often, else the smallest
	noPlans    bool
}

func (l batchLoad) run() *Pass {
	draw := rand.New(rand.NewPCG(5, 6))
	insert := &record.Statement{Fingerprint: "i", Normalized: "insert into items values ($1)", Command: "INSERT", Target: "items", Relations: []string{"items"}}
	b := &record.Batch{}
	const n = 1200
	for s := range n {
		rows := l.sizes[draw.IntN(len(l.sizes))]
		if l.growing {
			rows = l.sizes[0]
			if draw.IntN(n) < s {
				rows = l.sizes[len(l.sizes)-1]
			}
		}
		if l.apart {
			rows = l.sizes[s*len(l.sizes)/n]
		}
		cost := (l.fixed + l.row*rows) * (1 + l.drift*float64(s)/n) * (1 + l.noise*draw.NormFloat64())
		b.Executions = append(b.Executions, record.Execution{
			Pos: record.Pos{File: "log", Line: int64(s), Offset: int64(s)}, LogTime: sec(float64(s)), Kind: record.ExecPlan, Session: "1", Statement: insert,
			Duration: record.Duration(cost * 10), HasDuration: true, HasPlan: !l.noPlans,
			Figures: record.Figures{Shape: 1, IsWrite: true, HasRows: true, Rows: record.WholeRows(int64(rows)), HasBuffers: true, Own: record.Buffers{SharedHit: int64(cost)}},
		})
	}
	return run(b, rowsPerStatementCost)
}

var fullBatch = batchLoad{fixed: 1000, row: 100, sizes: []float64{1, 5, 50}, noise: 0.05}

func TestFixedCostOfAStatementIsFound(t *testing.T) {
	for name, drift := range map[string]float64{"steady": 0, "while the cost grows fivefold": 4} {
		t.Run(name, func(t *testing.T) {
			l := fullBatch
			l.drift = drift
			f := only(t, l.run(), "PGA107")
			fixed, row := figure(t, f, "fixed cost of a statement").Value, figure(t, f, "cost of each row").Value
			if r := fixed / row; r < 9 || r > 11 {
				t.Errorf("fixed %g, per row %g: want ten times", fixed, row)
			}
			if f.Effect < 8 || f.Severity != finding.Info {
				t.Errorf("%s, %gx; want info and 1,100 ÷ 120", f.Severity, f.Effect)
			}
			wantText(t, "actions", f.Actions[0].Do, "Write about 1")
		})
	}
}

func TestCostThatDoesNotDependOnTheBatchIsTold(t *testing.T) {
	l := fullBatch
	l.fixed, l.drift = 0, 4
	f := only(t, l.run(), "PGA107")
	wantText(t, "title", f.Title, "do not change what a row of INSERT costs")
}

// Large batches come into use while something else makes every row dearer: a
// large batch looks dear only because it is late.
func TestCostThatGrowsWhileBatchesGrowDoesNotDependOnThem(t *testing.T) {
	l := fullBatch
	l.fixed, l.drift, l.growing = 0, 4, true
	f := only(t, l.run(), "PGA107")
	wantText(t, "title", f.Title, "do not change what a row of INSERT costs")
}

func TestNoBatches(t *testing.T) {
	for name, change := range map[string]func(*batchLoad){
		"one size":                 func(l *batchLoad) { l.sizes = []float64{5} },
		"sizes that hardly differ": func(l *batchLoad) { l.sizes = []float64{10, 12} },
		"sizes at different times": func(l *batchLoad) { l.apart, l.drift = true, 4 },
		"too noisy to say either":  func(l *batchLoad) { l.fixed, l.noise = 15, 0.4 },
	} {
		l := fullBatch
		change(&l)
		t.Run(name, func(t *testing.T) { silent(t, l.run(), "PGA107") })
	}
}

func TestBatchesNeedPlans(t *testing.T) {
	l := fullBatch
	l.noPlans = true
	if p := l.run(); len(p.NotEvaluated) != 1 {
		t.Errorf("not evaluated %+v, want PGA107: no plans", p.NotEvaluated)
	}
}

// Inserts of 1, 5 and 10 rows while a walk makes each row dearer: the batch
// changes nothing.
func TestBatchOfTheRealWalkChangesNothing(t *testing.T) {
	p := Run(modelOf(t, "../../samples/hnsw-page-walk"), []*Signature{rowsPerStatementCost}, nil)
	f := only(t, p, "PGA107")
	wantText(t, "title", f.Title, "Rows per statement do not change")
}
