package explain

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

const actual = "  (cost=0.00..1.00 rows=1 width=4) (actual time=0.100..0.200 rows=%s loops=%d)\n"

// line is a node's line of text with its rows, loops and shared hits.
func nodeText1(indent int, head, rows string, loops, hit int) string {
	arrow, below := "", 2
	if indent > 0 {
		arrow, below = "->  ", 6
	}
	return strings.Repeat(" ", indent) + arrow + head + fmt.Sprintf(actual, rows, loops) +
		fmt.Sprintf("%sBuffers: shared hit=%d\n", strings.Repeat(" ", indent+below), hit)
}

func TestFiguresOfWrites(t *testing.T) {
	for name, c := range map[string]struct {
		text            string
		rows, err, own  int64
		write, rowsKnow bool
	}{
		"insert": {
			nodeText1(0, "Insert on t", "0", 1, 100) + nodeText1(2, "Result", "1", 1, 1),
			100, 0, 99, true, true,
		},
		"returning": {
			nodeText1(0, "Update on t", "7", 1, 100) + nodeText1(2, "Seq Scan on t", "7", 1, 30),
			700, 0, 70, true, true,
		},
		"child in loops": {
			nodeText1(0, "Delete on t", "0", 1, 100) + nodeText1(2, "Seq Scan on t", "7", 3, 30),
			2100, 150, 70, true, true,
		},
		"child in loops, 18": {
			nodeText1(0, "Delete on t", "0.00", 1, 100) + nodeText1(2, "Seq Scan on t", "7.33", 3, 30),
			2199, 2, 70, true, true,
		},
		"on conflict": {
			nodeText1(0, "Insert on t", "0", 1, 100) + "  Tuples Inserted: 60\n  Conflicting Tuples: 40\n" +
				nodeText1(2, "Seq Scan on u", "100", 1, 30),
			10000, 0, 70, true, true,
		},
		"merge": {
			nodeText1(0, "Merge on t", "0", 1, 100) + "  Tuples: inserted=1 updated=2 deleted=3 skipped=4\n" +
				nodeText1(2, "Hash Left Join", "10", 1, 30),
			600, 0, 70, true, true,
		},
		"cte of a select": {
			nodeText1(0, "CTE Scan on w", "5", 1, 50) + "  CTE w\n" +
				nodeText1(4, "Insert on t", "5", 1, 50) + nodeText1(10, "Seq Scan on u", "5", 1, 20),
			500, 0, 30, true, true,
		},
		"select into a write": { // the CTE is spent in its scan, which is the child
			nodeText1(0, "Insert on t", "0", 1, 100) + "  CTE w\n" + nodeText1(4, "Seq Scan on u", "5", 1, 60) +
				nodeText1(2, "CTE Scan on w", "5", 1, 60),
			500, 0, 40, true, true,
		},
		"subplan of a write": {
			nodeText1(0, "Insert on t", "0", 1, 100) + nodeText1(2, "Result", "1", 1, 10) +
				"  SubPlan 1\n" + nodeText1(4, "Seq Scan on u", "9", 1, 60),
			100, 0, 30, true, true,
		},
		"select": {
			nodeText1(0, "Seq Scan on t", "0", 41000, 123),
			0, 41000 * 50, 123, false, true,
		},
	} {
		f := mustText(t, c.text).Figures
		if f.Rows != record.Rows(c.rows) || f.RowsErr != record.Rows(c.err) || f.Own.SharedHit != c.own ||
			f.IsWrite != c.write || f.HasRows != c.rowsKnow || !f.HasBuffers {
			t.Errorf("%s: %+v, want %+v", name, f, c)
		}
	}
}

// A data-modifying CTE that nobody reads runs after the tree and counts.
func TestFiguresOfAnUnreadCTE(t *testing.T) {
	for _, file := range []string{"pg12-modcte", "pg15-modcte", "pg18-modcte"} {
		f := plansOf(t, "testdata/plans/"+file+".json")[0].Figures
		if f.Rows != 2_000_000 || f.Own.SharedHit != 20179 || f.Total.SharedHit != 20179 || !f.IsWrite {
			t.Errorf("%s: %+v", file, f)
		}
	}
}

func TestFiguresOfIndexOnlyScans(t *testing.T) {
	p := mustText(t, "Nested Loop (actual time=0.055..25.396 rows=1000 loops=1)\n"+
		"  ->  Index Only Scan using a on a (actual time=0.001..0.001 rows=1000 loops=1)\n        Heap Fetches: 6\n"+
		"  ->  Index Only Scan using b on b (actual time=0.001..0.001 rows=1 loops=1000)\n        Heap Fetches: 100\n")
	if f := p.Figures; f.HeapFetches != 106 || f.IndexOnlyRows != 200_000 || !f.HasHeapFetches {
		t.Errorf("%+v", f)
	}
	if f := mustText(t, insertTree).Figures; f.HasHeapFetches {
		t.Error("heap fetches without an index only scan")
	}
}

// Loops are those of the nodes that read a table: not of joins, of what is
// written, or of the index scans below a bitmap.
func TestFiguresOfLoopsAndPlanning(t *testing.T) {
	const node = " (actual time=0.001..0.001 rows=1 loops=%d)\n"
	tree := "Insert on c" + fmt.Sprintf(node, 1) +
		"  ->  Nested Loop" + fmt.Sprintf(node, 1) +
		"        ->  Seq Scan on a" + fmt.Sprintf(node, 1) +
		"        ->  Bitmap Heap Scan on b" + fmt.Sprintf(node, 700) +
		"              ->  Bitmap Index Scan on b_i" + fmt.Sprintf(node, 700)
	f := mustText(t, tree+"Planning Time: 0.250 ms\nExecution Time: 1.000 ms\n").Figures
	if !f.HasLoops || f.Loops != 701 || !f.HasPlanning || f.Planning != 250 {
		t.Errorf("%+v, want 701 loops and 250 µs of planning", f)
	}
	f = mustText(t, "Insert on t (actual time=0.001..0.001 rows=0 loops=1)\n  ->  Result (actual time=0.001..0.001 rows=1 loops=1)\n").Figures
	if f.HasLoops || f.HasPlanning {
		t.Errorf("%+v: an insert of values reads no table, and its plan tells no planning", f)
	}
}

func TestShapeIsThePlanNotTheExecution(t *testing.T) {
	base := "Limit  (cost=0.42..0.47 rows=1 width=8)\n  ->  Index Scan using i on t a  (cost=0.42..49.09 rows=9 width=8)\n"
	shape := func(text string) uint64 { return mustText(t, text).Figures.Shape }
	for _, same := range []string{
		strings.ReplaceAll(base, "rows=9", "rows=10"),
		strings.ReplaceAll(base, "t a", "t b"),
		strings.ReplaceAll(base, "on t", "on public.t"),
		strings.ReplaceAll(base, "Index Scan", "Parallel Index Scan"),
	} {
		if shape(same) != shape(base) {
			t.Errorf("another shape:\n%s", same)
		}
	}
	for _, other := range []string{
		strings.ReplaceAll(base, "using i", "using j"),
		strings.ReplaceAll(base, "on t", "on u"),
		strings.ReplaceAll(base, "Index Scan", "Index Only Scan"),
		strings.ReplaceAll(base, "Limit", "Unique"),
	} {
		if shape(other) == shape(base) {
			t.Errorf("the same shape:\n%s", other)
		}
	}
	member := mustJSON(t, `{"Plan":{"Node Type":"ModifyTable","Operation":"Update","Plans":[{"Node Type":"A","Parent Relationship":"Member"}]}}`)
	outer := mustJSON(t, `{"Plan":{"Node Type":"ModifyTable","Operation":"Update","Plans":[{"Node Type":"A","Parent Relationship":"Outer"}]}}`)
	if member.Figures.Shape != outer.Figures.Shape {
		t.Error("the shape of a write depends on the version")
	}
}

func TestShapeTextIsCapped(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"Plan":{"Node Type":"Append","Plans":[{"Node Type":"Seq Scan"}`)
	for range 50_000 {
		b.WriteString(`,{"Node Type":"Seq Scan","Relation Name":"r"}`)
	}
	b.WriteString(`]}}`)
	if n := len(ShapeText(mustJSON(t, b.String()))); n > maxShapeText+200 {
		t.Errorf("%d bytes", n)
	}
}

func TestFiguresDoNotOverflow(t *testing.T) {
	f := mustJSON(t, `{"Plan":{"Node Type":"ModifyTable","Plans":[
		{"Node Type":"Index Only Scan","Actual Rows":9e99,"Actual Rows":1,"Actual Loops":9223372036854775807,"Heap Fetches":9223372036854775807},
		{"Node Type":"Index Only Scan","Actual Rows":9223372036854775807,"Actual Loops":9223372036854775807,"Heap Fetches":9223372036854775807}]}}`).Figures
	if f.Rows < 0 || f.HeapFetches != math.MaxInt64 || f.IndexOnlyRows < 0 || f.RowsErr < 0 {
		t.Errorf("%+v", f)
	}
}
