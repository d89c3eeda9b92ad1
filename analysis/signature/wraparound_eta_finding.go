package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// milestone is a limit of an age, with what happens there.
type milestone struct {
	what  string
	limit float64
}

func (x *aging) milestones() []milestone {
	out := []milestone{{"a vacuum is forced", x.Limit}}
	if !math.IsNaN(x.Failsafe) {
		out = append(out, milestone{"vacuum drops its delays and leaves the indexes (failsafe)", x.Failsafe})
	}
	return append(out, milestone{"the server refuses new numbers", x.Stop})
}

func (x *aging) figures() []finding.Figure {
	out := []finding.Figure{{What: string(x.Kind), Value: x.Age, Unit: "numbers", Text: num(x.Age), Limit: "forced at " + num(x.Limit), Says: percent(x.Age / x.Limit)}}
	if x.Rate.Known() {
		out = append(out, finding.Figure{What: "numbers used a second", Value: x.Rate.PerSecond, Unit: "1/s", Interval: interval(x.Rate.Interval)})
	}
	for _, m := range x.milestones() {
		f := finding.Figure{What: m.what, Value: m.limit, Unit: "numbers", Text: num(m.limit), Says: "past"}
		if d := x.days(m.limit); d > 0 {
			f.Says = "in " + span(d*86400)
		} else if math.IsNaN(d) {
			f.Says = "date not known"
		}
		out = append(out, f)
	}
	return out
}

// dates tells the milestones that are still to come with their day.
func (x *aging) dates() string {
	var parts []string
	for _, m := range x.milestones() {
		if d := x.days(m.limit); d > 0 && x.Time.Known() && d < 36500 {
			day := x.Time.Add(record.Duration(d * 86400 * 1e6)).Std().Format("2006-01-02")
			parts = append(parts, fmt.Sprintf("about %s (in %s) %s", day, span(d*86400), m.what))
		}
	}
	if len(parts) == 0 {
		return "When the next limit is reached cannot be told."
	}
	return "At this rate: " + strings.Join(parts, "; ") + "."
}

func (x *aging) actions() []finding.Action {
	const cost = "reads every page that is not all-frozen and every index; blocks no reads or writes, but schema changes wait"
	if x.Relation != nil {
		return []finding.Action{{SQL: true, Do: "VACUUM (FREEZE, VERBOSE) " + x.Relation.SQL() + ";", Cost: cost},
			{SQL: true, Do: "select pid, backend_xmin, state, query from pg_stat_activity where backend_xmin is not null order by age(backend_xmin) desc;",
				Cost: "nothing; tells who holds the horizon, beside pg_replication_slots and pg_prepared_xacts"}}
	}
	out := []finding.Action{{Do: fmt.Sprintf("Run vacuumdb --freeze on the database %s.", x.Database), Cost: cost}}
	if x.template() {
		out[0] = finding.Action{Do: "Look why autovacuum does not come to " + x.Database + ": it vacuums databases that accept no connections, too. " +
			"To vacuum it by hand, ALTER DATABASE … ALLOW_CONNECTIONS true first, and false again after it.", Cost: cost}
	}
	return out
}

// template reports a template database by its usual name.
func (x *aging) template() bool { return x.Database == "template0" || x.Database == "template1" }

// rivals are the reasons for an age that is not reset, as far as the input tells.
func (x *aging) rivals(p *Pass) []finding.RuledOut {
	const off, held = "autovacuum is off", "vacuums that are held back"
	out := []finding.RuledOut{notMeasurable(off, "no pg_settings in input"), notMeasurable(held, "no vacuum lines of the table in input")}
	if s, ok := p.Model.Setting("autovacuum"); ok {
		out[0] = finding.RuledOut{Rival: off, Verdict: finding.RuledOutVerdict, Figure: "autovacuum = " + s.Value}
		if s.Value == "off" {
			out[0].Verdict = finding.NotRuledOut
		}
	}
	if x.Relation != nil && anyLogged(x.Relation) {
		out[1] = finding.RuledOut{Rival: held, Verdict: finding.RuledOutVerdict, Figure: "its logged vacuums leave nothing that counts"}
		if anyHeld(x.Relation, heldVacuums(p)) {
			out[1] = finding.RuledOut{Rival: held, Verdict: finding.NotRuledOut, Figure: "see PGA205"}
		}
	}
	return append(out, finding.RuledOut{Rival: "autovacuum_enabled = false", Verdict: finding.RuledOutVerdict, Figure: "it does not hold for a forced vacuum"})
}

func anyLogged(r *dataset.Relation) bool {
	for _, v := range r.Vacuums {
		if v.FromLog {
			return true
		}
	}
	return false
}
