package pglog

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// figures are what was counted by hand in the csv files of the scripted day.
type figures struct {
	rows, executions, phases, bare, text, plans, read           int
	vacuums, aggressive, analyzes, indexes                      int
	checkpoints, waits, acquired, temp, errors, deadlocks       int
	connections, disconnections, starts, reloads, notUnderstood int
}

func count(b *record.Batch) figures {
	f := figures{rows: int(b.Entries), notUnderstood: int(b.Entries - b.Understood)}
	for _, x := range b.Executions {
		switch x.Kind {
		case record.ExecStatement, record.ExecExecute, record.ExecFetch:
			f.executions++
		case record.ExecParse, record.ExecBind:
			f.phases++
		case record.ExecDuration:
			f.bare++
		case record.ExecText:
			f.text++
		case record.ExecPlan:
			f.plans++
		}
		if x.HasPlan {
			f.read++
		}
	}
	for _, v := range b.Vacuums {
		if v.Kind == record.KindAnalyze {
			f.analyzes++
			continue
		}
		f.vacuums++
		f.indexes += len(v.Indexes)
		if v.Aggressive {
			f.aggressive++
		}
	}
	for _, e := range b.Events {
		f.event(e.Kind)
	}
	return f
}

func (f *figures) event(kind record.EventKind) {
	switch kind {
	case record.EventCheckpoint:
		f.checkpoints++
	case record.EventLockWait:
		f.waits++
	case record.EventLockAcquired:
		f.acquired++
	case record.EventTempFile:
		f.temp++
	case record.EventError:
		f.errors++
	case record.EventDeadlock:
		f.errors++
		f.deadlocks++
	case record.EventConnection:
		f.connections++
	case record.EventDisconnection:
		f.disconnections++
	case record.EventServerStart:
		f.starts++
	case record.EventReload:
		f.reloads++
	}
}

var (
	day12 = figures{
		rows: 387, executions: 85, phases: 36, bare: 7, text: 8, plans: 44, read: 44,
		vacuums: 14, aggressive: 1, analyzes: 13, checkpoints: 4, waits: 2, acquired: 1, temp: 2,
		errors: 15, deadlocks: 1, connections: 46, disconnections: 45, reloads: 1, notUnderstood: 1,
	}
	day18 = figures{
		rows: 479, executions: 87, phases: 40, bare: 7, text: 8, plans: 44, read: 44,
		vacuums: 20, aggressive: 8, analyzes: 30, indexes: 24, checkpoints: 7, waits: 2, acquired: 1, temp: 1,
		errors: 14, deadlocks: 1, connections: 48, disconnections: 47, starts: 1, reloads: 1, notUnderstood: 1,
	}
)

// The one entry that is not understood says "custom log: duration: …": it is
// the application's.
func TestDayFiguresInEveryDestination(t *testing.T) {
	tests := []struct {
		name   string
		format source.Format
		want   figures
	}{
		{"pg12-pg.csv", CSVLog, day12},
		{"pg12-pg.log", Stderr, day12},
		{"pg18-pg.csv", CSVLog, day18},
		{"pg18-pg.json", JSONLog, day18},
		{"pg18-pg.log", Stderr, day18},
	}
	for _, test := range tests {
		data := readSample(t, test.name)
		if got := count(parse(t, test.format, headOf(data), data)); got != test.want {
			t.Errorf("%s:\n got %+v\nwant %+v", test.name, got, test.want)
		}
	}
}

// Processes write at once: the order of their entries differs a little between
// the destinations.
func TestDestinationsTellTheSame(t *testing.T) {
	read := func(name string, f source.Format) string {
		data := readSample(t, name)
		lines := dump(parse(t, f, headOf(data), data))
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	for _, pair := range [...][2]string{
		{read("pg12-pg.csv", CSVLog), read("pg12-pg.log", Stderr)},
		{read("pg18-pg.csv", CSVLog), read("pg18-pg.log", Stderr)},
		{read("pg18-pg.csv", CSVLog), read("pg18-pg.json", JSONLog)},
	} {
		if pair[0] != pair[1] {
			t.Error(firstDifference(pair[0], pair[1]))
		}
	}
}

// The vacuums, locks and the like of the oldest and the newest layout.
func TestRecordsOfADay(t *testing.T) {
	for name, format := range map[string]source.Format{"pg12-pg.csv": CSVLog, "pg18-pg.json": JSONLog, "pg18-extra.log": Stderr} {
		data := readSample(t, name)
		b := parse(t, format, headOf(data), data)
		if name != "pg18-extra.log" {
			b.Executions = nil
			b.Vacuums = b.Vacuums[:min(len(b.Vacuums), 12)]
			b.Events = b.Events[:min(len(b.Events), 60)]
		}
		golden(t, name+".golden", strings.Join(dump(b), "\n")+"\n")
	}
}
