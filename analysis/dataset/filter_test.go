package dataset

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pgassay/pgassay/parser/record"
)

func TestLike(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"shop", "shop", true}, {"shop", "shop2", false}, {"shop", "Shop", false}, {"sh*", "shop", true}, {"*op", "shop", true},
		{"s*p", "shop", true}, {"s*p", "sp", true}, {"s*p*x", "shopx", true}, {"*", "", true}, {"*", "any", true},
		{"a*a", "a", false}, {"*a*a*", "xaxax", true}, {"*a*a*", "xax", false}, {"", "", true}, {"**", "x", true},
	} {
		if got := Like(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%q like %q: %v", tt.name, tt.pattern, got)
		}
	}
}

func FuzzLikeAgreesWithARegexp(f *testing.F) {
	f.Add("a*b*c", "axxbc")
	f.Add("*a", "aa")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if !utf8.ValidString(pattern) || !utf8.ValidString(name) || len(pattern) > 50 || len(name) > 50 {
			t.Skip("a regexp reads characters")
		}
		parts := strings.Split(pattern, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		want := regexp.MustCompile(`(?s)^` + strings.Join(parts, ".*") + `$`).MatchString(name)
		if got := Like(pattern, name); got != want {
			t.Errorf("%q like %q: %v", name, pattern, got)
		}
	})
}

// shop is a log of two users in two databases.
func shop() []record.Execution {
	of := func(e record.Execution, db, user, app, host string, pid int32) record.Execution {
		e.Database, e.UserName, e.Application, e.Host, e.ProcessID = db, user, app, host, pid
		return e
	}
	return []record.Execution{
		of(plan("a.1", "select 1", 1000, 41_900, false), "shop", "app", "web", "10.0.0.1", 1),
		of(line(record.ExecStatement, "a.1", "select 1", 1001, 42_317), "shop", "app", "web", "10.0.0.1", 1),
		of(line(record.ExecStatement, "b.2", "select 2", 2000, 100_000), "shop", "batch", "job", "10.0.0.2", 2),
		of(line(record.ExecBind, "b.2", "select 3", 2995, 10), "stock", "batch", "job", "10.0.0.2", 2),
		of(line(record.ExecStatement, "b.2", "select 3", 3000, 5_000), "stock", "batch", "job", "10.0.0.2", 2),
		of(line(record.ExecStatement, "c.3", "select 4", 4000, 5_000), "", "", "", "", 0),
	}
}

func filtered(f Filter, execs ...record.Execution) *Model {
	for i := range execs {
		execs[i].Pos.Offset = int64(i)
	}
	d := New(DefaultLimits(), intern)
	d.Filter(f)
	d.Fold(&record.Batch{Executions: execs})
	return d.Build()
}

func ms1(t int64) Moment { return Moment{Time: record.Time(t * 1000), Known: true} }

func TestFilterChoosesExecutions(t *testing.T) {
	one, two, three, four := "select 1 42317 41900", "select 2 100000 0", "select 3 5000 0", "select 4 5000 0"
	re := func(s string) []*regexp.Regexp { return []*regexp.Regexp{regexp.MustCompile(s)} }
	tests := []struct {
		name   string
		filter Filter
		untold int64
		want   []string
	}{
		{"since keeps its own instant", Filter{Since: ms1(2000)}, 0, []string{two, three, four}},
		{"until leaves its own instant out", Filter{Until: ms1(3000)}, 0, []string{one, two}},
		{"since and until", Filter{Since: ms1(1500), Until: ms1(2500)}, 0, []string{two}},
		{"last counts back from the last entry", Filter{Last: 1500 * record.Millisecond}, 0, []string{three, four}},
		{"database", Filter{Database: Names{Only: []string{"shop"}}}, 1, []string{one, two}},
		{"several databases", Filter{Database: Names{Only: []string{"shop", "st*"}}}, 1, []string{one, two, three}},
		{"not a database keeps what tells none", Filter{Database: Names{Except: []string{"shop"}}}, 0, []string{three, four}},
		{"user", Filter{User: Names{Only: []string{"batch"}}}, 1, []string{two, three}},
		{"application", Filter{Application: Names{Except: []string{"j*"}}}, 0, []string{one, four}},
		{"host", Filter{Host: Names{Only: []string{"10.0.0.*"}, Except: []string{"10.0.0.2"}}}, 1, []string{one}},
		{"session by its id", Filter{Session: Names{Only: []string{"a.1"}}}, 0, []string{one}},
		{"session by its process", Filter{Session: Names{Only: []string{"2"}}}, 0, []string{two, three}},
		{"not a session by its process", Filter{Session: Names{Except: []string{"2"}}}, 0, []string{one, four}},
		{"query", Filter{Query: Patterns{Only: re("[12]$")}}, 0, []string{one, two}},
		{"not a query", Filter{Query: Patterns{Except: re("[12]$")}}, 0, []string{three, four}},
		{"all must hold", Filter{User: Names{Only: []string{"batch"}}, Database: Names{Only: []string{"shop"}}}, 1, []string{two}},
		{"nothing left", Filter{User: Names{Only: []string{"nobody"}}}, 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := filtered(tt.filter, shop()...)
			expect(t, m, tt.want...)
			if k := m.Kept; k.Executions != (Part{int64(len(tt.want)), 4}) || k.Untold != tt.untold {
				t.Errorf("kept %+v, untold %d", k.Executions, k.Untold)
			}
			if n := len(m.Statements); n != len(tt.want) && tt.filter.Until == (Moment{}) { // a bind step is left
				t.Errorf("%d statements", n)
			}
		})
	}
}

func TestFilterWithoutLimitsChangesNothing(t *testing.T) {
	if m := filtered(Filter{}, shop()...); m.Kept != nil || !reflect.DeepEqual(said(m), said(build(shop()...))) {
		t.Errorf("%q", said(m))
	}
}

func TestPlanBeforeTheLimitStaysWithItsDuration(t *testing.T) {
	m := filtered(Filter{Since: Moment{Time: 1_000_500, Known: true}}, shop()[:2]...)
	expect(t, m, "select 1 42317 41900")
}

func TestStepsAreChosenWithTheirExecutions(t *testing.T) {
	m := filtered(Filter{Database: Names{Only: []string{"stock"}}}, shop()...)
	if len(m.Sessions) != 1 || len(m.Sessions[0].Steps) != 2 {
		t.Errorf("%d sessions: %+v", len(m.Sessions), m.Sessions)
	}
}

func TestConcurrencyCountsWhatTheFilterDrops(t *testing.T) {
	a, b := line(record.ExecStatement, "a", "q", 1000, 900_000), line(record.ExecStatement, "b", "r", 1000, 500_000)
	a.UserName, b.UserName = "app", "batch"
	m := filtered(Filter{User: Names{Only: []string{"batch"}}}, a, b)
	if len(m.Executions) != 1 || m.Executions[0].Concurrency != 1 {
		t.Errorf("%+v", m.Executions)
	}
}

func TestFilterChoosesVacuumsEventsAndRows(t *testing.T) {
	d := New(DefaultLimits(), intern)
	d.Filter(Filter{Since: ms1(2000), Database: Names{Only: []string{"shop"}}, User: Names{Only: []string{"app"}}})
	columns := record.NewColumns([]string{"schemaname", "relname", "datname"})
	row := func(view record.View, at int64, values ...string) record.Sample {
		s := record.Sample{View: view, CapturedAt: record.Time(at * 1000), Columns: columns}
		for _, v := range values {
			s.Values = append(s.Values, record.Value{Text: v, Valid: v != ""})
		}
		return s
	}
	vacuum := func(at int64, db string) record.Vacuum {
		return record.Vacuum{LogTime: record.Time(at * 1000), Kind: record.KindVacuum, Database: db, Schema: "public", Relation: "t"}
	}
	d.Fold(&record.Batch{
		Vacuums: []record.Vacuum{vacuum(1000, "shop"), vacuum(2000, "shop"), vacuum(3000, "stock")},
		Events: []record.Event{
			{LogTime: 1_000_000, Kind: record.EventServerStart, Text: "17.5"},
			{LogTime: 2_000_000, Kind: record.EventCheckpoint},
			{LogTime: 2_000_000, Kind: record.EventError, Database: "stock"},
		},
		Samples: []record.Sample{
			row(record.ViewTables, 1000, "public", "t", ""), row(record.ViewTables, 2000, "public", "t", ""),
			row(record.ViewActivity, 3000, "", "", "stock"), row(record.ViewActivity, 3000, "", "", "shop"),
			row(record.ViewSettings, 1000, "", "", ""),
		},
	})
	m := d.Build()
	k := m.Kept
	if k.Vacuums != (Part{1, 3}) || k.Events != (Part{1, 3}) || k.Samples != (Part{2, 4}) {
		t.Errorf("vacuums %v, events %v, samples %v", k.Vacuums, k.Events, k.Samples)
	}
	if len(m.Vacuums) != 1 || len(m.Events) != 1 || len(m.Activity) != 1 || m.SnapshotTimes[record.ViewTables] != 1 {
		t.Errorf("%d vacuums, %d events, %d activity rows", len(m.Vacuums), len(m.Events), len(m.Activity))
	}
	if m.Server != "17.5" || m.From != 2_000_000 || m.To != 3_000_000 {
		t.Errorf("server %q, %d to %d", m.Server, m.From, m.To)
	}
}

func TestExamplesAreOfWhatIsKept(t *testing.T) {
	var execs []record.Execution
	for i := range int64(5) {
		e := plan("a", "q", 1000*(i+1), record.Duration(100_000-i*10_000), false)
		e.Plan, e.UserName = &record.Plan{}, []string{"app", "batch"}[i%2]
		execs = append(execs, e)
	}
	shape := filtered(Filter{User: Names{Only: []string{"batch"}}}, execs...).Statements[0].Shapes[0]
	if shape.First.Time != 2_000_000 || shape.Slowest.Time != 2_000_000 {
		t.Errorf("of a user: first %d, slowest %d", shape.First.Time, shape.Slowest.Time)
	}
	shape = filtered(Filter{Last: 1500 * record.Millisecond}, execs...).Statements[0].Shapes[0]
	if shape.First.Time != 5_000_000 || shape.Executions != 2 {
		t.Errorf("of the last: first %d of %d", shape.First.Time, shape.Executions)
	}
}

// TestPartsOfAFilterAddUp splits a random log at a time and by user: what the
// parts keep is what the whole has, each execution with the same figures.
func TestPartsOfAFilterAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var execs []record.Execution
	for i := range int64(300) {
		s := string(rune('a' + r.IntN(5)))
		kind := []record.ExecutionKind{record.ExecStatement, record.ExecExecute, record.ExecBind, record.ExecText, record.ExecDuration}[r.IntN(5)]
		e := line(kind, s, "q"+string(rune('0'+r.IntN(3))), 1000+i*10, record.Duration(r.IntN(50_000)))
		if r.IntN(3) == 0 {
			e = plan(s, "q1", 1000+i*10, record.Duration(r.IntN(50_000)), r.IntN(2) == 0)
		}
		e.UserName = s
		execs = append(execs, e)
	}
	whole := map[record.Pos][2]record.Duration{}
	m := build(execs...)
	for _, e := range m.Executions {
		whole[e.Pos] = [2]record.Duration{e.Duration, record.Duration(e.Concurrency)}
	}
	for _, parts := range [][]Filter{
		{{Until: ms1(2500)}, {Since: ms1(2500)}},
		{{User: Names{Only: []string{"a", "b"}}}, {User: Names{Except: []string{"a", "b"}}}},
	} {
		n := 0
		for _, f := range parts {
			for _, e := range filtered(f, execs...).Executions {
				n++
				if whole[e.Pos] != [2]record.Duration{e.Duration, record.Duration(e.Concurrency)} {
					t.Errorf("%v differs", e.Pos)
				}
			}
		}
		if n != len(m.Executions) {
			t.Errorf("%d executions in parts, %d in all", n, len(m.Executions))
		}
	}
}

func TestFloatingTimesAreOfTheLogsZone(t *testing.T) {
	f := Filter{Since: Moment{Time: 7200_000_000, Known: true, Floating: true}, Until: ms1(9000)}
	f = f.In(func(clock record.Time) record.Time { return clock.Add(-3600 * record.Second) })
	if f.Since != (Moment{Time: 3600_000_000, Known: true}) || f.Until != ms1(9000) {
		t.Errorf("%+v", f)
	}
}
