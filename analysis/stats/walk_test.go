package stats

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"
)

// readWalk reads a real index walk: INSERTs into a table with an HNSW index,
// pooled between snapshots 3 s apart (PostgreSQL 15, pgvector). A vacuum that
// cleaned the index ended at 160 s; cost then climbs for about 16 s while the
// index does not grow, and follows its pages from there on.
func readWalk(t *testing.T) (seconds, pages, cost, rows []float64) {
	t.Helper()
	f, err := os.Open("testdata/walk.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := make([][]float64, 4)
	for _, line := range lines[1:] {
		for c := range columns {
			v, err := strconv.ParseFloat(line[c], 64)
			if err != nil {
				t.Fatal(err)
			}
			columns[c] = append(columns[c], v)
		}
	}
	return columns[0], columns[1], columns[2], columns[3]
}

const walkVacuumEnd = 160 // seconds

func TestWalkIsFlatBeforeItsVacuumAndFollowsPagesAfter(t *testing.T) {
	seconds, pages, cost, rows := readWalk(t)
	event := 0
	for seconds[event] < walkVacuumEnd {
		event++
	}
	before := SlopeInterval(pages[:event], cost[:event], rows[:event])
	if !before.Interval.Within(-0.2, 0.2) {
		t.Errorf("before: %+v", before)
	}
	k := event + TransitionEnd(pages[event:], cost[event:], 0.1)
	if lag := seconds[k] - walkVacuumEnd; lag < 9 || lag > 24 {
		t.Errorf("settled %v s after the vacuum", lag)
	}
	after := SlopeInterval(pages[k:], cost[k:], rows[k:])
	if !after.Interval.Within(0.8, 1.2) || !after.Interval.Contains(after.Slope) {
		t.Errorf("after: %+v", after)
	}
	t.Logf("before %+v", before)
	t.Logf("settled at %v s, after %+v", seconds[k], after)
}

func TestWalkStepIsFoundWithoutKnowingItsVacuum(t *testing.T) {
	seconds, _, cost, _ := readWalk(t)
	for _, c := range ChangePoints(cost, ChangeOptions{}) {
		if s := seconds[c]; s >= walkVacuumEnd-3 && s <= walkVacuumEnd+16 {
			return
		}
	}
	t.Error("no change at the vacuum")
}
