package explain

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// paths names nodes as the expected values do: "0.1.0" is the first child of
// the second child of the root.
func paths(nodes []record.Node) []string {
	out := make([]string, len(nodes))
	children := make([]int, len(nodes))
	for i := range nodes {
		out[i] = "0"
		if parent := nodes[i].Parent; parent >= 0 {
			out[i] = fmt.Sprintf("%s.%d", out[parent], children[parent])
			children[parent]++
		}
	}
	return out
}

// Values per node were computed by hand and by another program.
func TestArithmeticOfReconstructedPlans(t *testing.T) {
	data, err := os.ReadFile("testdata/arithmetic.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var c struct {
			ID, Input string
			Outside   float64 `json:"outside_root_ms"`
			Nodes     []struct {
				Path         string
				Loops        int64
				Participants float64
				CPU          float64 `json:"cpu_ms"`
				Incl         float64 `json:"incl_ms"`
				Self         float64 `json:"self_ms"`
				Tol          float64 `json:"tol_ms"`
				SelfHit      *int64  `json:"self_shared_hit"`
			}
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		p := mustText(t, c.Input)
		figures := Arithmetic(p)
		if len(figures) != len(c.Nodes) {
			t.Errorf("%s: %d nodes, want %d", c.ID, len(figures), len(c.Nodes))
			continue
		}
		for i, path := range paths(p.Nodes) {
			w, f := c.Nodes[i], figures[i]
			want := []float64{float64(w.Loops), w.Participants, w.CPU, w.Incl, w.Self, w.Tol}
			got := []float64{float64(f.Loops), f.Participants, f.CPU, f.Inclusive, f.Self, f.Tolerance}
			for k := range want {
				if math.Abs(want[k]-got[k]) > 0.00101 {
					t.Errorf("%s %s: got %v, want %v", c.ID, path, got, want)
					break
				}
			}
			if w.SelfHit != nil && *w.SelfHit != f.SelfBuffers.SharedHit {
				t.Errorf("%s %s: self hit %d, want %d", c.ID, path, f.SelfBuffers.SharedHit, *w.SelfHit)
			}
		}
		checkSums(t, c.ID, p, figures)
	}
}

// checkSums holds the identity: self times and buffers sum to the root and what
// ran outside it.
func checkSums(t *testing.T, id string, p *record.Plan, figures []NodeFigures) {
	t.Helper()
	self, want, tolerance := 0.0, figures[0].Inclusive, 0.001
	buffers, total := record.Buffers{}, p.Nodes[0].Buffers
	for i, f := range figures {
		self += f.Self
		tolerance += f.Tolerance
		buffers = buffers.Add(f.SelfBuffers)
		if f.Outside {
			want += f.Inclusive
			total = total.Add(p.Nodes[i].Buffers)
		}
	}
	if math.Abs(self-want) > tolerance {
		t.Errorf("%s: self times sum to %.3f, want %.3f", id, self, want)
	}
	if p.Nodes[0].Has(record.HasBuffers) && buffers != total {
		t.Errorf("%s: self buffers sum to %+v, want %+v", id, buffers, total)
	}
}

// The columns of expected.tsv from "loops" on.
func expectedColumns(n *record.Node, f NodeFigures) []float64 {
	rows, rowsErr := rowsTotal(n)
	b := f.SelfBuffers
	return []float64{
		float64(f.Loops), f.Participants, f.CPU, f.Inclusive, f.Self, f.Tolerance,
		float64(b.SharedHit), float64(b.SharedRead), float64(b.SharedDirtied), float64(b.TempRead), float64(b.TempWritten),
		rows.Float(), rowsErr.Float(),
	}
}

func TestArithmeticOfCapturedPlans(t *testing.T) {
	data, err := os.ReadFile("testdata/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	if len(rows) < 90 {
		t.Fatal("expected values missing")
	}
	for _, row := range rows {
		c := strings.Split(row, "\t")
		k, err := strconv.Atoi(c[1])
		if err != nil {
			t.Fatal(err)
		}
		p := plansOf(t, "testdata/plans/"+c[0])[k]
		figures := Arithmetic(p)
		for i, path := range paths(p.Nodes) {
			if path != c[2] {
				continue
			}
			for col, got := range expectedColumns(&p.Nodes[i], figures[i]) {
				want, err := strconv.ParseFloat(c[4+col], 64)
				// Three decimals were printed; rows_err of 18 is rounded up to hundredths.
				if tolerance := 0.00101 + 0.004*float64(col/12); err != nil || math.Abs(want-got) > tolerance {
					t.Errorf("%s %s column %d: got %v, want %s", c[0], path, 4+col, got, c[4+col])
				}
			}
		}
		checkSums(t, c[0], p, figures)
	}
}

// $1 is not $10, InitPlan 1 is not InitPlan 10.
func TestArithmeticOfNumberedInitPlans(t *testing.T) {
	for name, refs := range map[string][2]string{
		"up to 16": {"$1", "$10"}, "from 17": {"(InitPlan 1).col1", "(InitPlan 10).col1"},
	} {
		label := "InitPlan 1 (returns $1)"
		if name == "from 17" {
			label = "InitPlan 1"
		}
		p := mustText(t, "Append  (actual time=0.010..121.000 rows=2 loops=1)\n  "+label+
			"\n    ->  Seq Scan on x  (actual time=0.010..50.000 rows=1 loops=1)\n"+
			"  ->  Seq Scan on a  (actual time=0.010..60.000 rows=1 loops=1)\n        Filter: (v > "+refs[1]+")\n"+
			"  ->  Seq Scan on b  (actual time=0.010..60.000 rows=1 loops=1)\n        Filter: (v > "+refs[0]+")\n")
		f := Arithmetic(p)
		if math.Abs(f[2].Self-60) > 0.01 || math.Abs(f[3].Self-10) > 0.01 {
			t.Errorf("%s: self of a %.3f, of b %.3f; want 60 and 10", name, f[2].Self, f[3].Self)
		}
	}
}

// A name means its nearest definition.
func TestArithmeticOfTwoCTEsOfOneName(t *testing.T) {
	p := mustText(t, `Nested Loop  (actual time=0.010..100.000 rows=1 loops=1)
  CTE w
    ->  Seq Scan on a  (actual time=0.010..30.000 rows=1 loops=1)
  ->  CTE Scan on w  (actual time=0.010..31.000 rows=1 loops=1)
  ->  CTE Scan on w w_1  (actual time=0.010..66.000 rows=1 loops=1)
        CTE w
          ->  Seq Scan on b  (actual time=0.010..60.000 rows=1 loops=1)
`)
	f := Arithmetic(p)
	if math.Abs(f[2].Self-1) > 0.01 || math.Abs(f[3].Self-6) > 0.01 {
		t.Errorf("self of the scans %.3f and %.3f, want 1 and 6", f[2].Self, f[3].Self)
	}
}
