package onset

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// Kind says what happened.
type Kind uint8

// The kinds.
const (
	IndexVacuum    Kind = iota + 1 // a vacuum that the log says to have cleaned the index asked for
	TableVacuum                    // a vacuum of the table
	Analyze                        // new statistics of the table
	PlanFlip                       // the statement's plan changed
	Restart                        // the server started
	Crash                          // it started after a crash
	SettingChange                  // a parameter changed
	Reindex                        // the index was rebuilt, concurrently or not
	CreateIndex                    //
	DropIndex                      //
	TableChange                    // ALTER, TRUNCATE or CLUSTER of the table
	NewApplication                 // an application_name that was not there before
	NewStatement                   // statements that were not there before: a deploy
	UserMark                       // a moment that the user gave with --series
)

// Happening is something that may have changed a cost. It lasted from Start to
// End; its effect may begin from Start on and is expected from End on.
type Happening struct {
	Kind       Kind
	Start, End record.Time
	// Within says that it was seen only between two captures: it happened at an
	// unknown time after Start and not after End.
	Within    bool
	Pos       record.Pos
	Relation  *dataset.Relation  // nil if it concerns the server
	Index     *dataset.Index     // of an index, else nil
	Statement *dataset.Statement // of a PlanFlip
	Vacuum    *dataset.Vacuum    // of a vacuum or analyze that a log line or a snapshot tells
	Text      string             // "analyze of public.orders"

	// table and index are names without schema, as statements write them: of
	// what no snapshot shows.
	table, index string
}

// Happenings are all that the model tells, by End, then kind and place. The log
// line and the snapshot of one vacuum, and the statement and the new relfilenode
// of one rebuild, are one happening.
func Happenings(m *dataset.Model) []Happening {
	var out []Happening
	out = append(out, vacuums(m)...)
	out = append(out, starts(m)...)
	out = append(out, settings(m)...)
	out = append(out, rebuilds(m)...)
	out = append(out, appearances(m)...)
	out = append(out, statements(m, out)...)
	out = append(out, flips(m)...)
	out = append(out, applications(m)...)
	out = append(out, newStatements(m)...)
	out = append(out, marks(m)...)
	sortHappenings(out)
	return out
}

func sortHappenings(list []Happening) {
	slices.SortStableFunc(list, func(a, b Happening) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Offset, b.Pos.Offset), cmp.Compare(a.Text, b.Text))
	})
}

// vacuums are the vacuums and analyzes.
func vacuums(m *dataset.Model) []Happening {
	var out []Happening
	for _, v := range m.Vacuums {
		if v.End.Known() && v.Target != nil {
			out = append(out, ofVacuum(v))
		}
	}
	for _, r := range m.Relations {
		out = append(out, beforeCaptures(r)...)
	}
	return out
}

func ofVacuum(v *dataset.Vacuum) Happening {
	h := Happening{Kind: TableVacuum, Start: v.Start, End: v.End, Pos: v.Pos, Relation: v.Target, Vacuum: v,
		Text: "vacuum of " + v.Target.Name, table: v.Target.Relation}
	if v.Kind == record.KindAnalyze {
		h.Kind, h.Text = Analyze, "analyze of "+v.Target.Name
	}
	return h
}

// beforeCaptures are the last vacuums of the table before its first capture,
// which tells them, where no log line does: their effect may come in sight
// later.
func beforeCaptures(r *dataset.Relation) []Happening {
	if len(r.Points) == 0 || !r.Points[0].Time.Known() {
		return nil
	}
	first := &r.Points[0]
	var out []Happening
	for _, t := range []record.Time{first.LastVacuum, first.LastAutovacuum} {
		logged := slices.ContainsFunc(r.Vacuums, func(v *dataset.Vacuum) bool {
			return t >= v.End.Add(-sameTime) && t <= v.End.Add(sameTime)
		})
		if !t.Known() || t > first.Time || logged {
			continue
		}
		v := &dataset.Vacuum{Start: t, End: t, Auto: t == first.LastAutovacuum, Target: r}
		v.Kind, v.Schema, v.Relation, v.Pos, v.LogTime = record.KindVacuum, r.Schema, r.Relation, first.Pos, t
		out = append(out, ofVacuum(v))
	}
	return out
}

// starts are the starts of the server that its log shows an end before: a log
// that begins with a start tells no change.
func starts(m *dataset.Model) []Happening {
	var out []Happening
	down := Happening{Start: record.NoTime}
	for i := range m.Events {
		e := &m.Events[i]
		switch e.Kind {
		case record.EventShutdown, record.EventCrash:
			if !down.Start.Known() {
				down = Happening{Kind: Restart, Start: e.LogTime, Pos: e.Pos, Text: "restart of the server"}
			}
			if e.Kind == record.EventCrash {
				down.Kind, down.Text = Crash, "crash of the server"
			}
		case record.EventReady:
			if down.Start.Known() {
				down.End = e.LogTime
				out = append(out, down)
			}
			down = Happening{Start: record.NoTime}
		}
	}
	return out
}

// settings are the parameters that the log says to have changed, and those that
// differ between two captures.
func settings(m *dataset.Model) []Happening {
	var out []Happening
	logged := map[string][]record.Time{}
	for i := range m.Events {
		e := &m.Events[i]
		if e.Kind == record.EventParameterChanged && e.LogTime.Known() {
			logged[e.Object] = append(logged[e.Object], e.LogTime)
			out = append(out, Happening{Kind: SettingChange, Start: e.LogTime, End: e.LogTime, Pos: e.Pos,
				Text: "setting " + e.Object + " changed to " + e.Text})
		}
	}
	for _, name := range names(m.Settings) {
		list := m.Settings[name]
		for i := 1; i < len(list); i++ {
			a, b := list[i-1], list[i]
			if !a.Time.Known() || !b.Time.Known() || a.Value == b.Value || anyIn(logged[name], a.Time, b.Time) {
				continue
			}
			out = append(out, Happening{Kind: SettingChange, Start: a.Time, End: b.Time, Within: true,
				Text: "setting " + name + " changed from " + a.Value + " to " + b.Value})
		}
	}
	return out
}

func names(settings map[string][]dataset.Setting) []string {
	var out []string
	for name := range settings {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func anyIn(times []record.Time, from, to record.Time) bool {
	return slices.ContainsFunc(times, func(t record.Time) bool { return t >= from.Add(-record.Second) && t <= to })
}

// flips are the flips of every statement's plan.
func flips(m *dataset.Model) []Happening {
	var out []Happening
	for _, s := range m.Statements {
		for _, f := range Flips(s) {
			out = append(out, Happening{Kind: PlanFlip, Start: f.LastBefore, End: f.Time, Within: true,
				Pos: f.After[0].Pos, Statement: s, Text: "flip of the plan"})
		}
	}
	return out
}
