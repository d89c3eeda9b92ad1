package analysis

import (
	"reflect"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// Anonymize returns a copy of r without the names and literals of the input.
// Databases, schemas, tables, indexes, columns, applications, users and hosts
// are numbered by kind (db1, s1, t1, i1, c1, a1, u1, h1), the same name
// everywhere by the same number; literals in statements become '?' or ?;
// folders become d1, and a file name that says more than what PostgreSQL calls
// its files f1. What is PostgreSQL's own (keywords, catalogs, settings, public)
// and our prose stay, but a word of our prose that is also the name of a table
// or the like is replaced as well. Figures, times and fingerprints of
// statements stay: whoever has the statements can still find them.
//
// names are those of the input that r itself need not tell; its texts may. r is
// not changed. Equal arguments give equal results.
func Anonymize(r *Result, names Names) *Result {
	d := newDictionary(names)
	d.learn(r)
	// The first walk meets the names that only texts tell, the second writes.
	d.copied(reflect.ValueOf(r))
	d.number()
	out := d.copied(reflect.ValueOf(r)).Interface().(*Result)
	linkCauses(r, out)
	if c := out.Comparison; c != nil {
		for i := range c.Absent { // its names may be in the baseline only
			c.Absent[i].Title = c.Absent[i].Name
		}
	}
	out.Anonymized = true
	return out
}

// linkCauses points the findings of out to their causes, whose fingerprints
// changed with the names.
func linkCauses(r, out *Result) {
	now := make(map[string]string, len(r.Findings))
	for i := range r.Findings {
		now[r.Findings[i].Fingerprint()] = out.Findings[i].Fingerprint()
	}
	for i := range out.Findings {
		out.Findings[i].Cause = now[r.Findings[i].Cause]
	}
}

// rewrite makes the anonymous text of a field.
type rewrite func(*dictionary, string) string

func kept(_ *dictionary, s string) string { return s }

// ruleOf is how a string field is rewritten. A field that is not listed is
// prose about the input, the strictest treatment of a text that is no SQL.
func ruleOf(owner reflect.Type, field string) rewrite {
	if rule := eventRule(owner, field); rule != nil {
		return rule
	}
	switch owner {
	case reflect.TypeFor[finding.Subject]():
		return subjectRule(field)
	case reflect.TypeFor[record.Pos]():
		return (*dictionary).file
	case reflect.TypeFor[record.Node](), reflect.TypeFor[record.Plan](), reflect.TypeFor[record.Worker](), reflect.TypeFor[record.Trigger]():
		return planRule(field)
	case reflect.TypeFor[record.File]():
		return fileRule(field)
	case reflect.TypeFor[Result](), reflect.TypeFor[Input](), reflect.TypeFor[NotEvaluated](), reflect.TypeFor[finding.Action]():
		return adviceRule(field)
	case reflect.TypeFor[StatementRow](), reflect.TypeFor[PlanExample](), reflect.TypeFor[IndexRow](), reflect.TypeFor[RelationRow](), reflect.TypeFor[record.Vacuum](),
		reflect.TypeFor[record.VacuumIndex]():
		return rowRule(field)
	case reflect.TypeFor[finding.Finding]():
		return findingRule(field)
	case reflect.TypeFor[Comparison](), reflect.TypeFor[FindingChange](), reflect.TypeFor[CostChange](), reflect.TypeFor[Suppressed]():
		return changeRule(field)
	case reflect.TypeFor[finding.Evidence]():
		if field == "Excerpt" {
			return (*dictionary).excerpt
		}
	}
	if field == "Unit" || field == "Verdict" || field == "Kind" {
		return kept
	}
	return (*dictionary).prose
}

func subjectRule(field string) rewrite {
	switch field {
	case "Fingerprint", "Parent", "Event":
		return kept
	case "Statement":
		return (*dictionary).sql
	}
	return (*dictionary).name
}

func planRule(field string) rewrite {
	switch field {
	case "QueryText", "QueryParameters":
		return (*dictionary).sql
	case "SubplanName":
		return (*dictionary).subplan
	case "SchemaName", "RelationName", "Alias", "IndexName", "FunctionName", "CTEName", "Name", "Constraint", "Relation":
		return (*dictionary).name
	}
	return kept
}

func fileRule(field string) rewrite {
	switch field {
	case "Name":
		return (*dictionary).file
	case "Detail":
		return (*dictionary).detail
	}
	return kept
}

func adviceRule(field string) rewrite {
	switch field {
	case "Version", "Zone", "Server", "Evaluated", "ID":
		return kept
	}
	return (*dictionary).advice
}

func rowRule(field string) rewrite {
	switch field {
	case "Text", "Definition", "Statement":
		return (*dictionary).sql
	case "Fingerprint", "Command", "From", "AccessMethod", "Which":
		return kept
	}
	return (*dictionary).name
}

func changeRule(field string) rewrite {
	switch field {
	case "Baseline":
		return (*dictionary).file
	case "Text":
		return (*dictionary).sql
	case "Reason":
		return hidden
	case "Title":
		return (*dictionary).prose
	case "Why":
		return (*dictionary).advice
	}
	return kept
}

// hidden is for what a person wrote.
func hidden(_ *dictionary, s string) string {
	if s == "" {
		return s
	}
	return "not shown"
}

func findingRule(field string) rewrite {
	switch field {
	case "ID", "Name", "Cause":
		return kept
	case "WillNotHelp", "Verify":
		return (*dictionary).advice
	}
	return (*dictionary).prose
}

// copied is a deep copy of v with every string rewritten.
func (d *dictionary) copied(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	d.copyInto(out, v, (*dictionary).prose)
	return out
}

func (d *dictionary) copyInto(out, v reflect.Value, rule rewrite) {
	switch v.Kind() {
	case reflect.String:
		out.SetString(rule(d, v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			d.copyInto(out.Elem(), v.Elem(), rule)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			d.copyInto(out.Index(i), v.Index(i), rule)
		}
	case reflect.Array:
		for i := range v.Len() {
			d.copyInto(out.Index(i), v.Index(i), rule)
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for it := v.MapRange(); it.Next(); {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			d.copyInto(key, it.Key(), rule)
			d.copyInto(value, it.Value(), rule)
			out.SetMapIndex(key, value)
		}
	case reflect.Struct:
		d.copyStruct(out, v)
	default:
		out.Set(v)
	}
}

func (d *dictionary) copyStruct(out, v reflect.Value) {
	if pair, ok := v.Interface().(record.KeyValue); ok {
		out.Set(reflect.ValueOf(record.KeyValue{Key: pair.Key, Value: d.property(pair.Key, pair.Value)}))
		return
	}
	t := v.Type()
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			d.copyInto(out.Field(i), v.Field(i), ruleOf(t, f.Name))
		}
	}
}

// property rewrites the value of a plan's key: all are expressions but those
// that EXPLAIN fills with its own words, and plain numbers with a unit.
func (d *dictionary) property(key, value string) string {
	switch key {
	case "Sort Method", "Sort Space Type", "Cache Mode", "Storage", "Strategy", "Partial Mode", "Command", "Conflict Resolution",
		"Full-sort Groups", "Pre-sorted Groups", "Serialization", "I/O Timings", "WAL":
		return value
	}
	if strings.HasPrefix(key, "JIT") || value == "true" || value == "false" {
		return value
	}
	number := strings.TrimRight(value, "kMGTBmsin ")
	if number != "" && strings.Trim(number, "0123456789.-") == "" {
		return value
	}
	return d.expressions(value)
}
