package pglog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// sharedLog is a log whose clients all are app@shop, with an autovacuum worker
// and others of the server from the entry server on.
func sharedLog(prefix string, entries, server int) string {
	var s strings.Builder
	for i := range entries {
		p := process{pid: 4100 + i%3, user: "app", database: "shop", app: "psql", host: "10.0.0.5", port: 4000, backend: "client backend"}
		message := fmt.Sprintf("duration: %d.000 ms  plan:\n\tQuery Text: select 1\n\tResult  (cost=0.00..0.01 rows=1 width=4)", i)
		if i >= server && i%5 == 0 {
			p = process{pid: 88, backend: "autovacuum worker"}
			message = "automatic analyze of table \"shop.public.items\"\n\tsystem usage: CPU: user: 0.03 s, system: 0.00 s, elapsed: 0.04 s"
		}
		s.WriteString(p.print(prefix, i) + "LOG:  " + message + "\n")
	}
	return s.String()
}

func TestNameThatAllClientsShareIsAValue(t *testing.T) {
	for prefix, want := range map[string]string{
		"<%p|%d|%m> ":    "",
		"%d %u %m %p ":   "",
		"%u@%d %m [%p] ": "",
		"[%d] %m %p: ":   "",
		"%p;%u;%m;":      "%p;%d;%m;", // the only name, and that of a database too
	} {
		for _, server := range []int{0, 3} {
			text := sharedLog(prefix, 60, server)
			if prefix == "%p;%u;%m;" {
				text = strings.ReplaceAll(text, ";app;", ";shop;")
			}
			d := Stderr.Detect(headOf([]byte(text)))
			if want == "" {
				want = prefix
			}
			var b record.Batch
			d.Parse([]byte(text), record.Pos{File: "x", Line: 1}, &b)
			if b.Entries != 60 || len(b.Vacuums) < 11 || len(b.Losses) > 0 {
				t.Errorf("%q taken for %q: %d entries, %d vacuums, losses %+v", prefix, d.Prefix, b.Entries, len(b.Vacuums), b.Losses)
			}
			for _, e := range b.Executions {
				if strings.Contains(want, "%d") && e.Database != "shop" {
					t.Errorf("%q taken for %q: database %q", prefix, d.Prefix, e.Database)
					break
				}
			}
		}
	}
}

// Where the head has clients only, the lines of others are read all the same,
// and it is told that the prefix was not found.
func TestConstantWordThatLaterLinesLackIsAMisfit(t *testing.T) {
	for _, prefix := range []string{"<%p|%d|%m> ", "%d %u %m %p ", "%u@%d %m [%p] "} {
		text := sharedLog(prefix, 2000, 1500)
		h := headOf([]byte(text))
		h.Data = h.Data[:strings.Index(text, "1490.000 ms")]
		h.Data = h.Data[:strings.LastIndex(string(h.Data), "\n")+1]
		d := Stderr.Detect(h)
		var b record.Batch
		d.Parse([]byte(text), record.Pos{File: "x", Line: 1}, &b)
		if b.Entries != 2000 || len(b.Vacuums) != 100 {
			t.Errorf("%q taken for %q: %d entries, %d vacuums", prefix, d.Prefix, b.Entries, len(b.Vacuums))
		}
		if d.Prefix != prefix && (len(b.Losses) != 1 || b.Losses[0].Kind != record.LossPrefix || b.Losses[0].Count != 100) {
			t.Errorf("%q taken for %q: losses %+v", prefix, d.Prefix, b.Losses)
		}
	}
}

// A word that no value stands for stays one.
func TestWordOfThePrefixStaysAWord(t *testing.T) {
	for _, prefix := range []string{"main: %m [%p] ", "%m [%p] cluster1 ", "pg|%t|%p|"} {
		var s strings.Builder
		for i := range 40 {
			s.WriteString(processes[i%3].print(prefix, i) + "LOG:  checkpoint starting: time\n\tx\n")
		}
		if d := Stderr.Detect(headOf([]byte(s.String()))); !strings.Contains(prefix, "cluster1") && d.Prefix != prefix {
			t.Errorf("%q taken for %q", prefix, d.Prefix)
		}
	}
}

// An entry behind the blanks that its empty values left is no further line of
// the entry before.
func TestEntryBehindBlanksIsNoContinuation(t *testing.T) {
	text := "app 2026-03-02 08:00:00.000 UTC [7] LOG:  duration: 1.000 ms  plan:\n\tQuery Text: select 1\n\tResult  (cost=0.00..0.01 rows=1 width=4)\n" +
		"   2026-03-02 08:00:01.000 UTC [8] {x} LOG:  automatic vacuum of table \"a.b.c\": index scans: 0\n\tpages: 0\n"
	h := headOf([]byte(text))
	h.Prefix = "%u %m [%p] "
	b := parse(t, Stderr, h, []byte(text))
	if b.Entries != 1 || len(b.Losses) == 0 || b.Losses[0].Kind != record.LossLine || b.Losses[0].Pos.Line != 4 {
		t.Errorf("%d entries, losses %+v", b.Entries, b.Losses)
	}
}
