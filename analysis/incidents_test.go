package analysis

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/signature"
)

var updateIncidents = flag.Bool("update", false, "write the files of the incidents anew")

// incident is a case from the field, rebuilt from its figures, with the verdict
// that it got from the people who solved it.
type incident struct {
	name  string
	files func() map[string][]byte
	want  []wanted
	// traps must not be found at any severity, nor anything else above most.
	traps []string
	most  finding.Severity
}

// wanted is a finding that must be there.
type wanted struct {
	id, subject string
	least, most finding.Severity
	says        string // in its title, summary or actions; "" for nothing
	not         string // must not be in its actions
}

func incidents() []incident {
	return []incident{
		{"1", incidentIssue1025, []wanted{{"PGA101", "public.items_embedding_idx", finding.Critical, finding.Critical, "REINDEX", "needed at all"}},
			[]string{"PGA208", "PGA209", "PGA311", "PGA103", "PGA104"}, finding.Critical},
		{"4", incidentInsertKnob, []wanted{{"PGA203", "public.screenshots", finding.Info, finding.Critical, "autovacuum_vacuum_insert_", "autovacuum_vacuum_scale_factor"}},
			[]string{"PGA302", "PGA209", "PGA204"}, finding.Warning},
		{"6", incidentInsertsOnly, []wanted{{"PGA203", "public.operations", finding.Info, finding.Critical, "autovacuum_vacuum_insert_", "autovacuum_vacuum_scale_factor"}},
			[]string{"PGA302", "PGA209", "PGA204"}, finding.Warning},
		{"9", incidentSawtooth, []wanted{{"PGA201", "public.job_perms", finding.Warning, finding.Critical, "takes 427 ms", ""}},
			[]string{"PGA206", "PGA106", "PGA104"}, finding.Critical},
		{"10", incidentPinned, []wanted{{"PGA205", "public.jobs", finding.Info, finding.Critical, "analytics", "scale_factor"}},
			[]string{"PGA203", "PGA206", "PGA209"}, finding.Critical},
		{"11", incidentBelowThreshold, []wanted{
			{"PGA203", "public.payments", finding.Info, finding.Warning, "autovacuum_vacuum_", ""},
			{"PGA211", "public.payments_status_idx", finding.Info, finding.Info, "", ""}},
			[]string{"PGA204", "PGA205"}, finding.Warning},
		{"14", incidentORM, []wanted{{"PGA401", "products", finding.Info, finding.Critical, "", ""}}, []string{"PGA402", "PGA106", "PGA302"}, finding.Critical},
		{"14a", incidentORMCounts, []wanted{{"PGA401", "products_1", finding.Warning, finding.Warning, "any($1)", "create index"}}, []string{"PGA402", "PGA403", "PGA404", "PGA106"}, finding.Warning},
		{"14b", incidentMillion, []wanted{{"PGA401", "products_1", finding.Warning, finding.Warning, "any($1)", "create index"}}, []string{"PGA402", "PGA403", "PGA404", "PGA106"}, finding.Warning},
		{"14c", incidentFourLookups, []wanted{{"PGA401", "products_", finding.Warning, finding.Warning, "3 other children", "create index"}}, []string{"PGA402", "PGA403", "PGA404", "PGA106"}, finding.Warning},
		{"15a", incidentPolling, []wanted{{"PGA404", "queue", finding.Info, finding.Warning, "", ""}}, []string{"PGA401", "PGA106"}, finding.Warning},
		{"15d", incidentBusyPoller, nil, []string{"PGA404", "PGA403"}, finding.Warning},
		{"19", incidentSmall, nil, []string{"PGA201"}, finding.Info},
		{"A", incidentProduction, []wanted{
			{"PGA101", "public.documents_terms_idx", finding.Critical, finding.Critical, "REINDEX", ""},
			{"PGA101", "public.documents_terms_idx", finding.Critical, finding.Critical, "no scan for 7.92 days, 102 scans in all. If it is not, dropping it ends the walk for good", ""},
			{"PGA211", "public.documents_terms_idx", finding.Info, finding.Info, "drop index concurrently public.documents_terms_idx;", ""}},
			[]string{"PGA208", "PGA103", "PGA104", "PGA106", "PGA601"}, finding.Critical},
		{"B", incidentBuckets, []wanted{
			{"PGA401", "memories", finding.Warning, finding.Critical, "", ""},
			{"PGA402", "memories", finding.Warning, finding.Critical, "GROUP BY", ""},
			{"PGA403", "memories", finding.Warning, finding.Critical, "", ""}},
			[]string{"PGA302", "PGA106", "PGA105"}, finding.Critical},
		{"C", incidentQueue, []wanted{{"PGA202", "public.queue_items", finding.Warning, finding.Warning, "58 %", ""}}, []string{"PGA208", "PGA206", "PGA105"}, finding.Warning},
	}
}

func TestIncidentsGetTheVerdictOfThoseWhoSolvedThem(t *testing.T) {
	for _, c := range incidents() {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join("testdata", "incidents", c.name)
			holdFiles(t, dir, c.files())
			r, err := Run(context.Background(), []string{dir}, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range c.want {
				w.hold(t, r.Findings)
			}
			for _, f := range r.Findings {
				if slices.Contains(c.traps, f.ID) || f.Severity > c.most {
					t.Errorf("must not say %s %s on %s: %s", f.ID, f.Severity, f.Subject, f.Title)
				}
			}
			if t.Failed() || testing.Verbose() {
				logFindings(t, r)
			}
		})
	}
}

func logFindings(t *testing.T, r *Result) {
	for _, f := range r.Findings {
		t.Logf("%s %s %s on %s (effect %.2f, share %.3f): %s", f.ID, f.Severity, f.Confidence, f.Subject, f.Effect, f.Share, f.Title)
	}
	for _, n := range r.NotEvaluated {
		t.Logf("%s not evaluated: %s", n.ID, n.Lacks)
	}
	t.Logf("losses %+v", r.Losses)
}

// hold asks for the finding; a signature that is not in the list yet is pending.
func (w wanted) hold(t *testing.T, findings []finding.Finding) {
	t.Helper()
	if !slices.ContainsFunc(signature.List, func(s *signature.Signature) bool { return s.ID == w.id }) {
		t.Logf("pending: %s", w.id)
		return
	}
	for i := range findings {
		f := &findings[i]
		if f.ID != w.id || !strings.Contains(f.Subject.String(), w.subject) {
			continue
		}
		if f.Severity < w.least || f.Severity > w.most {
			t.Errorf("%s is %s, want %s to %s", w.id, f.Severity, w.least, w.most)
		}
		text := f.Title + f.Summary + strings.Join(f.Verify, "")
		do := ""
		for _, a := range f.Actions {
			do += a.Do + "\n"
		}
		if !strings.Contains(strings.ToLower(text+do), strings.ToLower(w.says)) {
			t.Errorf("%s does not say %q: %s %s", w.id, w.says, text, do)
		}
		if w.not != "" && strings.Contains(do, w.not) {
			t.Errorf("%s advises %q: %s", w.id, w.not, do)
		}
		return
	}
	t.Errorf("no %s on %s", w.id, w.subject)
}

// holdFiles compares the files of an incident with what its generator makes, or
// writes them. Logs are compressed.
func holdFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, want := range files {
		path := filepath.Join(dir, name+".gz")
		if *updateIncidents {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write(want) // a Buffer takes everything
			_ = z.Close()
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got := gunzip(t, path); !bytes.Equal(got, want) {
			t.Errorf("%s is not what its generator makes: go test ./analysis -run Incidents -update", path)
		}
	}
}

func gunzip(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
