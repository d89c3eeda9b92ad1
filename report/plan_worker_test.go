package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/ledger"
)

// TestLeadersCountersAreNotThePlans has a parallel Memoize, of which EXPLAIN
// prints the leader's counters first.
func TestLeadersCountersAreNotThePlans(t *testing.T) {
	const text = `Memoize  (cost=0.30..0.34 rows=1 width=4) (actual time=0.001..0.001 rows=1 loops=60000)
  Hits: 22700  Misses: 1000  Evictions: 0  Overflows: 0  Memory Usage: 102kB
  Worker 0:  Hits: 18536  Misses: 1000  Evictions: 0  Overflows: 0  Memory Usage: 102kB
  Worker 1:  Hits: 15764  Misses: 1000  Evictions: 0  Overflows: 0  Memory Usage: 102kB
  ->  Index Only Scan using a_pkey on a  (cost=0.29..0.33 rows=1 width=4) (actual time=0.001..0.001 rows=1 loops=3000)
`
	file := filepath.Join(t.TempDir(), "memoize.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	page := planPage(t, "terminal", plansOf(t, file), PlanOptions{})
	got := strings.Join(strings.Fields(strings.ReplaceAll(string(page), "│", "")), " ")
	for _, want := range []string{"cache hits 57,000 of 60,000 (95 %)", "leader: Hits: 22700"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
}

// TestRowsAreWhole has what rounding leaves open of three loops of one row.
func TestRowsAreWhole(t *testing.T) {
	for want, r := range map[string]ledger.Range{
		"2–4":           {Value: 3, Low: 1.5, High: 4.5},
		"0–205":         {Value: 0, Low: 0, High: 205},
		"7":             {Value: 7, Low: 6.6, High: 7.4},
		"1":             {Value: 1, Low: 0.5, High: 1.5},
		"30,000–90,000": {Value: 60000, Low: 30000, High: 90000},
	} {
		if got := rangeText(r); got != want {
			t.Errorf("%+v: %s, want %s", r, got, want)
		}
	}
}
