package analysis

import (
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
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
