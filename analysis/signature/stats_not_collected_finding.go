package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func (q *quiet) finding(p *Pass) finding.Finding {
	top := q.Tables[0]
	f := finding.Finding{
		Title: "Nothing is counted in database " + q.Database + " while its tables grow",
		Summary: fmt.Sprintf("From %s to %s %s transactions committed in %s, but not one block or row was counted, while %s grew by %s pages. "+
			"Autovacuum sees no dead row and no insert: it acts only against wraparound. Figures from counters of that time say nothing.",
			clock(q.From), clock(q.To), thousands(q.Commits), q.Database, q.tables(), num(q.grown())),
		Subject: finding.Subject{Database: q.Database},
		Onset:   &finding.Onset{Time: q.From, Event: "the counters stood still", EventTime: q.From, EventPos: q.First, End: record.NoTime},
		Figures: []finding.Figure{
			{What: "transactions committed meanwhile", Value: float64(q.Commits), Unit: "transactions", Limit: ">= " + num(p.limit("min_commits")), Says: "counted without track_counts"},
			{What: "blocks counted meanwhile", Value: 0, Unit: "blocks", Limit: "0", Says: "explains"},
			{What: "rows counted in tables that grew", Value: 0, Unit: "rows", Limit: "0", Says: "explains"},
			{What: "growth of these tables", Value: q.grown(), Unit: "pages", Limit: ">= " + num(p.limit("min_pages")), Says: "not idle"},
			{What: "blocks counted before", Value: float64(q.Before), Unit: "blocks", Says: q.control()},
		},
		RuledOut: []finding.RuledOut{
			{Rival: "an idle server", Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%s went from %s to %s pages", top.Relation.Name, num(top.From.Pages), num(top.To.Pages))},
			{Rival: "a load in one open transaction", Verdict: finding.RuledOutVerdict, Figure: "reading the snapshots alone touches blocks, and none was counted"},
			{Rival: "a standby", Verdict: finding.RuledOutVerdict, Figure: "tables grew, and their counters are told"},
		},
		Evidence: []finding.Evidence{
			{What: "first", Pos: q.First, Time: q.From, Value: 0, Unit: "blocks", Limit: "> 0 where transactions commit"},
			{What: "worst", Pos: top.To.Pos, Time: top.To.Time, Value: top.pages(), Unit: "pages", Limit: "0 where no row is counted"},
			{What: "latest", Pos: q.Last, Time: q.To, Value: 0, Unit: "blocks", Limit: "> 0 where transactions commit"},
		},
		Actions:     turnOn(),
		WillNotHelp: []string{"autovacuum settings: without counters it does not run but against wraparound"},
		Verify:      []string{"show track_counts; is on", "select n_tup_ins from pg_stat_user_tables where relid = " + regclass(top.Relation.SQL()) + "; rises"},
		N:           fmt.Sprintf("%s of pg_stat_database, %s", plural(q.Captures+1, "capture"), plural(len(q.Tables), "table")),
	}
	f.Confidence = confidenceOf(true, q.Off, q.Before > 0)
	f.WhyConfidence = "equation: transactions commit and tables grow, blocks and rows stand still; event: " +
		yes(q.Off, "track_counts is off in pg_settings", "no track_counts = off in input: it may be set for a role or database") +
		"; control: " + yes(q.Before > 0, "blocks were counted before", "no capture from before")
	return f
}

func (q *quiet) control() string {
	if q.Before > 0 {
		return "control: they were counted"
	}
	return "no capture from before"
}

func (q *quiet) tables() string {
	name := q.Tables[0].Relation.Name
	if n := len(q.Tables) - 1; n > 0 {
		return fmt.Sprintf("%s and %s", name, plural(n, "other table"))
	}
	return name
}

func turnOn() []finding.Action {
	return []finding.Action{
		{SQL: true, Do: "alter system set track_counts = on", Cost: "then select pg_reload_conf(); no lock, no restart; counting costs next to nothing"},
		{SQL: true, Do: "select d.datname, s.setrole::regrole, s.setconfig from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase", Cost: "reads catalogs only; shows whether a database or role turns it off"},
		{SQL: true, Do: "vacuum (analyze)", Cost: "once, after it is on: nobody knows what gathered meanwhile; reads every table, at the pace of vacuum_cost_delay"},
	}
}

// settingFinding is told where track_counts is off and no capture shows what it
// does.
func settingFinding(m *dataset.Model, s dataset.Setting) finding.Finding {
	return finding.Finding{
		Title:   "track_counts is off: autovacuum does not run but against wraparound",
		Summary: "pg_settings shows track_counts = off. No table counts its rows, so that autovacuum never finds one to vacuum or analyze. No two captures in input show tables that grow meanwhile.",
		Subject: finding.Subject{Database: m.Database}, Confidence: finding.Likely,
		WhyConfidence: "equation: the setting says so; event: missing: no capture from before; control: missing: no table that grows in the captures",
		Figures:       []finding.Figure{{What: "track_counts", Text: s.Value, Limit: "on", Says: "explains"}},
		RuledOut:      []finding.RuledOut{notMeasurable("a setting of the session that took the snapshot only", "pg_settings shows the session's own value")},
		Evidence:      settingEvidence(m),
		Actions:       turnOn(), Verify: []string{"show track_counts; is on"},
		WillNotHelp: []string{"autovacuum settings: without counters it does not run but against wraparound"},
	}
}

func settingEvidence(m *dataset.Model) []finding.Evidence {
	rows := m.Rows(record.ViewSettings)
	for i := len(rows) - 1; i >= 0; i-- {
		if textOf(&rows[i], "name") == "track_counts" {
			return []finding.Evidence{{What: "latest", Pos: rows[i].Pos, Time: rows[i].CapturedAt, Limit: "on", Excerpt: "track_counts = off"}}
		}
	}
	return nil
}

func (l *lossOfStats) finding(m *dataset.Model) finding.Finding {
	last := &l.Breaks[len(l.Breaks)-1]
	where := l.where()
	f := finding.Finding{
		Title: fmt.Sprintf("Statistics %s were lost %s", where, timesInWords(len(l.Breaks))),
		Summary: fmt.Sprintf("%s. The counters began again from 0, those by which autovacuum acts with them: what tables had gathered until then is not counted, and their next vacuum comes later. "+
			"No figure of this report crosses these points.", upperFirst(l.listed())),
		Subject:       finding.Subject{Database: l.Database},
		Confidence:    finding.Likely,
		WhyConfidence: "equation: " + last.Known + "; event: the statistics' own marks; control: missing: what autovacuum would have done is not known",
		Onset:         &finding.Onset{Time: l.Breaks[0].By, Event: l.Breaks[0].Kind.String(), EventTime: l.Breaks[0].By, EventPos: l.Breaks[0].Pos, End: record.NoTime},
		Figures:       []finding.Figure{{What: "times that counters were lost", Value: float64(len(l.Breaks)), Unit: "times", Limit: "0"}},
		RuledOut:      []finding.RuledOut{anotherServer(m)},
		Actions:       []finding.Action{{SQL: true, Do: "vacuum (analyze)", Cost: "once; reads every table, at the pace of vacuum_cost_delay"}},
		Verify:        []string{"select stats_reset from pg_stat_database where datname = current_database(); does not move"},
		N:             plural(len(l.Breaks), "break"),
	}
	if last.Kind != dataset.BreakCrash {
		f.Actions = append(f.Actions, finding.Action{Do: "Leave pg_stat_reset out of scheduled jobs: differences between snapshots tell the same.", Cost: "none"})
	}
	for i := range l.Breaks {
		b := &l.Breaks[i]
		if i < maxListed {
			f.Evidence = append(f.Evidence, finding.Evidence{What: b.Kind.String(), Pos: b.Pos, Time: b.By, Value: 0, Unit: "counters", Limit: "do not go back"})
		}
	}
	return f
}

// where is what lost its statistics: a table if it was the only one.
func (l *lossOfStats) where() string {
	for i := range l.Breaks {
		if r := l.Breaks[i].Relation; r == "" || r != l.Breaks[0].Relation {
			if l.Database != "" {
				return "of database " + l.Database
			}
			return "of the server"
		}
	}
	return "of " + l.Breaks[0].Relation
}

// anotherServer judges whether the captures may be of two servers.
func anotherServer(m *dataset.Model) finding.RuledOut {
	const rival = "captures of another server"
	for _, r := range m.Relations {
		for i := range r.Points {
			if r.Points[i].OID.Known && len(m.Alternating) == 0 {
				return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "the tables kept their OIDs, and none came back after another"}
			}
		}
	}
	return notMeasurable(rival, "no relid in the snapshots of pg_stat_user_tables in input")
}

func timesInWords(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// listed are the breaks in words, the first ones.
func (l *lossOfStats) listed() string {
	var parts []string
	for i := range l.Breaks {
		b := &l.Breaks[i]
		if i == maxListed {
			parts = append(parts, fmt.Sprintf("and %d more", len(l.Breaks)-i))
			break
		}
		when := "at " + clock(b.By)
		if clock(b.After) != clock(b.By) {
			when = "between " + clock(b.After) + " and " + clock(b.By)
		}
		parts = append(parts, b.What()+" "+when)
	}
	return strings.Join(parts, "; ")
}
