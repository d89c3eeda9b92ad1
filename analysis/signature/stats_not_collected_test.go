package signature

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// captures adds testdata/stats/<name>: captures of a real server of that version.
// Settings are left out unless they are asked for.
func (h *hygiene) captures(name string, settings bool) {
	views := map[string]record.View{"tables": record.ViewTables, "database": record.ViewDatabase, "activity": record.ViewActivity}
	if settings {
		views["settings"] = record.ViewSettings
	}
	for file, view := range views {
		f, err := os.Open(filepath.Join("testdata", "stats", name, file+".csv"))
		if err != nil {
			h.t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			h.t.Fatal(err)
		}
		for _, row := range rows[1:] {
			at, ok := record.ParseTime(row[0])
			if !ok {
				h.t.Fatalf("%s/%s: bad time %q", name, file, row[0])
			}
			pairs := make([]string, len(row))
			for i := range row {
				pairs[i] = rows[0][i] + "=" + row[i]
			}
			h.sample(view, at, pairs...)
		}
	}
}

func TestTrackCountsOffOnARealServer(t *testing.T) {
	for _, version := range []string{"13", "17"} {
		h := &hygiene{t: t}
		h.captures(version+"-off", true)
		f := h.one(statsNotCollected)
		if f.Confidence != finding.Likely || f.Severity != finding.Info || f.Subject.Database != "app" {
			t.Errorf("%s: %v, %v on %+v, want likely (setting and equation), info, app", version, f.Confidence, f.Severity, f.Subject)
		}
		wantText(t, "summary", f.Summary, "public.lines", "not one block or row was counted")
		wantText(t, "actions", f.Actions, "track_counts = on")

		h = &hygiene{t: t} // before and while, without settings: the control
		h.captures(version+"-copy", false)
		h.captures(version+"-off", false)
		if f := h.one(statsNotCollected); f.Confidence != finding.Likely {
			t.Errorf("%s without settings: %v, want likely (control and equation)", version, f.Confidence)
		}
	}
}

func TestStatsAreSilentOnALoadInOneTransactionAndOnAnIdleServer(t *testing.T) {
	for _, name := range []string{"13-copy", "17-copy", "13-idle", "17-idle"} {
		h := &hygiene{t: t}
		h.captures(name, true)
		if p := h.run(statsNotCollected); len(p.Findings) > 0 || len(p.NotEvaluated) > 0 {
			t.Errorf("%s: %+v, not evaluated %v", name, p.Findings, p.NotEvaluated)
		}
	}
}

func TestStatsAreSilentOnAStandby(t *testing.T) {
	h := &hygiene{t: t}
	h.captures("17-off", false)
	at := h.batch.Samples[0].CapturedAt.Add(-record.Second)
	h.sample(record.ViewServer, at, "in_recovery=t")
	if p := h.run(statsNotCollected); len(p.Findings) > 0 {
		t.Errorf("findings on a standby: %+v", p.Findings)
	}
}

func TestTrackCountsOffWithoutTablesThatGrow(t *testing.T) {
	h := &hygiene{t: t}
	h.sample(record.ViewSettings, second(0), "name=track_counts", "setting=off")
	f := h.one(statsNotCollected)
	if f.Confidence != finding.Likely || len(f.Evidence) != 1 {
		t.Errorf("%v with evidence %v", f.Confidence, f.Evidence)
	}
}

func TestResetsAreNamedOnce(t *testing.T) {
	h := &hygiene{t: t}
	for i, reset := range []string{"", "", stamp(75), stamp(75), stamp(200)} {
		commits := []int{100, 200, 10, 20, 5}[i]
		h.sample(record.ViewDatabase, second(float64(60*i)), "datname=shop", kv("xact_commit", commits), "stats_reset="+reset)
		h.sample(record.ViewServer, second(float64(60*i)), "server_version=17.2")
	}
	f := h.one(statsNotCollected)
	wantText(t, "title", f.Title, "database shop were lost 2 times")
	if f.Onset.Time != second(75) || len(f.Evidence) != 2 || f.Severity != finding.Info {
		t.Errorf("onset %v, evidence %v, %v", f.Onset.Time, f.Evidence, f.Severity)
	}
}

func TestStatsNotCollectedLacksSnapshots(t *testing.T) {
	h := &hygiene{t: t}
	h.vacuum(60, "t", 1, 1, 1, 1)
	if p := h.run(statsNotCollected); len(p.NotEvaluated) != 1 {
		t.Errorf("not evaluated %v, want one", p.NotEvaluated)
	}
}
