package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// vacuumedAt is when the table was last vacuumed as far as logs and snapshots
// tell; NoTime if never, or not known.
func vacuumedAt(r *dataset.Relation) record.Time {
	last := record.NoTime
	if n := len(r.Vacuums); n > 0 {
		last = r.Vacuums[n-1].End
	}
	for i := range r.Points {
		last = max(last, r.Points[i].LastVacuum, r.Points[i].LastAutovacuum)
	}
	return last
}

// decayOnset is the vacuum from which the map decays.
func decayOnset(r *dataset.Relation) *finding.Onset {
	last := vacuumedAt(r)
	if !last.Known() {
		return nil
	}
	o := &finding.Onset{Time: last, Event: "last vacuum of " + r.Name, EventTime: last, End: record.NoTime}
	if n := len(r.Vacuums); n > 0 && r.Vacuums[n-1].End == last {
		o.EventPos = r.Vacuums[n-1].Pos
	} else if n := len(r.Points); n > 0 {
		o.EventPos = r.Points[n-1].Pos
	}
	return o
}

func decaySummary(p *Pass, x *heapScan, a *autovacuum.Advice) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The plan is index-only in name: it returns %s rows and visits the table for %s of them. ", num(x.Rows()), x.visits())
	if next, ok := autovacuum.Next(a.Dues); ok && next.Known() {
		fmt.Fprintf(&b, "The next vacuum comes by %s, %s. ", next.Trigger, dueText(next))
	}
	if ok, text := explained(p, x, a); ok {
		fmt.Fprintf(&b, "It is the visibility map: %s.", text)
	}
	return strings.TrimSpace(b.String())
}

func decayRivals(p *Pass, x *heapScan, a *autovacuum.Advice) []finding.RuledOut {
	const held, plan = "vacuums that are held back", "plan change"
	out := []finding.RuledOut{{Rival: held, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("none of %d logged vacuums left what counts", a.Cost.Logged)}}
	if a.Cost.Logged == 0 {
		out[0] = notMeasurable(held, "no vacuum lines in input")
	}
	shapes := map[uint64]bool{}
	var hit, read int64
	for _, f := range x.Readings {
		g := f.Exec.Figures
		shapes[g.Shape] = true
		if g.HasBuffers {
			hit, read = hit+g.Total.SharedHit, read+g.Total.SharedRead
		}
	}
	verdict := finding.RuledOutVerdict
	if len(shapes) > 1 {
		verdict = finding.NotRuledOut
	}
	return append(out, finding.RuledOut{Rival: plan, Verdict: verdict, Figure: shapesText(len(shapes))}, readsOf(hit, read),
		lockWaits(p.Model, x.Statement, p.Model.From, p.Model.To))
}

// evidence are the first, the worst and the latest scan.
func (x *heapScan) evidence(tolerated float64) []finding.Evidence {
	worst := x.Readings[0]
	for _, f := range x.Readings {
		if f.Share() > worst.Share() {
			worst = f
		}
	}
	at := func(what string, f autovacuum.Fetch) finding.Evidence {
		return finding.Evidence{What: what, Pos: f.Exec.Pos, Time: f.Exec.Time, Value: f.Fetched, Unit: "heap fetches",
			Limit: fmt.Sprintf("%s of %s rows", percent(tolerated), num(f.Rows))}
	}
	if len(x.Readings) == 1 {
		return []finding.Evidence{at("worst", worst)}
	}
	return []finding.Evidence{at("first", x.Readings[0]), at("worst", worst), at("latest", x.Readings[len(x.Readings)-1])}
}

func orNone(parts []string) string {
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
