package autovacuum

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// Source says where the value of a parameter comes from.
type Source string

// Sources, the one that wins first.
const (
	FromTable   Source = "table"   // pg_class.reloptions
	FromServer  Source = "server"  // pg_settings
	FromDefault Source = "default" // of the version: the input does not tell
)

// Parameter is a setting in force for a table.
type Parameter struct {
	Name   string
	Value  float64 // in the unit of pg_settings; seconds for autovacuum_naptime
	Source Source
}

// String is the parameter as a storage option is written: "name = 0.05".
func (p Parameter) String() string {
	return p.Name + " = " + strconv.FormatFloat(p.Value, 'f', -1, 64)
}

// standard is the default of a parameter in a major version; 0 is an unknown
// version. Source: "Automatic Vacuuming" and "Vacuuming" in the documentation of
// PostgreSQL 12 to 18.
func standard(name string, version int) float64 {
	switch name {
	case "autovacuum_vacuum_threshold", "autovacuum_analyze_threshold":
		return 50
	case "autovacuum_vacuum_scale_factor", "autovacuum_vacuum_insert_scale_factor":
		return 0.2
	case "autovacuum_analyze_scale_factor":
		return 0.1
	case "autovacuum_vacuum_insert_threshold":
		return 1000
	case "autovacuum_vacuum_max_threshold":
		if version >= 18 {
			return 100_000_000
		}
		return -1
	case "autovacuum_freeze_max_age":
		return 200_000_000
	case "autovacuum_multixact_freeze_max_age":
		return 400_000_000
	case "vacuum_freeze_table_age", "vacuum_multixact_freeze_table_age":
		return 150_000_000
	case "vacuum_failsafe_age", "vacuum_multixact_failsafe_age":
		return 1_600_000_000
	case "autovacuum_naptime":
		return 60
	case "autovacuum_vacuum_cost_delay":
		return 2
	case "autovacuum_vacuum_cost_limit", "autovacuum_work_mem":
		return -1
	case "vacuum_cost_limit":
		return 200
	case "vacuum_cost_page_hit":
		return 1
	case "vacuum_cost_page_miss":
		if version > 0 && version < 14 {
			return 10
		}
		return 2
	case "vacuum_cost_page_dirty":
		return 20
	case "maintenance_work_mem":
		return 65536
	}
	return 0
}

// parameters reads what is in force for one table at one time.
type parameters struct {
	m       *dataset.Model
	at      record.Time
	options map[string]string
	version int
}

func parametersAt(m *dataset.Model, p *dataset.TablePoint) parameters {
	return parameters{m, p.Time, reloptions(p.Reloptions), Version(m)}
}

// InForce is the parameter for the table of p at its time, as the server takes
// it: the table's option, else the setting, else the default of the version.
func InForce(m *dataset.Model, p *dataset.TablePoint, name string) Parameter {
	return parametersAt(m, p).get(name)
}

// get prefers the table's option, then the server's setting, then the default.
func (s parameters) get(name string) Parameter {
	if n, ok := number(name, s.options[name]); ok {
		return Parameter{name, n, FromTable}
	}
	return s.server(name)
}

// server is what holds without options of the table.
func (s parameters) server(name string) Parameter {
	if v, ok := settingAt(s.m.Settings[name], s.at); ok {
		if n, ok := number(name, v); ok {
			return Parameter{name, n, FromServer}
		}
	}
	return Parameter{name, standard(name, s.version), FromDefault}
}

// number is the value of a parameter, unless no server would take it: the input
// may be damaged, and a limit of 0 or of infinity decides everything. Source of
// the least age: "Automatic Vacuuming" in the documentation of PostgreSQL 12 to 18.
func number(name, text string) (float64, bool) {
	if text == "" { // most options are not set: no error need be made of it
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "s"), 64)
	least := -1.0
	if strings.HasSuffix(name, "freeze_max_age") {
		least = 10_000
	}
	return n, err == nil && n >= least && n <= math.MaxInt32
}

// Version is the major version of the server; where no one tells it, what the
// columns of the snapshots imply at least. 0 if nothing tells.
func Version(m *dataset.Model) int {
	if v := major(m.Server); v > 0 {
		return v
	}
	return m.LeastMajor
}

// major is the leading number of a version, 0 if it has none.
func major(version string) int {
	end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(version)
	}
	n, _ := strconv.Atoi(version[:end]) // none is 0
	return n
}

// settingAt is the value in force at t: the last one captured until then, else
// the first.
func settingAt(values []dataset.Setting, t record.Time) (string, bool) {
	if len(values) == 0 {
		return "", false
	}
	v := values[0].Value
	for i := range values {
		if values[i].Time.Known() && values[i].Time > t {
			break
		}
		v = values[i].Value
	}
	return v, true
}

func isOff(value string) bool {
	switch strings.ToLower(value) {
	case "off", "false", "no", "0", "f", "n":
		return true
	}
	return false
}

// reloptions reads pg_class.reloptions as an array's text, {a=1,b=2}, or as
// JSON, ["a=1", "b=2"]. Numbers and booleans need no quotes inside.
func reloptions(text string) map[string]string {
	out := map[string]string{}
	for option := range strings.SplitSeq(strings.Trim(text, "{}[] "), ",") {
		name, value, ok := strings.Cut(strings.Trim(option, ` "`), "=")
		if ok {
			out[strings.ToLower(name)] = value
		}
	}
	return out
}
