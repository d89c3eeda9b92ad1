package signature

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/psql"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// repro is a transcript of samples/hnsw-repro: 40000 or 80000 rows.
func repro(t *testing.T, rows int) string {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("../../samples/hnsw-repro/repro-%d.txt", rows))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// fromTranscripts runs 101 and 102 on transcripts.
func fromTranscripts(t *testing.T, texts ...string) *Pass {
	t.Helper()
	b := &record.Batch{}
	for i, text := range texts {
		name := fmt.Sprintf("%d.txt", i)
		h := &source.Head{Name: name, Data: []byte(text), EOF: true, Intern: sqltext.NewInterner(100).Statement}
		d := psql.Frame.Detect(h)
		if d == nil {
			t.Fatalf("no psql output:\n%s", text)
		}
		d.Parse([]byte(text), record.Pos{File: name, Line: 1}, b)
	}
	return run(b, linearPageWalk, walkEnded)
}

// with replaces parts of a text; the test fails where there is nothing to
// replace.
func with(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("no %q in the transcript", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func TestTranscriptsOfTwoScalesConfirmTheWalk(t *testing.T) {
	for name, texts := range map[string][]string{
		"two files": {repro(t, 40000), repro(t, 80000)},
		"reversed":  {repro(t, 80000), repro(t, 40000)},
		"one file":  {repro(t, 40000) + repro(t, 80000)},
	} {
		p := fromTranscripts(t, texts...)
		f := only(t, p, "PGA101")
		if f.Confidence != finding.Confirmed || f.Severity != finding.Critical || f.Subject.Relation != "items" || f.Subject.Index != "" {
			t.Errorf("%s: %s %s (%s) on %+v", name, f.Severity, f.Confidence, f.WhyConfidence, f.Subject)
		}
		silent(t, p, "PGA102")
		for i, want := range map[int]string{
			0: "1,451 → 4,953…5,042 buffers/row: + 3,591 = 0.99x of the 3,638 pages",
			1: "1,531 buffers/row",
			3: "1,461 → 8,820…8,849 buffers/row: + 7,370 = 1.01x of the 7,275 pages",
			4: "1,581 buffers/row",
		} {
			if len(f.Figures) != 6 || f.Figures[i].Text != want {
				t.Errorf("%s: figure %d of %d: %+v", name, i, len(f.Figures), f.Figures)
				break
			}
		}
		if !strings.Contains(f.Summary, "within 5 % of the index's pages at both scales") {
			t.Errorf("%s: %s", name, f.Summary)
		}
	}
}

func TestTranscriptNamesItsPlaces(t *testing.T) {
	f := only(t, fromTranscripts(t, repro(t, 40000)), "PGA101")
	var got []string
	for _, e := range f.Evidence {
		got = append(got, fmt.Sprintf("%s %d %.0f", e.What, e.Pos.Line, e.Value))
	}
	const want = "before 18 1451, event 29 2000, size 33 3638, first 40 4953, worst 53 5042, latest 80 5042, control 67 1531"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("evidence %s\nwant %s", s, want)
	}
	if f.Onset.EventPos.Line != 29 || f.Onset.Time.Known() {
		t.Errorf("onset %+v", f.Onset)
	}
	for _, r := range f.RuledOut {
		if r.Verdict != finding.RuledOutVerdict && r.Rival != "lock waits" {
			t.Errorf("%s: %s", r.Rival, r.Verdict)
		}
	}
}

func TestConfidenceOfATranscript(t *testing.T) {
	small, large := repro(t, 40000), repro(t, 80000)
	noControl := with(t, small, "hit=1531", "hit=3000")
	flat := with(t, small, "hit=4953", "hit=1453", "hit=5041", "hit=1451", "hit=5042", "hit=1452")
	noBefore := with(t, small, "hit=1450 read=1", "hit=9", " (nnz=500) BEFORE", " (nnz=7) BEFORE")
	for name, c := range map[string]struct {
		texts []string
		want  finding.Confidence
	}{
		"one scale":                   {[]string{small}, finding.Likely},
		"the same transcript twice":   {[]string{small, small}, finding.Likely},
		"no control":                  {[]string{noControl}, finding.Possible},
		"two scales, one control":     {[]string{noControl, large}, finding.Likely},
		"two scales and one is quiet": {[]string{small, large, flat}, finding.Likely},
		"two of three scales agree":   {[]string{small, large, with(t, small, "3638", "9638")}, finding.Confirmed},
		"the baseline is another's":   {[]string{with(t, noBefore, "hit=9", "hit=1450")}, finding.Possible},
	} {
		f := only(t, fromTranscripts(t, c.texts...), "PGA101")
		if f.Confidence != c.want {
			t.Errorf("%s: %s, want %s: %s", name, f.Confidence, c.want, f.WhyConfidence)
		}
	}
}

func TestTranscriptsWithoutAWalk(t *testing.T) {
	text := repro(t, 40000)
	for name, c := range map[string]struct {
		text      string
		evaluated bool
	}{
		"nothing rises":        {with(t, text, "hit=4953", "hit=1453", "hit=5041", "hit=1451", "hit=5042", "hit=1452"), true},
		"rises by other pages": {with(t, text, "        3638", "        7638"), true},
		"large rows cost more": {with(t, text, "hit=1450 read=1", "hit=4950 read=1"), true},
		"nothing was deleted":  {with(t, text, "DELETE 2000", "DELETE 0"), false},
		"delete undone":        {with(t, text, "DELETE 2000\n", "BEGIN\nDELETE 2000\nROLLBACK\n"), false},
		"no vacuum":            {with(t, text, "VACUUM\n", ""), false},
		"other table":          {with(t, text, "VACUUM\n", "vacuum orders;\nVACUUM\n"), false},
		"other table's delete": {with(t, text, "DELETE 2000\n", "delete from orders where id < 5;\nDELETE 2000\n"), false},
		"rebuilt":              {with(t, text, "VACUUM\n", "VACUUM\nREINDEX\n"), false},
		"no sizes":             {with(t, text, "index_pages", "index_count"), false},
		"size of the table":    {with(t, text, "index_pages", "table_pages"), false},
		"no buffers":           {regexp.MustCompile(`(?m)^ *Buffers:.*\n`).ReplaceAllString(text, ""), false},
		"one plan after":       {text[:strings.Index(text, "### L2")], false},
		"cut":                  {text[:strings.Index(text, "### L1")], false},
	} {
		p := fromTranscripts(t, c.text)
		silent(t, p, "PGA101")
		silent(t, p, "PGA102")
		if got := len(p.NotEvaluated) == 0; got != c.evaluated {
			t.Errorf("%s: evaluated %v, lacks %+v", name, got, p.NotEvaluated)
		}
	}
}

func TestTranscriptsInOtherWords(t *testing.T) {
	text := repro(t, 40000)
	sized := regexp.MustCompile(` index_pages \n-+\n +3638\n`)
	size := func(s string) string { return sized.ReplaceAllLiteralString(text, s) }
	for name, text := range map[string]string{
		"bytes":        size(" pg_relation_size \n------------------\n         29802496\n"),
		"pretty":       size(" pg_size_pretty \n----------------\n 28 MB\n"),
		"expanded":     strings.ReplaceAll(size("-[ RECORD 1 ]----\nindex_pages | 3638\n"), "3638\n(1 row)\n", "3638\n"),
		"unaligned":    size("index_pages\n3638\n"),
		"several":      size(" indexname | pages \n-----------+-------\n items_vec |  3638\n items_pk  |   112\n"),
		"words only":   strings.NewReplacer(" (nnz=500)", "", " (nnz=50)", "").Replace(text),
		"no headings":  regexp.MustCompile(`(?m)^###.*\n`).ReplaceAllString(text, ""),
		"echoed":       with(t, text, "DELETE 2000\n", "delete from items where id % 20 = 0;\nDELETE 2000\n", "VACUUM\n", "vacuum public.items;\nVACUUM\n"),
		"timing":       with(t, text, "ROLLBACK\n", "Time: 5.123 ms\nROLLBACK\nTime: 0.123 ms\n"),
		"committed":    with(t, text, "DELETE 2000\n", "BEGIN\nDELETE 2000\nCOMMIT\n"),
		"size at last": sized.ReplaceAllLiteralString(text[:strings.LastIndex(text, "ROLLBACK")], "") + "ROLLBACK\n index_pages \n-------------\n        3638\n(1 row)\n",
	} {
		f := only(t, fromTranscripts(t, text), "PGA101")
		if wanted := map[string]string{"several": "items_vec"}[name]; f.Subject.Index != wanted {
			t.Errorf("%s: index %q", name, f.Subject.Index)
		}
		if named := strings.Contains(f.Actions[0].Do, "REINDEX INDEX CONCURRENTLY items_vec"); named != (name == "several") {
			t.Errorf("%s: action %s", name, f.Actions[0].Do)
		}
	}
}

func TestReindexBringsTheTranscriptBack(t *testing.T) {
	text := with(t, repro(t, 40000), "hit=1531", "hit=3000")
	before := text[strings.Index(text, "### C0"):strings.Index(text, "DELETE")]
	f := only(t, fromTranscripts(t, text+"REINDEX\n"+with(t, before, "C0", "R1", "BEFORE delete/vacuum", "after reindex")), "PGA101")
	if f.Confidence != finding.Likely || !strings.Contains(f.WhyConfidence, "REINDEX") {
		t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestContentOfHeadings(t *testing.T) {
	for heading, want := range map[string]string{
		"C0 large insert (nnz=500) BEFORE delete/vacuum":   "nnz=500",
		"L3 large insert (nnz=500), after a small insert":  "nnz=500",
		"L1 (nnz=500, first)":                              "nnz=500",
		"L1 (large row, repeat)":                           "large row",
		"C0 large insert BEFORE delete/vacuum":             "large insert",
		"L1 large insert, first after vacuum":              "large insert",
		"After the vacuum: large insert":                   "large insert",
		"Step 3: large insert":                             "large insert",
		"large insert, run 2":                              "large insert",
		"2. insert of 100 rows":                            "insert 100 rows",
		"before":                                           "",
		"((((":                                             "",
		"grosse Zeile (nnz=500)":                           "nnz=500",
		"insert ()":                                        "insert",
		"L2 (a=1) again (b=2)":                             "a=1, b=2",
		"repeat after rollback (large), nothing else done": "large",
	} {
		if got := contentOf(heading); got != want {
			t.Errorf("%q: %q, want %q", heading, got, want)
		}
	}
}

// Many experiments are one finding that stays readable.
func TestManyExperimentsAreListedInPart(t *testing.T) {
	var texts []string
	for i := range 30 {
		texts = append(texts, with(t, repro(t, 40000), "hit=4953", fmt.Sprintf("hit=%d", 4953+i)))
	}
	f := only(t, fromTranscripts(t, texts...), "PGA101")
	if len(f.Figures) != 3*maxScales || len(f.Notes) == 0 || f.Confidence != finding.Likely {
		t.Errorf("%d figures, %s, notes %v", len(f.Figures), f.Confidence, f.Notes)
	}
}

// The work on a transcript grows with its length, whatever is in it.
func BenchmarkLongTranscript(b *testing.B) {
	x := &experiment{sizes: map[sizeKey][]experimentSize{}}
	s := &dataset.Statement{Statement: &record.Statement{Target: "items", Fingerprint: "f", Command: "INSERT"}}
	const n = 100_000
	for i := range n {
		k := sizeKey{fmt.Sprint(i % 50), "pages"}
		x.sizes[k] = append(x.sizes[k], experimentSize{at: i, pages: 10 + float64(i)})
		if i < 50 {
			x.keys = append(x.keys, k)
		}
		e := &dataset.Execution{Exec: &dataset.Exec{Figures: &record.Figures{}}, Statement: s}
		x.writes = append(x.writes, experimentWrite{costPoint: costPoint{Rows: 1, Buffers: float64(100 + 7*(i%97)), Exec: e}, at: i, content: fmt.Sprint(i % (n / 4))})
		if i%3 == 0 {
			x.cleanings = append(x.cleanings, cleaning{i, &record.Event{}, &record.Event{}})
		}
	}
	for b.Loop() {
		w := transcriptWalks{bySubject: map[walkSubject][]*walkScale{}, flat: map[walkSubject]int{}}
		w.add(x, transcriptLimits{lo: 0.95, hi: 1.05, minStep: 1.2, plans: 2})
	}
}
