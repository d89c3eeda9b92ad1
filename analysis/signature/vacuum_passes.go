package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

// severalPasses finds vacuums that read the indexes more than once, because
// their memory did not hold all dead items.
func (p *Pass) severalPasses(r *dataset.Relation, all []*dataset.Vacuum) *trouble {
	var vs []*dataset.Vacuum
	for _, v := range all {
		pages, _ := indexPages(v)
		if float64(v.IndexScans) >= p.limit("min_passes") && pages*float64(v.IndexScans-1) >= p.limit("min_extra") {
			vs = append(vs, v)
		}
	}
	if len(vs) == 0 {
		return nil
	}
	worst := vs[0]
	for _, v := range vs {
		if v.IndexScans > worst.IndexScans || v.IndexScans == worst.IndexScans && removedItems(v) > removedItems(worst) {
			worst = v
		}
	}
	x := autovacuum.MemoryAt(p.Model, r, worst.Start)
	w, _ := workOf(worst)
	once := w.Index / float64(worst.IndexScans)
	t := &trouble{From: vs[0].Start, To: vs[len(vs)-1].End, Pos: vs[0].Pos, Seconds: elapsedOf(vs),
		Title:    fmt.Sprintf("read its indexes up to %d times over", worst.IndexScans),
		Effect:   w.explained() / (w.Heap + once),
		Evidence: places(vs, "passes", func(v *dataset.Vacuum) float64 { return float64(v.IndexScans) }),
		N:        fmt.Sprintf("%d of %s of the table", len(vs), plural(len(all), "vacuum")),
		Not:      []string{"more workers, or a lower cost delay: the passes stay", "REINDEX, unless the indexes are bloated (208): each pass is shorter, there are as many"},
		Verify:   "the next vacuum line of " + r.Name + " says \"index scans: 1\"",
	}
	t.Summary = fmt.Sprintf("The vacuum that ended at %s found %s dead items, and read the indexes (%s pages together) %d times. %s had room for %s. ",
		clock(worst.End), num(removedItems(worst)), num(once), worst.IndexScans, memoryText(x), roomText(x))
	t.Figures = passFigures(p, worst, x, once)
	t.passConfidence(worst, x, all)
	t.RuledOut = []finding.RuledOut{{Rival: "one index that does more than be read (207)", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s buffers, table and indexes explain %s", num(w.Buffers), num(w.explained()))}}
	if w.Buffers > 2*w.explained() {
		t.RuledOut[0].Verdict = finding.NotRuledOut
	}
	t.Actions = passActions(r, worst, x)
	return t
}

func memoryText(x autovacuum.Memory) string {
	text := fmt.Sprintf("%s = %s", x.Set.Name, bytesText(x.Set.Value*1024))
	if x.Set.Source == autovacuum.FromDefault {
		text += " (the default: pg_settings is not in input)"
	}
	return text
}

// roomText says how many dead items the memory holds.
func roomText(x autovacuum.Memory) string {
	if x.Compressed() {
		return bytesText(x.Bytes) + " of bitmaps"
	}
	return num(x.Bytes/autovacuum.DeadItemBytes) + " of them"
}

func passFigures(p *Pass, v *dataset.Vacuum, x autovacuum.Memory, once float64) []finding.Figure {
	fs := []finding.Figure{
		{What: "index passes of one vacuum", Value: float64(v.IndexScans), Unit: "passes", Limit: fmt.Sprintf(">= %g", p.limit("min_passes")), Says: "each reads every index"},
		{What: "index pages read again", Value: once * float64(v.IndexScans-1), Unit: "pages", Limit: fmt.Sprintf(">= %g", p.limit("min_extra"))},
		{What: "dead items found", Value: removedItems(v), Unit: "items"},
		{What: "memory for them", Value: x.Bytes, Unit: "bytes", Text: memoryText(x)},
	}
	if n := x.Needed(&v.Vacuum); n > 0 {
		fs = append(fs, finding.Figure{What: "memory that holds all of them", Value: n, Unit: "bytes"},
			finding.Figure{What: "passes by the arithmetic", Value: x.Passes(&v.Vacuum), Unit: "passes", Indent: true})
	}
	return fs
}

// passConfidence: the equation is dead items over what the memory holds; the
// event, the line itself; the control, a vacuum of the table that found fewer and
// needed one pass.
func (t *trouble) passConfidence(v *dataset.Vacuum, x autovacuum.Memory, all []*dataset.Vacuum) {
	t.Equation = v.DeadItems.Known && x.Set.Source != autovacuum.FromDefault && x.Passes(&v.Vacuum) == float64(v.IndexScans)
	t.Event = true
	for _, o := range all {
		t.Control = t.Control || o.IndexScans == 1 && removedItems(o) < removedItems(v)
	}
	t.Why = [3]string{
		yes(t.Equation, fmt.Sprintf("%s dead items in that memory make %d passes", num(removedItems(v)), v.IndexScans), "dead items or the memory in force are not told, or do not give that many passes"),
		"the vacuum line counts the passes",
		yes(t.Control, "a vacuum of the table that found fewer needed one pass", "no vacuum of the table with one pass"),
	}
}

// roundMemory is a size in MB that holds n bytes with a fifth to spare: a
// multiple of 16 MB, or of 1 MB below that.
func roundMemory(n float64) float64 {
	const mb = 1 << 20
	step := 16.0
	if n < 16*mb {
		step = 1
	}
	return math.Ceil(1.2*n/mb/step) * step
}

func passActions(r *dataset.Relation, v *dataset.Vacuum, x autovacuum.Memory) []finding.Action {
	smaller := finding.Action{Do: fmt.Sprintf("Vacuum %s before so many rows are dead: lower autovacuum_vacuum_scale_factor of this table, or vacuum right after a large delete, in parts.", r.SQL()),
		Cost: "each vacuum reads all indexes once: more of them cost more in all, unless each replaces several passes"}
	if !x.Holds(&v.Vacuum) {
		smaller.Cost += fmt.Sprintf("; before version 17 no setting holds more than %s dead items (1 GB)", num((1<<30)/autovacuum.DeadItemBytes))
		return []finding.Action{smaller}
	}
	need := x.Needed(&v.Vacuum)
	if need <= x.Bytes {
		return []finding.Action{smaller}
	}
	return []finding.Action{
		{SQL: true, Do: fmt.Sprintf("alter system set autovacuum_work_mem = '%.0fMB'; select pg_reload_conf();", roundMemory(need)),
			Cost: fmt.Sprintf("up to that much for each of autovacuum_max_workers at once; %s are needed for %s dead items; the next vacuum has it, a running one does not", bytesText(need), num(removedItems(v)))},
		smaller,
	}
}
