package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// reindexPlan is the order in which bloated indexes are rebuilt: largest saving
// first, one at a time, so that the disk must hold one new index only.
type reindexPlan []*indexGrowth

// saving is what all rebuilds give back, in bytes.
func (l reindexPlan) saving() (sum float64) {
	for _, b := range l {
		sum += b.Waste
	}
	return sum
}

// headroom is the free disk that the largest step needs, in bytes: the new index
// beside the old, and WAL for all of it.
func (l reindexPlan) headroom() (most float64) {
	for _, b := range l {
		most = math.Max(most, b.headroom())
	}
	return most
}

// step is the place of b, from 1.
func (l reindexPlan) step(b *indexGrowth) int {
	for i := range l {
		if l[i] == b {
			return i + 1
		}
	}
	return 0
}

func (b *indexGrowth) headroom() float64 { return 2 * b.newSize() }

// text lists the steps, at most the ten that save most.
func (l reindexPlan) text() string {
	const shown = 10
	var t strings.Builder
	fmt.Fprintf(&t, "Rebuild one at a time, in this order:")
	for i, b := range l[:min(len(l), shown)] {
		fmt.Fprintf(&t, " %d. %s gives back %s and needs %s;", i+1, b.Index.Name, bytesText(b.Waste), bytesText(math.Ceil(b.headroom())))
	}
	if n := len(l) - shown; n > 0 {
		fmt.Fprintf(&t, " then %d more, each with a finding of its own;", n)
	}
	fmt.Fprintf(&t, " all together give back %s. After each, look that it is valid before the next.", bytesText(l.saving()))
	return t.String()
}

// figures are the plan's, for the finding of one of its steps.
func (l reindexPlan) figures(b *indexGrowth) []finding.Figure {
	fs := []finding.Figure{{What: "disk needed for the rebuild", Value: b.newSize(), Unit: "bytes", Says: "and as much WAL"}}
	if len(l) < 2 {
		return fs
	}
	return append(fs,
		finding.Figure{What: "step of the reindex plan", Value: float64(l.step(b)), Unit: "step", Text: fmt.Sprintf("%d of %d, largest saving first", l.step(b), len(l))},
		finding.Figure{What: "given back by the whole plan", Value: l.saving(), Unit: "bytes", Indent: true},
		finding.Figure{What: "free disk that its largest step needs", Value: l.headroom(), Unit: "bytes", Indent: true})
}

// actions are the rebuild of one index and what to do where it fails; the first
// step carries the whole plan.
func (l reindexPlan) actions(b *indexGrowth) []finding.Action {
	name := b.Index.SQL()
	disk := fmt.Sprintf("about %s of free disk for the new index beside the old (%s), and as much for WAL", bytesText(math.Ceil(b.newSize())), bytesText(b.size()))
	var out []finding.Action
	if len(l) > 1 && l[0] == b {
		out = append(out, finding.Action{Do: l.text(), Cost: fmt.Sprintf("%s of free disk at any time, of which half is WAL", bytesText(math.Ceil(l.headroom())))})
	}
	if last := latestPoint(b.Index); last != nil && last.Exclusion.Known && last.Exclusion.N == 1 {
		return append(out, finding.Action{SQL: true, Do: "reindex index " + name + ";",
			Cost: disk + "; an exclusion constraint cannot be rebuilt concurrently: writes to the table wait for its whole length, and reads that would use the index"})
	}
	leftover := sqltext.QuoteName(b.Index.Schema, b.Index.Index+"_ccnew")
	return append(out,
		finding.Action{SQL: true, Do: "reindex index concurrently " + name + ";", Cost: disk +
			"; reads and writes go on (share update exclusive lock), but it waits for older transactions, twice; cannot run inside a transaction block; 12 and later"},
		finding.Action{SQL: true, Do: "drop index concurrently if exists " + leftover + ";",
			Cost: "only if it failed: it leaves that invalid index (with a number if there was one already), which writes may maintain; then try again"})
}

// verify is the query that shows size and validity, and the search for leftovers.
func (l reindexPlan) verify(b *indexGrowth) []string {
	literal := regclass(b.Index.SQL())
	return []string{
		fmt.Sprintf("select pg_relation_size(%s) /* about %.0f */, indisvalid from pg_index where indexrelid = %s", literal, b.newSize(), literal),
		"select indexrelid::regclass from pg_index where not indisvalid; answers no row",
	}
}
