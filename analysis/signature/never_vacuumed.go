package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var neverVacuumed = &Signature{
	ID: "PGA204", Name: "never-vacuumed", Max: finding.Warning,
	Felt: "Queries of a table that only grows read more than they should, and one day a vacuum will read all of it at once",
	What: "A table that is only appended to has never been vacuumed.",
	Why: "Without dead rows the trigger of dead rows is never reached, and before PostgreSQL 13, or with the insert trigger or autovacuum switched off, inserted rows start no vacuum either. " +
		"The visibility map stays empty, index-only scans visit the table for every row, and one day the age of the table forces a vacuum that must read and freeze all of it at once.",
	Fix:    "Vacuum it once at a quiet hour, and let inserted rows start the next ones: PostgreSQL 13 and its insert trigger, or a scheduled VACUUM.",
	Verify: "last_vacuum or last_autovacuum is set, and relallvisible is about relpages.",
	Needs:  []Need{needSnapshot},
	Silent: []string{"a table that was vacuumed before its statistics were reset", "a table that has just been loaded: autovacuum is on its way", "small tables", "tables with updates and deletes"},
	Thresholds: []Threshold{
		{"min_rows", 100_000, "rows", "live, below which a table is too small to matter"},
		{"append_only", 0.05, "of inserted rows", "updated or deleted, up to which a table counts as appended to"},
		{"own_rows", 0.9, "of live rows", "inserted under the present statistics; fewer mean that they were reset"},
		{"patience_s", 3600, "s", "for which a vacuum may be due before it counts as not coming"},
		{"near_age", 0.5, "of the limit", "age of the table from which the forced vacuum counts as near"},
	},
	Detect: detectNeverVacuumed,
}

func detectNeverVacuumed(p *Pass) {
	told := false
	for _, r := range p.Model.Relations {
		if len(r.Points) == 0 {
			continue
		}
		x := &r.Points[len(r.Points)-1]
		if !x.VacuumCount.Known || !x.AutovacuumCount.Known || !x.Ins.Known || !x.LiveTup.Known {
			continue
		}
		told = true
		if p.neverVacuumed(r, x) {
			if why, ok := p.neverWill(r, x); ok {
				p.reportNever(r, x, why)
			}
		}
	}
	if !told {
		p.Lacks("no vacuum_count, autovacuum_count and n_tup_ins of a table in input", "pg_stat_user_tables joined with pg_class (relpages, reltuples, relallvisible), with captured_at")
	}
}

// neverVacuumed reports whether an append-only table of some size shows no trace
// of a vacuum. Counters that were reset forget it; the visibility map does not.
func (p *Pass) neverVacuumed(r *dataset.Relation, x *dataset.TablePoint) bool {
	live, ins := float64(x.LiveTup.N), float64(x.Ins.N)
	switch {
	case x.VacuumCount.N+x.AutovacuumCount.N > 0, vacuumedAt(r).Known():
	case live < p.limit("min_rows") || float64(x.Upd.N+x.Del.N) > p.limit("append_only")*ins:
	case x.Relallvisible.Known && x.Relallvisible.N > 0:
	case !x.Relallvisible.Known && ins < p.limit("own_rows")*live:
	default:
		return true
	}
	return false
}

// neverWill says why no vacuum comes; false if one is due and may be on its way.
func (p *Pass) neverWill(r *dataset.Relation, x *dataset.TablePoint) (why string, ok bool) {
	l := autovacuum.LimitsAt(p.Model, x)
	switch {
	case l.Inserted.Off != "":
		return l.Inserted.Off, true
	case !x.InsSinceVacuum.Known:
		return "the input lacks n_ins_since_vacuum", true
	case float64(x.InsSinceVacuum.N) <= l.Inserted.Value:
		return fmt.Sprintf("%s inserted rows are counted, the trigger is at %s", num(float64(x.InsSinceVacuum.N)), num(l.Inserted.Value)), true
	}
	first := &r.Points[0]
	due := first.InsSinceVacuum.Known && float64(first.InsSinceVacuum.N) > l.Inserted.Value && first.Time.Known() && x.Time.Known()
	if !due || x.Time.Sub(first.Time).Seconds() < p.limit("patience_s") {
		return "", false
	}
	return fmt.Sprintf("its trigger has been passed for %s, but autovacuum does not come to it", span(x.Time.Sub(first.Time).Seconds())), true
}

func (p *Pass) reportNever(r *dataset.Relation, x *dataset.TablePoint, why string) {
	a := autovacuum.ActivityOf(p.Model, r)
	l := autovacuum.LimitsAt(p.Model, x)
	pages := math.NaN()
	if x.Relpages.Known {
		pages = float64(x.Relpages.N)
	}
	if x.RelationSize.Known {
		pages = float64(x.RelationSize.N) / float64(p.Model.BlockSize)
	}
	f := finding.Finding{
		Subject:    finding.Subject{Relation: r.Name},
		Title:      fmt.Sprintf("%s has never been vacuumed", r.Name),
		Confidence: finding.Likely, WhyConfidence: "holds: no vacuum counted, and no page all-visible; missing: what it costs the queries",
		N: fmt.Sprintf("%d captures", len(r.Points)),
		Figures: []finding.Figure{
			{What: "live rows", Value: float64(x.LiveTup.N), Unit: "rows", Limit: "at least " + num(p.limit("min_rows"))},
			{What: "updated or deleted", Value: float64(x.Upd.N + x.Del.N), Unit: "rows", Text: fmt.Sprintf("%s of %s inserted", num(float64(x.Upd.N+x.Del.N)), num(float64(x.Ins.N)))},
			{What: "all-visible pages", Value: float64(x.Relallvisible.N), Unit: "pages", Text: optionalText(x.Relallvisible)},
		},
		RuledOut: []finding.RuledOut{
			{Rival: "a reset of the statistics", Verdict: finding.RuledOutVerdict, Figure: "no page is all-visible, or all rows were inserted under these statistics"},
			{Rival: "a load that autovacuum has not come to yet", Verdict: finding.RuledOutVerdict, Figure: why}},
		Evidence: []finding.Evidence{{What: "latest", Pos: x.Pos, Time: x.Time, Value: 0, Unit: "vacuums", Limit: "at least 1"}},
		Actions: []finding.Action{{SQL: true, Do: "VACUUM (FREEZE, ANALYZE) " + r.SQL() + ";",
			Cost: fmt.Sprintf("reads and writes %s pages once, with full page images in the WAL; blocks no reads or writes", num(pages))}},
		WillNotHelp: []string{"autovacuum_vacuum_scale_factor: no rows die here"},
		Verify:      []string{fmt.Sprintf("select relpages, relallvisible from pg_class where oid = %s;", regclass(r.SQL()))},
	}
	if !x.Relallvisible.Known {
		f.Confidence, f.WhyConfidence = finding.Possible, "holds: no vacuum counted; missing: relallvisible"
	}
	f.Summary = fmt.Sprintf("%s holds %s rows that were only appended, and no vacuum was ever counted. Why none comes: %s. ", r.Name, num(float64(x.LiveTup.N)), why)
	near := forced(&f, l, x, a, pages)
	if l.Inserted.Off != "" && autovacuum.Version(p.Model) >= 13 {
		f.Notes = append(f.Notes, "What switches it off: "+l.Inserted.Off+".")
	}
	p.ReportAs(f, ageSeverity(near >= p.limit("near_age")))
}

func optionalText(c record.Count) string {
	if !c.Known {
		return "not in the input"
	}
	return num(float64(c.N))
}

func ageSeverity(near bool) finding.Severity {
	if near {
		return finding.Warning
	}
	return finding.Info
}

// forced adds when the age of the table forces a vacuum, and answers the share
// of the limit that is reached; NaN if the input does not tell.
func forced(f *finding.Finding, l autovacuum.Limits, x *dataset.TablePoint, a autovacuum.Activity, pages float64) float64 {
	if !x.FrozenXidAge.Known {
		f.Summary += "When its age forces one is not in the input."
		f.Notes = append(f.Notes, "age(relfrozenxid) as frozenxid_age in the snapshots would tell the date of the forced vacuum.")
		return math.NaN()
	}
	d := autovacuum.DueBy(x, l.Freeze, x.FrozenXidAge, a.Xids)
	f.Figures = append(f.Figures, finding.Figure{What: "transaction age", Value: d.Now, Unit: "transactions", Text: num(d.Now), Limit: "forced at " + num(d.Value), Says: dueText(d)})
	f.Summary += fmt.Sprintf("At an age of %s transactions a vacuum is forced that must read all %s pages and freeze them: %s.", num(d.Value), num(pages), dueText(d))
	return d.Now / d.Value
}
