package analysis

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// Names are what the input calls its things, for Anonymize.
type Names struct {
	Databases, Users, Applications []string
	Statements                     []string // texts, whose identifiers count
	Settings                       []string // PostgreSQL's own names, which stay
	Patterns, Files                []string // what configuration and flags asked for, and where it did
}

// namesOf collects what the findings of the models and the notes on
// suppressions may speak of.
func namesOf(models []*dataset.Model, suppressions []Suppression) Names {
	databases, users, applications, statements, settings := nameSet{}, nameSet{}, nameSet{}, nameSet{}, nameSet{}
	for _, m := range models {
		collectNames(m, databases, users, applications, statements)
		for name := range m.Settings {
			settings.add(name)
		}
	}
	patterns, files := nameSet{}, nameSet{}
	for _, m := range models {
		for i := range m.External {
			patterns.add(m.External[i].Name)
		}
		for i := range m.Marks {
			patterns.add(m.Marks[i].Text)
		}
	}
	for i := range suppressions {
		patterns.add(suppressions[i].Subject)
		files.add(suppressions[i].Place.File)
	}
	return Names{
		Patterns: patterns.sorted(), Files: files.sorted(),
		Databases: databases.sorted(), Users: users.sorted(), Applications: applications.sorted(),
		Statements: statements.sorted(), Settings: settings.sorted(),
	}
}

func collectNames(m *dataset.Model, databases, users, applications, statements nameSet) {
	for _, e := range m.Executions {
		databases.add(e.Database)
		users.add(e.User)
		applications.add(e.Application)
	}
	for _, s := range m.Sessions {
		databases.add(s.Database)
		users.add(s.User)
		applications.add(s.Application)
	}
	for i := range m.Events {
		databases.add(m.Events[i].Database)
		users.add(m.Events[i].UserName)
		applications.add(m.Events[i].Application)
	}
	for i := range m.Activity {
		a := &m.Activity[i]
		databases.add(a.Database)
		users.add(a.User)
		applications.add(a.Application)
		statements.add(a.Query)
	}
	for _, s := range m.Statements {
		statements.add(s.Normalized)
	}
	sizes := m.Rows(record.ViewColumnSizes)
	for i := range sizes {
		column, _ := sizes[i].Text("attname")
		statements.add(column)
	}
	for _, w := range changedSettings(m) {
		statements.add(w)
	}
}

// changedSettings are the words of the settings that changed and of their values:
// findings tell both. What an extension or application calls its setting, and a
// path, host or schema in a value, are names; numbers and units are not.
func changedSettings(m *dataset.Model) []string {
	var texts []string
	add := func(name string, values ...string) {
		if strings.Contains(name, ".") {
			texts = append(texts, name)
		}
		texts = append(texts, values...)
	}
	for i := range m.Events {
		if e := &m.Events[i]; e.Kind == record.EventParameterChanged {
			add(e.Object, e.Text)
		}
	}
	for name, list := range m.Settings {
		for i := 1; i < len(list); i++ {
			if list[i].Value != list[i-1].Value {
				add(name, list[i-1].Value, list[i].Value)
			}
		}
	}
	var out []string
	for _, t := range texts {
		out = append(out, words(t)...)
	}
	return slices.DeleteFunc(out, func(w string) bool { return w[0] >= '0' && w[0] <= '9' })
}

type nameSet map[string]bool

func (s nameSet) add(name string) {
	if name != "" {
		s[name] = true
	}
}

func (s nameSet) sorted() []string {
	out := make([]string, 0, len(s))
	for name := range s {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
