package signature

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// tableSQL writes a table for SQL that a statement or transcript names: the one
// of the model, else what stands before the first dot is the schema.
func tableSQL(m *dataset.Model, name string) string {
	if r := m.Relation(name); r != nil {
		return r.SQL()
	}
	return quote(name)
}

// quote writes a name for SQL of which no more is known than its text: what
// stands before the first dot is the schema. Tables and indexes of the model
// have their own SQL.
func quote(name string) string {
	schema, object, ok := strings.Cut(name, ".")
	if !ok {
		return sqltext.QuoteName(name)
	}
	return sqltext.QuoteName(schema, object)
}

// regclass is the OID of a table or index as an SQL expression; name is quoted
// for SQL.
func regclass(name string) string { return sqltext.QuoteLiteral(name) + "::regclass" }

// goThere puts the way to the subject's database before actions of SQL, where it
// is another than the one that most of the input speaks of.
func (p *Pass) goThere(f *finding.Finding) {
	r := p.Model.Relation(f.Subject.Relation)
	if r == nil || r.Database == "" || !slices.ContainsFunc(f.Actions, func(a finding.Action) bool { return a.SQL }) {
		return
	}
	first := finding.Action{SQL: true, Do: `\c ` + sqltext.QuoteIdent(r.Database),
		Cost: "in psql: " + r.Schema + "." + r.Relation + " is in database " + r.Database + ", and what follows must run there, the checks too"}
	f.Actions = slices.Insert(slices.Clone(f.Actions), 0, first)
}
