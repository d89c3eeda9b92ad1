package analysis

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
)

// walkLog is the log of the page walk, plain.
func walkLog(t *testing.T) string {
	t.Helper()
	f, err := os.Open("../samples/hnsw-page-walk/postgresql.log.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, z); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writeLog(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "postgresql.log")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// walkOf runs the paths and returns the only PGA101.
func walkOf(t *testing.T, paths ...string) finding.Finding {
	t.Helper()
	r, err := Run(context.Background(), paths, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var out []finding.Finding
	for _, f := range r.Findings {
		if f.ID == "PGA101" {
			out = append(out, f)
		}
	}
	if len(out) != 1 || out[0].Subject.Index != "public.items_embedding_hnsw" {
		t.Fatalf("findings %+v, want one PGA101 on items_embedding_hnsw", out)
	}
	return out[0]
}

const walkSnapshots = "../samples/hnsw-page-walk/snapshots"

func TestWalkWithoutSnapshotsIsLikelyByTheStep(t *testing.T) {
	if f := walkOf(t, writeLog(t, walkLog(t))); f.Confidence != finding.Likely || f.Severity != finding.Critical {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
}

func TestWalkWithoutLogIsLikelyAtMost(t *testing.T) {
	if f := walkOf(t, walkSnapshots); f.Confidence > finding.Likely {
		t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestWalkUnderWayFromTheStartIsPossible(t *testing.T) {
	log := walkLog(t)
	at := regexp.MustCompile(`(?m)^2026-11-30 14:20:33`).FindStringIndex(log)
	if f := walkOf(t, writeLog(t, log[at[0]:]), walkSnapshots); f.Confidence > finding.Likely {
		t.Errorf("%s without a control before the onset: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestWalkInACensoredLogIsPossible(t *testing.T) {
	entry := regexp.MustCompile(`(?m)^2026-\S+ \S+ UTC \[\d+\] \S+ ingest LOG:  duration: (?:\d|1\d)\.\d+ ms  plan:\n(?:\t.*\n)+`)
	if f := walkOf(t, writeLog(t, entry.ReplaceAllString(walkLog(t), "")), walkSnapshots); f.Confidence != finding.Possible {
		t.Errorf("%s although plans below 20 ms are missing: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestWalkInARemoteLogWithOneSecondTimes(t *testing.T) {
	line := regexp.MustCompile(`(?m)^(2026-11-30 \d\d:\d\d:\d\d)\.\d+ UTC \[(\d+)\] (?:(\S+)@(\S+) \S+ )?`)
	rds := line.ReplaceAllString(walkLog(t), "$1 UTC:10.0.0.1(5000):$3@$4:[$2]:")
	if f := walkOf(t, writeLog(t, rds), walkSnapshots); f.Confidence != finding.Confirmed {
		t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
	}
}

// testdata/walk-and-rebuild is a real run of PostgreSQL 18 with pgvector: 400
// inserts of long sparse vectors into an index of short ones, a DELETE of every
// 50th row and a VACUUM, 800 inserts, REINDEX, 400 inserts; one plan with
// captured_at each, index and table snapshots every 20 rows.
func TestRebuildEndsARealWalk(t *testing.T) {
	r, err := Run(context.Background(), []string{"testdata/walk-and-rebuild"}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]finding.Finding{}
	for _, f := range r.Findings {
		got[f.ID] = f
	}
	if f := got["PGA101"]; f.Confidence != finding.Likely || f.Subject.Index != "public.items_hnsw" {
		t.Errorf("PGA101 %s on %q: %s", f.Confidence, f.Subject.Index, f.WhyConfidence)
	}
	if f := got["PGA102"]; f.Confidence != finding.Confirmed {
		t.Errorf("PGA102 %s: %s", f.Confidence, f.WhyConfidence)
	}
}

// A queue has few rows: what decides is what those held back cost its queries.
func TestFewRowsHeldBackCountByWhatTheyCost(t *testing.T) {
	for name, c := range map[string]struct {
		msPerRow float64
		want     finding.Severity
	}{"claims slow down": {1.0 / 300, finding.Critical}, "claims do not feel it": {0, finding.Info}, "a tenth of a millisecond": {1.0 / 100_000, finding.Info}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, data := range pinnedQueue(3, c.msPerRow) {
				if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Run(context.Background(), []string{dir}, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.ID == "PGA205" })
			if i < 0 || r.Findings[i].Severity != c.want {
				t.Errorf("want PGA205 %s", c.want)
				logFindings(t, r)
			}
		})
	}
}
