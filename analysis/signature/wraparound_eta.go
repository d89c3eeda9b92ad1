package signature

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var wraparoundETA = &Signature{
	ID: "PGA212", Name: "wraparound-eta", Max: finding.Critical,
	Felt: "Nothing is slow yet: the server works towards a date on which it must stop for maintenance",
	What: "The age of a table or database comes near a limit, and the date can be told.",
	Why: "Every row carries the number of the transaction that made it, and numbers are compared within 2^31. A vacuum that freezes sets the age back; one is forced at autovacuum_freeze_max_age. " +
		"Where it does not come, fails or is held back, the age goes on to the failsafe, and 3 million before 2^31 the server refuses commands that need a new number.",
	Fix:    "Vacuum what is oldest, after ending what holds the horizon back; plan the forced vacuum of a large table for a quiet hour.",
	Verify: "age(relfrozenxid) and age(datfrozenxid) fall below autovacuum_freeze_max_age.",
	Needs:  []Need{needSeries},
	Silent: []string{"young clusters", "template databases, whose age rises to the limit by itself", "ages that a forced vacuum is about to reset", "small tables whose forced vacuum comes soon"},
	Thresholds: []Threshold{
		{"overdue", 1.5, "of the limit", "age from which the forced vacuum does not keep up"},
		{"soon_days", 7, "days", "to a forced vacuum of a large table from which it is told"},
		{"large_pages", 131_072, "pages", "from which a forced vacuum is large: 1 GB of 8 kB pages"},
		{"critical_days", 7, "days", "to the refusal of commands"},
		{"most", 5, "subjects", "that are told, the oldest first"},
	},
	Detect: detectWraparound,
}

// What remains before 2^31 when the server refuses new numbers: 3 million from
// PostgreSQL 14 on, 1 million before. Source: SetTransactionIdLimit and
// SetMultiXactIdLimit.
func stopAge(version int) float64 {
	if version > 0 && version < 14 {
		return 1<<31 - 1 - 1_000_000
	}
	return 1<<31 - 1 - 3_000_000
}

// aging is one age of a table or a database against its limits.
type aging struct {
	Relation *dataset.Relation // nil for a database
	Database string
	Kind     autovacuum.Trigger // Freeze or Multixact
	Age      float64
	Limit    float64 // at which a vacuum is forced
	Failsafe float64 // NaN before 14
	Stop     float64
	Rate     autovacuum.Rate
	Pages    float64
	Time     record.Time // of the capture
	Pos      record.Pos
}

func detectWraparound(p *Pass) {
	all := append(tableAges(p.Model), databaseAges(p.Model)...)
	if len(all) == 0 {
		p.Lacks("no age of relfrozenxid or datfrozenxid in input", "age(relfrozenxid) as frozenxid_age and mxid_age(relminmxid) as mxid_age with pg_stat_user_tables, or age(datfrozenxid) with pg_stat_database")
		return
	}
	slices.SortStableFunc(all, func(a, b *aging) int { return cmp.Compare(b.Age/b.Limit, a.Age/a.Limit) })
	told := map[string]bool{}
	for _, x := range all {
		if key := x.database(); x.Relation == nil && told[key] || float64(len(told)) >= p.limit("most") {
			continue // a table of it tells
		}
		overdue, soon := x.Age > p.limit("overdue")*x.Limit, p.soon(x)
		if !overdue && !soon {
			continue
		}
		told[x.database()] = true
		told[x.name()] = true
		p.ReportAs(x.finding(p, overdue), x.severity(p, overdue))
	}
}

func (x *aging) database() string {
	if x.Relation != nil {
		return "database " + x.Relation.Database
	}
	return "database " + x.Database
}

func (x *aging) name() string {
	if x.Relation != nil {
		return x.Relation.Name
	}
	return "database " + x.Database
}

// soon reports a forced vacuum of a large table within days.
func (p *Pass) soon(x *aging) bool {
	return x.Relation != nil && x.Pages >= p.limit("large_pages") && x.days(x.Limit) <= p.limit("soon_days")
}

// days is the time until the age reaches a limit; 0 if it is past, NaN if the
// rate is not known.
func (x *aging) days(limit float64) float64 {
	switch {
	case x.Age >= limit:
		return 0
	case !x.Rate.Known() || x.Rate.PerSecond <= 0:
		return math.NaN()
	}
	return (limit - x.Age) / x.Rate.PerSecond / 86400
}

// severity follows from the time to the refusal of commands, not from a cost.
func (x *aging) severity(p *Pass, overdue bool) finding.Severity {
	switch {
	case x.days(x.Stop) <= p.limit("critical_days"):
		return finding.Critical
	case overdue:
		return finding.Warning
	}
	return finding.Info
}

// tableAges are the ages at the last capture of each table.
func tableAges(m *dataset.Model) []*aging {
	xids, mxids := fastest(m)
	var out []*aging
	for _, r := range m.Relations {
		if len(r.Points) == 0 {
			continue
		}
		x := &r.Points[len(r.Points)-1]
		l := autovacuum.LimitsAt(m, x)
		pages := float64(x.Relpages.N)
		if x.RelationSize.Known {
			pages = float64(x.RelationSize.N) / float64(m.BlockSize)
		}
		if possibleAge(x.FrozenXidAge) {
			out = append(out, newAging(m, x, autovacuum.Freeze, x.FrozenXidAge.N, l.Freeze.Value, xids).of(r, pages))
		}
		if possibleAge(x.MxidAge) {
			out = append(out, newAging(m, x, autovacuum.Multixact, x.MxidAge.N, l.Multixact.Value, mxids).of(r, pages))
		}
	}
	return out
}

// possibleAge reports whether an age is known and one that 32-bit numbers can have:
// age() tells 2^31−1 at most.
func possibleAge(n record.Count) bool { return n.Known && n.N <= math.MaxInt32 }

func newAging(m *dataset.Model, p *dataset.TablePoint, kind autovacuum.Trigger, age int64, limit float64, rate autovacuum.Rate) *aging {
	version := autovacuum.Version(m)
	x := &aging{Kind: kind, Age: float64(age), Limit: limit, Failsafe: math.NaN(), Stop: stopAge(version), Rate: rate, Time: p.Time, Pos: p.Pos}
	if version == 0 || version >= 14 {
		name := "vacuum_failsafe_age"
		if kind == autovacuum.Multixact {
			name = "vacuum_multixact_failsafe_age"
		}
		x.Failsafe = autovacuum.InForce(m, p, name).Value
	}
	return x
}

func (x *aging) of(r *dataset.Relation, pages float64) *aging {
	x.Relation, x.Pages = r, pages
	return x
}

// fastest are the rates at which numbers are used: the highest of any table,
// since a vacuum in between sets an age back and makes its rate too low.
func fastest(m *dataset.Model) (xids, mxids autovacuum.Rate) {
	xids, mxids = autovacuum.NoRate(), autovacuum.NoRate()
	for _, r := range m.Relations {
		a := autovacuum.ActivityOf(m, r)
		if a.Xids.Known() && !(a.Xids.PerSecond <= xids.PerSecond) {
			xids = a.Xids
		}
		if a.Mxids.Known() && !(a.Mxids.PerSecond <= mxids.PerSecond) {
			mxids = a.Mxids
		}
	}
	return xids, mxids
}

// databaseAges are the ages at the last capture of each database. That a
// template has the highest of all is no sign: nothing but the forced vacuum ever
// comes to it.
func databaseAges(m *dataset.Model) []*aging {
	xids, mxids := fastest(m)
	last := map[string]*record.Sample{}
	var names []string
	rows := m.Rows(record.ViewDatabase)
	for i := range rows {
		name, ok := rows[i].Text("datname")
		if !ok || name == "" {
			continue
		}
		if last[name] == nil {
			names = append(names, name)
		}
		last[name] = &rows[i]
	}
	slices.Sort(names)
	var out []*aging
	for _, name := range names {
		s := last[name]
		p := &dataset.TablePoint{Time: s.CapturedAt, Pos: s.Pos}
		l := autovacuum.LimitsAt(m, p)
		add := func(column string, kind autovacuum.Trigger, limit float64, rate autovacuum.Rate) {
			age, ok := s.Int(column)
			if possibleAge(record.Count{N: age, Known: ok}) {
				x := newAging(m, p, kind, age, limit, rate)
				x.Database = name
				out = append(out, x)
			}
		}
		add("frozenxid_age", autovacuum.Freeze, l.Freeze.Value, xids)
		add("mxid_age", autovacuum.Multixact, l.Multixact.Value, mxids)
	}
	return out
}

func (x *aging) finding(p *Pass, overdue bool) finding.Finding {
	f := finding.Finding{
		Subject:  finding.Subject{Database: x.Database},
		Evidence: []finding.Evidence{{What: "latest", Pos: x.Pos, Time: x.Time, Value: x.Age, Unit: string(x.Kind), Limit: "forced at " + num(x.Limit)}},
		Figures:  x.figures(), Actions: x.actions(),
		Title: fmt.Sprintf("The %s of %s is %s of the limit: its forced vacuum does not keep up", x.Kind, x.name(), times(x.Age/x.Limit)),
		N:     fmt.Sprintf("rate of %s in a second", num(x.Rate.PerSecond)),
		WillNotHelp: []string{"raising autovacuum_freeze_max_age: it moves the date, not the work",
			"VACUUM FULL: it needs a number itself, takes an exclusive lock and twice the space"},
		Verify: []string{"select datname, age(datfrozenxid), mxid_age(datminmxid) from pg_database order by 2 desc;"},
	}
	if x.Relation != nil {
		f.Subject.Relation = x.Relation.Name
	}
	f.Confidence, f.WhyConfidence = finding.Likely, "holds: the age and its limits, the rate at which numbers are used; missing: what keeps the vacuum from it"
	switch {
	case !x.Rate.Known():
		f.Confidence, f.WhyConfidence = finding.Possible, "holds: the age and its limits; missing: two captures for the rate, and so every date"
		f.N = "one capture"
	case x.Rate.OK() && !overdue:
		f.Confidence, f.WhyConfidence = finding.Confirmed, "holds: the age, the rate over many captures, the limit in force"
	}
	f.Summary = fmt.Sprintf("The %s of %s is %s; a vacuum is forced at %s. %s", x.Kind, x.name(), num(x.Age), num(x.Limit), x.dates())
	if !overdue {
		f.Title = fmt.Sprintf("A forced vacuum of all %s of %s comes in %s", bytesText(x.Pages*float64(p.Model.BlockSize)), x.name(), span(x.days(x.Limit)*86400))
	}
	f.RuledOut = x.rivals(p)
	return f
}
