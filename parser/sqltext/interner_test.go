package sqltext

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestStatementsOfLogs holds every field against the golden file.
func TestStatementsOfLogs(t *testing.T) {
	in := NewInterner(0)
	var out strings.Builder
	for _, text := range strings.Split(strings.TrimSuffix(readFile(t, "statements.sql"), "\n"), "\n") {
		st := in.Statement([]byte(text))
		fmt.Fprintf(&out, "%s\n  %s %q approximate=%t\n  relations=%q target=%q\n  %s\n",
			text, st.Fingerprint, st.Command, st.Approximate, st.Relations, st.Target, st.Normalized)
	}
	golden := filepath.Join("testdata", "statements.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := readFile(t, "statements.golden"); out.String() != want {
		t.Errorf("differs from %s; run with -update and compare", golden)
	}
}

// sameBlocks reads testdata/same.txt.
func sameBlocks(t testing.TB) (blocks [][]string) {
	for _, block := range strings.Split(readFile(t, "same.txt"), "\n\n") {
		block = strings.Trim(block, "\n")
		if !strings.HasPrefix(block, "#") {
			blocks = append(blocks, joinIndented(strings.Split(block, "\n")))
		}
	}
	return blocks
}

// joinIndented makes an indented line part of the one before it.
func joinIndented(lines []string) (out []string) {
	for _, l := range lines {
		if strings.HasPrefix(l, "  ") {
			out[len(out)-1] += "\n" + l
		} else {
			out = append(out, l)
		}
	}
	return out
}

// TestSpellingsOfOneStatement: the text of a log, with its values, and the text
// of pg_stat_statements, with $n, must meet; different statements must not.
func TestSpellingsOfOneStatement(t *testing.T) {
	in := NewInterner(0)
	owner := map[string]string{}
	for _, block := range sameBlocks(t) {
		approximate := block[0] == "~"
		if approximate {
			block = block[1:]
		}
		want := in.Statement([]byte(block[0]))
		for _, text := range block {
			st := in.Statement([]byte(text))
			if st.Fingerprint != want.Fingerprint {
				t.Errorf("%q has fingerprint %s, but %q has %s", text, st.Fingerprint, block[0], want.Fingerprint)
			}
			if st.Approximate != approximate {
				t.Errorf("%q: approximate is %t", text, st.Approximate)
			}
		}
		if other, taken := owner[want.Fingerprint]; taken {
			t.Errorf("%q and %q have the same fingerprint", other, block[0])
		}
		owner[want.Fingerprint] = block[0]
	}
}

func TestSpellingsShareOnePointer(t *testing.T) {
	in := NewInterner(0)
	a := in.Statement([]byte("SELECT  a FROM t\nWHERE b = 'x' /* c */ AND d IN (1, 2, 3);"))
	b := in.Statement([]byte("select a from t where b = 'yy' and d in (7, 8);;"))
	if a != b {
		t.Errorf("two Statements for one class: %q and %q", a.Normalized, b.Normalized)
	}
}

func TestValuesShowTheirFirstRow(t *testing.T) {
	in := NewInterner(0)
	for text, want := range map[string]string{
		"insert into t values (1, 'a'), (2, 'b') returning id": "insert into t values ($1, $2) returning id",
		"select * from t where a in (1, 2, 3) and b = 4":       "select * from t where a in ($1 /*, ... */) and b = $2",
		"select * from t where a in ($1 /*, ... */)":           "select * from t where a in ($1 /*, ... */)",
		"select * from t where a = $2 and b = 'x' and c = $1":  "select * from t where a = $2 and b = $3 and c = $1",
		"select * from (values (1, f(2)), (3, f(4))) v (a, b)": "select * from (values ($1, f($2))) v (a, b)",
		"insert into t values (1), (f(1)), (2), (f(2)), (3)":   "insert into t values ($1), (f($2))",
		"select array[[1, 2], [3, 4]], \"A  b\"":               "select array[[$1 /*, ... */] /*, ... */], \"A  b\"",
		"select a in (select 1, 2, 3 from t)":                  "select a in (select $1, $2, $3 from t)",
	} {
		if got := in.Statement([]byte(text)).Normalized; got != want {
			t.Errorf("%q is shown as\n%q, want\n%q", text, got, want)
		}
	}
}

// TestConstantsOfAnyLength: literals do not count towards the limits.
func TestConstantsOfAnyLength(t *testing.T) {
	in := NewInterner(0)
	long := "insert into items (embedding) values " + strings.Repeat("('"+strings.Repeat("0.1,", 20000)+"'), ", 20) + "('x')"
	if a, b := in.Statement([]byte(long)), in.Statement([]byte("insert into items (embedding) values ($1)")); a.Fingerprint != b.Fingerprint {
		t.Errorf("a text of %d bytes got %s, want %s", len(long), a.Fingerprint, b.Fingerprint)
	}
}

// TestDeepTextsDoNotReachTheParser: each of these ends the process, or needs a
// stack that a small thread has not, when pg_query walks its tree.
func TestDeepTextsDoNotReachTheParser(t *testing.T) {
	in := NewInterner(0)
	for name, text := range map[string]string{
		"chain":          "select a" + strings.Repeat("+a", 22000),
		"short chain":    "select a" + strings.Repeat("+a", 4000),
		"chain in lists": "select " + strings.Repeat("f(a, "+strings.Repeat("a+", 10), 100) + "a" + strings.Repeat(")", 100),
		"casts":          "select a" + strings.Repeat("::int", 3000),
		"brackets":       "select " + strings.Repeat("(", 5000) + "a" + strings.Repeat(")", 5000),
		"subqueries":     strings.Repeat("select (", 3000) + "select a" + strings.Repeat(")", 3000),
		"cases":          "select " + strings.Repeat("case when a and ", 1500) + "a" + strings.Repeat(" then a end", 1500),
		"unions":         "select a" + strings.Repeat(" union select a, a", 1500),
		"joins":          "select a from t" + strings.Repeat(" join t on a and a", 1500),
		"minus":          "select " + strings.Repeat("- ", 15000) + "a",
		"arrays":         "select array" + strings.Repeat("[", 9000) + "a" + strings.Repeat("]", 9000),
		"nul":            "select a\x00 from t",
		"long":           "select " + strings.Repeat("a_long_column_name, ", 5000) + "a from t",
	} {
		st := in.Statement([]byte(text))
		if !st.Approximate || st.Command != "SELECT" {
			t.Errorf("%s: approximate=%t command=%q", name, st.Approximate, st.Command)
		}
		if len(st.Normalized) > maxNormalized {
			t.Errorf("%s: normalized text has %d bytes", name, len(st.Normalized))
		}
	}
}

// TestWideTextsReachTheParser: what is long but flat is not approximate.
func TestWideTextsReachTheParser(t *testing.T) {
	in := NewInterner(0)
	for name, text := range map[string]string{
		"columns": "select " + strings.Repeat("t.some_column, ", 1500) + "a from t",
		"and":     "select a from t where a = 1" + strings.Repeat(" and b <> c + 1", 1200),
		"when":    "select case" + strings.Repeat(" when a = 1 then 'x'", 1000) + " end",
		"depth":   "select " + strings.Repeat("f(", 150) + "a" + strings.Repeat(")", 150),
	} {
		if st := in.Statement([]byte(text)); st.Approximate {
			t.Errorf("%s: approximate", name)
		}
	}
}

func TestNormalizedIsCutInTheMiddle(t *testing.T) {
	st := NewInterner(0).Statement([]byte("select " + strings.Repeat("ä_column, ", 1000) + "a from t limit 7"))
	if n := st.Normalized; len(n) > maxNormalized || len(n) < maxNormalized-8 ||
		!strings.HasPrefix(n, "select ä_column,") || !strings.HasSuffix(n, "from t limit $1") || !strings.Contains(n, ellipsis) {
		t.Errorf("%d bytes: %.40s … %s", len(n), n, n[len(n)-40:])
	}
}

func TestFullInternerStillAnswers(t *testing.T) {
	in := NewInterner(2)
	var first [4]*record.Statement
	for i := range first {
		first[i] = in.Statement(fmt.Appendf(nil, "select a from t%c", 'a'+i))
	}
	for i, want := range first {
		got := in.Statement(fmt.Appendf(nil, "select a from t%c", 'a'+i))
		if got.Fingerprint != want.Fingerprint || (got == want) != (i < 2) {
			t.Errorf("text %d: kept=%t, fingerprints %s and %s", i, got == want, got.Fingerprint, want.Fingerprint)
		}
	}
	if in.Refused() != 4 {
		t.Errorf("refused %d times, want 4", in.Refused())
	}
}

func TestConcurrentUseKeepsOnePointer(t *testing.T) {
	in := NewInterner(0)
	var wg sync.WaitGroup
	got := make([][20]*record.Statement, 8)
	for g := range got {
		wg.Go(func() {
			for i := range got[g] {
				got[g][i] = in.Statement(fmt.Appendf(nil, "select %d from t%c", g, 'a'+i))
			}
		})
	}
	wg.Wait()
	for g := range got {
		if got[g] != got[0] {
			t.Errorf("goroutine %d was given other pointers", g)
		}
	}
}

func TestStatementDoesNotKeepText(t *testing.T) {
	in := NewInterner(0)
	text := []byte("select a from t where b = 1")
	st := in.Statement(text)
	copy(text, bytes.Repeat([]byte{'z'}, len(text)))
	if st.Normalized != "select a from t where b = $1" || st.Relations[0] != "t" {
		t.Errorf("changed with the caller's buffer: %q %q", st.Normalized, st.Relations)
	}
}

func TestCachedLookupDoesNotAllocate(t *testing.T) {
	in := NewInterner(0)
	text := []byte(benchTexts["select100"])
	in.Statement(text)
	if n := testing.AllocsPerRun(100, func() { in.Statement(text) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
