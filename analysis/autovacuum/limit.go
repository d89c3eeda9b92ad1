package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// Trigger is a reason for autovacuum to take a table.
type Trigger string

// Triggers: of a vacuum, of an analyze, and of a vacuum that nothing prevents.
const (
	DeadRows     Trigger = "dead rows"
	InsertedRows Trigger = "inserted rows"
	ChangedRows  Trigger = "changed rows"
	Freeze       Trigger = "transaction age"
	Multixact    Trigger = "multixact age"
)

// Limit is what a counter must exceed, strictly, to start a pass.
type Limit struct {
	Trigger Trigger
	Value   float64 // rows or transactions; NaN if Off is not empty
	Off     string  // why there is none: switched off, or not known
	Of      []Parameter
}

// Known reports whether there is a limit.
func (l Limit) Known() bool { return l.Off == "" }

// Limits are those of one table at one time.
type Limits struct {
	Dead, Inserted, Changed, Freeze, Multixact Limit
	// Disabled says why neither dead nor inserted rows start a vacuum: autovacuum
	// is switched off. "" if it is not.
	Disabled string
	// Note says what they rest on beside the input; "" if on nothing.
	Note string
}

// LimitsAt are the limits in force for the table of p at its time:
//
//	n_dead_tup          > autovacuum_vacuum_threshold + autovacuum_vacuum_scale_factor · reltuples
//	n_ins_since_vacuum  > autovacuum_vacuum_insert_threshold + autovacuum_vacuum_insert_scale_factor · reltuples · unfrozen
//	n_mod_since_analyze > autovacuum_analyze_threshold + autovacuum_analyze_scale_factor · reltuples
//	age(relfrozenxid)   > autovacuum_freeze_max_age, mxid_age(relminmxid) > autovacuum_multixact_freeze_max_age
//
// with the table's reloptions before the settings and reltuples −1 taken as 0.
// Inserts count from PostgreSQL 13. From 18 the first is at most
// autovacuum_vacuum_max_threshold unless that is −1, and unfrozen is the share
// of pages that are not all-frozen; before it is 1. Options may only lower the
// ages, and autovacuum_enabled = false does not hold for them. Source:
// relation_needs_vacanalyze of PostgreSQL 12 to 18, and "The Autovacuum Daemon"
// in its documentation.
func LimitsAt(m *dataset.Model, p *dataset.TablePoint) Limits {
	s := parametersAt(m, p)
	l := Limits{
		Dead:     s.scaled(DeadRows, "autovacuum_vacuum_threshold", "autovacuum_vacuum_scale_factor", p.Reltuples, 1),
		Inserted: s.inserted(p),
		Changed:  s.scaled(ChangedRows, "autovacuum_analyze_threshold", "autovacuum_analyze_scale_factor", p.Reltuples, 1),
		Freeze:   s.age(Freeze, "autovacuum_freeze_max_age"), Multixact: s.age(Multixact, "autovacuum_multixact_freeze_max_age"),
	}
	if most := s.get("autovacuum_vacuum_max_threshold"); most.Value >= 0 && l.Dead.Known() && s.version >= 18 {
		l.Dead.Value = min(l.Dead.Value, most.Value)
		l.Dead.Of = append(l.Dead.Of, most)
	}
	if l.Disabled = s.disabled(); l.Disabled != "" {
		for _, limit := range []*Limit{&l.Dead, &l.Inserted, &l.Changed} {
			limit.Value, limit.Off = math.NaN(), l.Disabled
		}
	} else if len(m.Settings) == 0 {
		l.Note = "defaults of the server: no pg_settings in input"
	}
	return l
}

// disabled says why neither dead nor inserted rows start a vacuum.
func (s parameters) disabled() string {
	if on, known := settingAt(s.m.Settings["autovacuum"], s.at); known && isOff(on) {
		return "autovacuum is off"
	}
	if isOff(s.options["autovacuum_enabled"]) {
		return "autovacuum_enabled is off for this table"
	}
	return ""
}

// scaled is base + scale · reltuples · part.
func (s parameters) scaled(t Trigger, base, scale string, reltuples record.Count, part float64) Limit {
	l := Limit{Trigger: t, Value: math.NaN(), Of: []Parameter{s.get(base), s.get(scale)}}
	if !reltuples.Known {
		l.Off = "no reltuples in input"
		return l
	}
	l.Value = l.Of[0].Value + l.Of[1].Value*float64(max(0, reltuples.N))*part
	return l
}

func (s parameters) inserted(p *dataset.TablePoint) Limit {
	l := s.scaled(InsertedRows, "autovacuum_vacuum_insert_threshold", "autovacuum_vacuum_insert_scale_factor", p.Reltuples, s.unfrozen(p))
	switch {
	case s.version > 0 && s.version < 13:
		l.Value, l.Off = math.NaN(), "before PostgreSQL 13 inserted rows start no vacuum"
	case l.Of[0].Value < 0:
		l.Value, l.Off = math.NaN(), "autovacuum_vacuum_insert_threshold is −1"
	}
	return l
}

// unfrozen is the share of pages that count for the insert trigger of 18 and
// later; 1 where relallfrozen is not known, which gives the highest limit.
func (s parameters) unfrozen(p *dataset.TablePoint) float64 {
	if s.version < 18 || !p.Relallfrozen.Known || !p.Relpages.Known || p.Relpages.N <= 0 || p.Relallfrozen.N <= 0 {
		return 1
	}
	return 1 - float64(min(p.Relallfrozen.N, p.Relpages.N))/float64(p.Relpages.N)
}

// age is a limit that options may only lower.
func (s parameters) age(t Trigger, name string) Limit {
	of := s.server(name)
	if own := s.get(name); own.Value < of.Value {
		of = own
	}
	return Limit{Trigger: t, Value: of.Value, Of: []Parameter{of}}
}

// ratio is the counter ÷ limit, NaN if either is not known.
func (l Limit) ratio(n record.Count) float64 {
	if !n.Known || !(l.Value > 0) {
		return math.NaN()
	}
	return float64(n.N) / l.Value
}
