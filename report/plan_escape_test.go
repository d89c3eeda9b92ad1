package report

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoFormatOfPlansSteersATerminal has escape sequences and marks of the
// direction of writing in names and conditions.
func TestNoFormatOfPlansSteersATerminal(t *testing.T) {
	const text = "Seq Scan on \"a\x1b[31mred\u202ex\"  (cost=0.00..1.00 rows=1 width=4) (actual time=0.001..0.002 rows=1 loops=1)\n" +
		"  Filter: (x = '\x07\x7f\u0085\u2066'::text)\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "hostile.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range PlanFormats {
		got := planPage(t, f.Name, plansOf(t, file), PlanOptions{})
		if i := strings.IndexAny(string(got), "\x1b\x07\x7f\u0085\u202e\u2066"); i >= 0 {
			t.Errorf("%s: %q", f.Name, got[i:min(i+20, len(got))])
		}
		switch f.Name {
		case "json":
			if !json.Valid(got) || !strings.Contains(string(got), `a\u001b[31mred\u202ex`) {
				t.Errorf("json lost the name: %s", got)
			}
		case "xml":
			if err := xml.Unmarshal(got, new(struct{})); err != nil {
				t.Error(err)
			}
		case "text":
			again := filepath.Join(dir, "again.txt")
			if err := os.WriteFile(again, got, 0o600); err != nil {
				t.Fatal(err)
			}
			if second := planPage(t, "text", plansOf(t, again), PlanOptions{}); string(second) != string(got) {
				t.Errorf("%q is not stable: %q", got, second)
			}
		}
	}
}
