package pglog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// places lists where records stand, so that blocks must agree on lines and
// offsets too.
func places(b *record.Batch) []string {
	var out []string
	for _, x := range b.Executions {
		out = append(out, fmt.Sprintf("%d@%d exec %d %s", x.Pos.Line, x.Pos.Offset, x.Kind, query(&x)))
	}
	for _, v := range b.Vacuums {
		out = append(out, fmt.Sprintf("%d@%d vacuum %s", v.Pos.Line, v.Pos.Offset, v.Relation))
		for _, ix := range v.Indexes {
			out = append(out, fmt.Sprintf("%d index %s", ix.Line, ix.Name))
		}
	}
	for _, e := range b.Events {
		out = append(out, fmt.Sprintf("%d@%d event %d %s", e.Pos.Line, e.Pos.Offset, e.Kind, e.Text))
	}
	slices.Sort(out)
	return out
}

// parseCut reads data in blocks of about size bytes, as a cutter does.
func parseCut(d *source.Detection, data []byte, size int) *record.Batch {
	b := new(record.Batch)
	pos := record.Pos{File: "sample", Line: 1}
	skip := func(n int) {
		pos.Line += int64(bytes.Count(data[:n], []byte{'\n'}))
		pos.Offset += int64(n)
		data = data[n:]
	}
	skip(d.Begin(data))
	for want := size; len(data) > 0; {
		n := len(data)
		if want < n {
			if n = d.Cut(data[:want]); n == 0 {
				want *= 2
				continue
			}
		}
		d.Parse(data[:n], pos, b)
		skip(n)
		want = size
	}
	return b
}

// However the file is cut into blocks, the records are the same.
func TestBlocksGiveTheRecordsOfTheWhole(t *testing.T) {
	for name, f := range map[string]source.Format{"pg18-pg.log": Stderr, "pg18-pg.csv": CSVLog, "pg18-pg.json": JSONLog} {
		data := readSample(t, name)
		d := f.Detect(headOf(data))
		whole := parseCut(d, data, len(data))
		want := places(whole)
		for _, size := range []int{200, 777, 4096, 50_000, 150_001} {
			b := parseCut(d, data, size)
			if got := places(b); !slices.Equal(got, want) || b.Entries != whole.Entries || b.Understood != whole.Understood {
				t.Errorf("%s in blocks of %d: %s", name, size, firstDifference(strings.Join(want, "\n"), strings.Join(got, "\n")))
			}
		}
	}
}

// A file cut anywhere and joined at the first entry of its second half, as the
// contract of Begin says, loses nothing.
func TestSplitFilesLoseNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range map[string]source.Format{"pg18-pg.log": Stderr, "pg18-pg.csv": CSVLog, "pg18-pg.json": JSONLog} {
		data := readSample(t, name)
		d := f.Detect(headOf(data))
		want := places(parseCut(d, data, len(data)))
		for range 25 {
			at := r.IntN(len(data))
			at += d.Begin(data[at:])
			b := new(record.Batch)
			d.Parse(data[:at], record.Pos{File: "sample", Line: 1}, b)
			line := int64(1 + bytes.Count(data[:at], []byte{'\n'}))
			d.Parse(data[at:], record.Pos{File: "sample", Line: line, Offset: int64(at)}, b)
			if got := places(b); !slices.Equal(got, want) {
				t.Errorf("%s split at %d: %s", name, at, firstDifference(strings.Join(want, "\n"), strings.Join(got, "\n")))
			}
		}
	}
}

func TestBeginSkipsTheRestOfAnEntry(t *testing.T) {
	const row = `2026-03-02 08:00:01.100 UTC,"app","shop",501,"10.0.0.5:1",69a54000.1f5,1,"SELECT",2026-03-02 08:00:00 UTC,3/1,0,LOG,00000,"duration: 1.000 ms",,,,,,,,,"svc"` + "\n"
	tests := []struct {
		name, rest string
		begin      func([]byte) int
		entry      string
	}{
		{"inside quotes", "select 'x',\n2026-03-02 08:00:01.100 UTC,\"\"y\"\"\n\",,,,,,,,,\"svc\"\n", csvBegin, row},
		{"header of an export", "log_time,user_name,database_name\n", csvBegin, row},
		{"json", `on\": 1}"}` + "\n", jsonBegin, `{"timestamp":"2026-03-02 08:00:01.100 UTC","error_severity":"LOG"}` + "\n"},
		{"byte order mark", "\xef\xbb\xbf", (&stderrLog{prefix: mustCompile("%m [%p] ")}).begin, "2026-03-02 08:00:01.100 UTC [1] LOG:  x\n"},
		{"rest of an entry", "\tfrom t\nand more\n2026-03-02 08:00:01.100 UTC [1] DETAIL:  x\n", (&stderrLog{prefix: mustCompile("%m [%p] ")}).begin, "2026-03-02 08:00:01.100 UTC [1] LOG:  x\n"},
	}
	for _, test := range tests {
		if got := test.begin([]byte(test.rest + test.entry)); got != len(test.rest) {
			t.Errorf("%s: %d, want %d", test.name, got, len(test.rest))
		}
		if got := test.begin([]byte("none\n")); got != len("none\n") {
			t.Errorf("%s: %d in a text without an entry", test.name, got)
		}
	}
}

func mustCompile(text string) *prefix {
	p, err := compilePrefix(text)
	if err != nil {
		panic(err)
	}
	return p
}

// A damaged row costs itself, not the rest of the file.
func TestDamagedRowsAreCounted(t *testing.T) {
	row := func(ms int, message string) string {
		return fmt.Sprintf(`2026-03-02 08:00:01.100 UTC,"app","shop",501,"10.0.0.5:1",69a54000.1f5,1,"SELECT",2026-03-02 08:00:00 UTC,3/1,0,LOG,00000,"duration: %d.000 ms  statement: %s",,,,,,,,,"svc","client backend",,0`+"\n", ms, message)
	}
	for name, damaged := range map[string]string{
		"stray quote":    row(2, `select "x" from t`),
		"open quote":     strings.Replace(row(2, "select 1"), `select 1"`, `select 1`, 1),
		"cut off":        row(2, "select 1")[:120] + "\n",
		"foreign":        "pg_ctl: another server might be running\n",
		"wrong SQLSTATE": strings.Replace(row(2, "select 1"), ",00000,", ",okay!,", 1),
	} {
		data := []byte(row(1, "select 'a,\n\"\"b\"\"'") + damaged + row(3, "select 3") + row(4, "select 4"))
		d := CSVLog.Detect(headOf(data))
		b := parseCut(d, data, 600)
		if len(b.Executions) != 3 || b.Executions[1].Duration != 3000 || lossCount(b, record.LossEntry) != 1 {
			t.Errorf("%s: %d executions, %+v", name, len(b.Executions), b.Losses)
		}
		if got := query(&b.Executions[0]); got != "select 'a,\n\"b\"'" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestDamagedJSONLinesAreCounted(t *testing.T) {
	line := func(message string) string {
		return `{"timestamp":"2026-03-02 08:00:01.100 UTC","pid":5,"error_severity":"LOG","message":"` + message + `","query_id":-9223372036854775808}` + "\n"
	}
	data := []byte(line("duration: 1.000 ms  statement: select '\\\"\\\\\\u00e9\\ud83d\\ude00\\n'") +
		line("duration: 2.000 ms")[:60] + "\n" + "{}\n" + "[1]\n" + line(`bad " quote`) + "\n" +
		line("duration: 3.000 ms") + ` { "timestamp" : "2026-03-02 08:00:01.1 UTC" , "x":{"a":["}"]}, "error_severity" : "LOG", "message":"duration: 4.000 ms" } ` + "\n")
	b := parse(t, JSONLog, headOf(data), data)
	if len(b.Executions) != 3 || lossCount(b, record.LossEntry) != 4 {
		t.Fatalf("%+v %+v", b.Executions, b.Losses)
	}
	x := &b.Executions[0]
	if query(x) != "select '\"\\é😀\n'" || x.QueryID != -9223372036854775808 {
		t.Errorf("%q %d", query(x), x.QueryID)
	}
	if b.Losses[0].Pos.Line != 2 || b.Executions[2].Pos.Line != 8 {
		t.Errorf("%+v %+v", b.Losses[0].Pos, b.Executions[2].Pos)
	}
}

// Rows of a snapshot may begin with a time, and hold a number of five digits
// where csvlog has its SQLSTATE.
func TestSnapshotsAreNoLog(t *testing.T) {
	const text = "2026-11-30 14:11:16.311995+00,16744,public,items,4,25000,0,0,25000,0,0,0,25000,0,0,25000,,,,,0,1,0,1\n"
	for _, f := range [...]source.Format{CSVLog, JSONLog, Stderr} {
		if d := f.Detect(headOf([]byte(text))); d != nil {
			t.Errorf("%s: %+v", f.Name, d)
		}
	}
}

// Blocks are parsed at once, each into its own batch.
func TestBlocksInParallel(t *testing.T) {
	data := readSample(t, "pg18-pg.log")
	d := Stderr.Detect(headOf(data))
	want := places(parseCut(d, data, len(data)))
	results := make(chan []string)
	for range 4 {
		go func() { results <- places(parseCut(d, data, 20_000)) }()
	}
	for range 4 {
		if got := <-results; !slices.Equal(got, want) {
			t.Error(firstDifference(strings.Join(want, "\n"), strings.Join(got, "\n")))
		}
	}
}

// Whatever a file holds, a block has a bounded number of losses.
func TestLossesAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "2026-03-02 08:00:01.100 X%c%c [5] LOG:  duration: 1.000 ms\n", 'A'+i/26%26, 'A'+i%26)
	}
	b := parseText(t, Stderr, text.String())
	if len(b.Losses) > maxLosses+2 || lossCount(b, record.LossTime) != 1000 {
		t.Errorf("%d losses of %d entries", len(b.Losses), lossCount(b, record.LossTime))
	}
}
