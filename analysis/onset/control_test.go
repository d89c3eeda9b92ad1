package onset

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// duration is the measure of these tests.
var duration = Measure{"duration", "ms", func(e *dataset.Execution) (float64, bool) { return e.Duration.Milliseconds(), e.HasDuration }}

func TestControlsArePickedAndMeasured(t *testing.T) {
	b := &record.Batch{}
	statement := func(fp, text string, relation string) *record.Statement {
		return &record.Statement{Fingerprint: fp, Normalized: text, Command: "SELECT", Relations: []string{relation}}
	}
	subject := statement("s", "select * from orders where a = $1", "orders")
	twin := statement("t", "select * from invoices where a = $1", "invoices")
	quiet := statement("q", "select count(*) from orders", "orders")
	loud := statement("l", "select max(a) from orders", "orders")
	far := statement("f", "select now()", "clock")
	for i := range 40 {
		for _, s := range []*record.Statement{subject, twin, quiet, loud, far} {
			run(b, s, float64(i), 0)
			if late := i >= 20; late && (s == subject || s == loud) {
				b.Executions[len(b.Executions)-1].Duration *= 3
			}
		}
	}
	m := model(b)
	got := Controls(m, Question{Statement: m.Statement("s"), At: at(19.5), Settled: at(19.5), Measure: duration, Band: 1.2, MinReadings: 5})
	want := []struct {
		what  string
		quiet bool
	}{
		{"the statement itself, before", true},
		{"the same statement on another table: " + twin.Normalized, true},
		{"other statement on the table: " + loud.Normalized, false},
		{"other statement on the table: " + quiet.Normalized, true},
	}
	if len(got) != len(want) {
		t.Fatalf("%d controls: %+v", len(got), got)
	}
	for i, w := range want {
		if got[i].What != w.what || got[i].Quiet != w.quiet {
			t.Errorf("%+v, want %+v", got[i], w)
		}
	}
}

func TestWritesOfFixedSizeColumnsAreControls(t *testing.T) {
	walks := &dataset.Index{Index: "sparse", AccessMethod: "hnsw", Definition: "using hnsw (embedding sparsevec_l2_ops)"}
	dense := &dataset.Relation{Indexes: []*dataset.Index{{AccessMethod: "hnsw", Definition: "using hnsw (embedding vector_l2_ops)"}}}
	sparse := &dataset.Relation{Indexes: []*dataset.Index{walks}}
	if !fixedSize(dense, "hnsw") || fixedSize(sparse, "hnsw") || fixedSize(dense, "ivfflat") {
		t.Error("vector has a fixed size, sparsevec has not")
	}
}

func TestGrowthOfOtherIndexes(t *testing.T) {
	r := &dataset.Relation{}
	walks, other := &dataset.Index{Index: "walks", Relation: r}, &dataset.Index{Index: "other", Relation: r}
	r.Indexes = []*dataset.Index{walks, other}
	for i := range 20 {
		pages := float64(10 * i)
		if i > 10 {
			pages += float64(20 * (i - 10))
		}
		other.Sizes = append(other.Sizes, dataset.Reading{Time: at(float64(i) * 3600), Pages: pages})
	}
	q := Question{Index: walks, At: at(10 * 3600), Settled: at(10 * 3600), Band: 1.2, MinReadings: 5}
	got := q.otherIndexes()
	if len(got) != 1 || got[0].Before != 10 || got[0].After != 30 || got[0].Quiet {
		t.Errorf("%+v, want 10 pages an hour before and 30 after, not quiet", got)
	}
}
