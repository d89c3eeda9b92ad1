package onset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

func model(b *record.Batch) *dataset.Model {
	d := dataset.New(dataset.DefaultLimits(), func(t []byte) *record.Statement { return &record.Statement{Fingerprint: string(t)} })
	d.Fold(b)
	return d.Build()
}

// texts are the happenings in words, each with the seconds that it lasted from
// and to.
func texts(list []Happening) []string {
	var out []string
	for _, h := range list {
		out = append(out, fmt.Sprintf("%g-%g %s", h.Start.Sub(start).Seconds(), h.End.Sub(start).Seconds(), h.Text))
	}
	return out
}

func wantTexts(t *testing.T, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
}

// run logs an execution of a statement that ends at a time and took a tenth of a
// second.
func run(b *record.Batch, s *record.Statement, end float64, shape uint64) {
	n := int64(len(b.Executions))
	b.Executions = append(b.Executions, record.Execution{Pos: record.Pos{File: "log", Line: n, Offset: n}, LogTime: at(end), Kind: record.ExecStatement,
		Session: "s", Statement: s, Duration: 100 * record.Millisecond, HasDuration: true, HasPlan: shape > 0,
		Figures: record.Figures{Shape: shape}})
}

func TestRestartCrashAndSettings(t *testing.T) {
	b := &record.Batch{Events: []record.Event{
		{LogTime: at(0), Kind: record.EventReady},
		{LogTime: at(10), Kind: record.EventParameterChanged, Object: "work_mem", Text: "64MB"},
		{LogTime: at(20), Kind: record.EventShutdown}, {LogTime: at(22), Kind: record.EventReady},
		{LogTime: at(30), Kind: record.EventCrash}, {LogTime: at(31), Kind: record.EventCrash}, {LogTime: at(35), Kind: record.EventReady},
	}}
	columns := record.NewColumns([]string{"name", "setting"})
	for i, v := range []string{"4096", "65536", "65536"} {
		for _, name := range []string{"work_mem", "random_page_cost"} {
			b.Samples = append(b.Samples, record.Sample{View: record.ViewSettings, Columns: columns, CapturedAt: at(float64(5 + 10*i)),
				Values: []record.Value{{Text: name, Valid: true}, {Text: v, Valid: true}}})
		}
	}
	wantTexts(t, texts(Happenings(model(b))),
		"10-10 setting work_mem changed to 64MB",
		"5-15 setting random_page_cost changed from 4096 to 65536",
		"20-22 restart of the server",
		"30-35 crash of the server")
}

func TestVacuumThatCleanedTheIndexIsItsOwnKind(t *testing.T) {
	b := &record.Batch{}
	v := record.Vacuum{LogTime: at(100), Kind: record.KindVacuum, Schema: "public", Relation: "items", HasElapsed: true, Elapsed: 30 * record.Second,
		IndexScans: 1, Indexes: []record.VacuumIndex{{Name: "items_a"}}}
	other := v
	other.Relation, other.LogTime = "other", at(120)
	b.Vacuums = append(b.Vacuums, v, other)
	m := model(b)
	items := m.Relation("items")
	s := Subject{Relations: []*dataset.Relation{items}, Index: items.Index("items_a")}
	got := Of(Happenings(m), s)
	wantTexts(t, texts(got), "70-100 vacuum of public.items cleaned items_a")
	if got[0].Kind != IndexVacuum {
		t.Errorf("kind %d", got[0].Kind)
	}
	s.Index = &dataset.Index{Index: "items_b"}
	if got := Of(Happenings(m), s); got[0].Kind != TableVacuum {
		t.Errorf("a vacuum that did not clean items_b is told as one that did: %+v", got)
	}
}

func TestCommandsOfTheLog(t *testing.T) {
	for text, want := range map[string]string{
		"CREATE INDEX|create index orders_customer_id on orders (customer_id)":               "creation of index orders_customer_id on orders",
		"CREATE INDEX|create unique index concurrently if not exists a on only public.t (x)": "creation of index a on t",
		"CREATE INDEX|create index on t (x)":                                                 "creation of an index on t",
		"DROP INDEX|drop index concurrently if exists app.a, b":                              "drop of index a; drop of index b",
		"REINDEX|reindex (verbose) index concurrently app.a":                                 "rebuild of index a",
		"REINDEX|reindex table t;":                                                           "rebuild of the indexes of t",
		"REINDEX|reindex database d":                                                         "",
		"ALTER TABLE|alter table if exists only app.t alter column a set statistics $1":      "alter of t",
		"TRUNCATE TABLE|truncate t, u":                                                       "truncate of t",
		"VACUUM|vacuum (analyze, verbose) app.t":                                             "vacuum of t",
		"ANALYZE|analyze verbose t (a, b)":                                                   "analyze of t",
		"ANALYZE|analyze":                                                                    "",
		"SELECT|select $1":                                                                   "",
		"CREATE INDEX|create index":                                                          "",
	} {
		command, normalized, _ := strings.Cut(text, "|")
		list, _ := commandOf(&record.Statement{Command: command, Normalized: normalized})
		var got []string
		for _, h := range list {
			got = append(got, h.Text)
		}
		if g := strings.Join(got, "; "); g != want {
			t.Errorf("%s: %q, want %q", normalized, g, want)
		}
	}
}

func FuzzCommandOf(f *testing.F) {
	f.Add("create index a on t(x)", uint8(0))
	f.Add("reindex (verbose) table", uint8(2))
	commands := []string{"CREATE INDEX", "DROP INDEX", "REINDEX", "ALTER TABLE", "CLUSTER", "VACUUM", "ANALYZE"}
	f.Fuzz(func(t *testing.T, text string, command uint8) {
		list, _ := commandOf(&record.Statement{Command: commands[int(command)%len(commands)], Normalized: text})
		if len(list) > maxNames {
			t.Errorf("%d happenings of one statement", len(list))
		}
	})
}

func TestIndexStatementsConcernThePlansThatUseThem(t *testing.T) {
	b := &record.Batch{}
	sum := &record.Statement{Fingerprint: "sum", Normalized: "select sum(total) from orders", Command: "SELECT", Relations: []string{"orders"}}
	other := &record.Statement{Fingerprint: "other", Normalized: "select 1 from accounts", Command: "SELECT", Relations: []string{"accounts"}}
	drop := &record.Statement{Fingerprint: "drop", Normalized: "drop index orders_customer_id", Command: "DROP INDEX"}
	run(b, sum, 1, 7)
	b.Executions[0].Plan = &record.Plan{Nodes: []record.Node{{NodeType: "Index Scan", IndexName: "orders_customer_id"}}}
	run(b, other, 2, 8)
	run(b, drop, 3, 0)
	m := model(b)
	list := Happenings(m)
	wantTexts(t, texts(Of(list, SubjectOf(m.Statement("sum")))), "2.9-3 drop of index orders_customer_id")
	wantTexts(t, texts(Of(list, SubjectOf(m.Statement("other")))))
}

func TestStatementsThatBeginTogetherAreOneDeploy(t *testing.T) {
	b := &record.Batch{}
	for i := range 100 {
		run(b, &record.Statement{Fingerprint: "old", Normalized: "old"}, float64(i), 0)
	}
	for i := range 40 {
		run(b, &record.Statement{Fingerprint: "a", Normalized: "a"}, 50+float64(i), 0)
		run(b, &record.Statement{Fingerprint: "b", Normalized: "b"}, 52+float64(i), 0)
	}
	run(b, &record.Statement{Fingerprint: "rare", Normalized: "rare"}, 70, 0)
	wantTexts(t, texts(Happenings(model(b))), "49.9-49.9 2 new statements")
}

// shapes runs a statement with the plan shapes that the letters name, one per
// second.
func shapes(letters string) []Flip {
	b := &record.Batch{}
	for i, c := range letters {
		run(b, &record.Statement{Fingerprint: "f"}, float64(i), uint64(c))
	}
	return Flips(model(b).Statement("f"))
}

func TestFlips(t *testing.T) {
	for letters, want := range map[string]string{
		"aaaaaaaaaabbbbbbbbbb":           "a>b@10",
		"aaaaaaaaaabbbbbbbbbbaaaaaaaaaa": "a>b@10 b>a@20",
		"aaaaaaaaaacbbbbbbbbbb":          "a>b@11", // one of another plan between
		"aaaaaaaaaababbbbbbbbbb":         "a>b@12",
		"aaaaaaaaaabbb":                  "", // too few to tell
		"abababababababababab":           "", // side by side
		"aabbaaabbaaaaabbabbbbbabbaabab": "", // side by side
		"aaaaaaaaaaaaaaaaaaaaaaaaabaaaa": "", // a rare parameter
	} {
		var got []string
		for _, f := range shapes(letters) {
			got = append(got, fmt.Sprintf("%c>%c@%g", rune(f.From), rune(f.To), f.Time.Sub(at(-0.1)).Seconds()))
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: %q, want %q", letters, g, want)
		}
	}
}
