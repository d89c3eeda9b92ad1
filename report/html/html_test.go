package html

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/internal/fixture"
	"github.com/pgassay/pgassay/report/view"
)

var update = flag.Bool("update", false, "rewrite golden files")

func written(t testing.TB, r *analysis.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, view.Build(r)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const planText = `Sort  (cost=100.00..101.00 rows=400 width=8) (actual time=90.000..95.000 rows=400 loops=1)
  Sort Key: a.id
  Buffers: shared hit=1200 read=34, temp read=5 written=6
  ->  Hash Join  (cost=10.00..90.00 rows=10 width=8) (actual time=5.000..80.000 rows=400 loops=1)
        Hash Cond: (a.id = b.id)
        Buffers: shared hit=1200 read=34
        ->  Seq Scan on public.a  (cost=0.00..50.00 rows=1000 width=8) (actual time=0.010..60.000 rows=1000 loops=1)
              Filter: (note <> '<b>&'::text)
              Rows Removed by Filter: 77
              Buffers: shared hit=1000 read=34
        ->  Hash  (cost=9.00..9.00 rows=10 width=8) (actual time=4.000..4.000 rows=400 loops=1)
              Buffers: shared hit=200
              ->  Index Scan using b_pkey on public.b  (cost=0.28..9.00 rows=10 width=8) (actual time=0.020..3.000 rows=400 loops=1)
                    Buffers: shared hit=200
`

// planned is the incident with a plan of its statement, in the zone of a log
// that is not kept in UTC.
func planned(t testing.TB) *analysis.Result {
	t.Helper()
	p, _, err := explain.NewParser().Text([]byte(planText), explain.Options{Extras: true, Line: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := fixture.Incident()
	r.Zone, r.ZoneOffset = "CEST", record.Some(7200)
	r.Plans = []analysis.PlanExample{{
		Fingerprint: r.Statements[0].Fingerprint, Statement: r.Statements[0].Text, Which: "slowest", Executions: 3543,
		Pos: record.Pos{File: "postgresql.log", Line: 12}, Time: r.From, Duration: 96 * record.Millisecond,
		Plan: p, Figures: explain.Arithmetic(p),
	}}
	return r
}

var (
	stylePart  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scriptPart = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	dataPart   = regexp.MustCompile(`(?s)<script type="application/json" id="charts">(.*?)</script>`)
	policyPart = regexp.MustCompile(`content="(default-src[^"]*)"`)
)

// TestPageKeepsItsText compares everything but style, script and hashes.
func TestPageKeepsItsText(t *testing.T) {
	for name, r := range map[string]*analysis.Result{
		"incident.html": planned(t), "healthy.html": fixture.Healthy(), "empty.html": fixture.Empty(),
	} {
		got := written(t, r)
		for _, part := range []*regexp.Regexp{stylePart, scriptPart, policyPart} {
			got = part.ReplaceAllString(got, "")
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from what was written; run with -update and look at the difference", name)
		}
	}
}

func TestEqualViewsGiveEqualBytes(t *testing.T) {
	first := written(t, planned(t))
	if second := written(t, planned(t)); first != second {
		t.Error("two runs differ")
	}
}

// A hash that does not fit would leave the page without style or script.
func TestPolicyAllowsTheStyleAndTheScriptOfThePage(t *testing.T) {
	page := written(t, fixture.Incident())
	styles, scripts := stylePart.FindAllStringSubmatch(page, -1), scriptPart.FindAllStringSubmatch(page, -1)
	if len(styles) != 1 || len(scripts) != 1 {
		t.Fatalf("%d styles, %d scripts", len(styles), len(scripts))
	}
	want := policy(styles[0][1], scripts[0][1])
	if got := policyPart.FindStringSubmatch(page); got == nil || html.UnescapeString(got[1]) != want {
		t.Errorf("policy %v, want %s", got, want)
	}
	for _, s := range []string{`style="`, ` onclick`, ` onerror`, ` onload`, "javascript:", "src=", "http://", "unsafe-"} {
		if strings.Contains(scriptPart.ReplaceAllString(page, ""), s) {
			t.Errorf("the page has %q", s)
		}
	}
	if !strings.Contains(page, "Permission is hereby granted") {
		t.Error("the licence of uPlot is not in the page")
	}
}

func TestHostileTextStaysText(t *testing.T) {
	page := written(t, fixture.Hostile())
	if !utf8.ValidString(page) {
		t.Error("not UTF-8")
	}
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("%d scripts", n)
	}
	for _, r := range page {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= '\u202a' && r <= '\u202e' || r == '\u2028' {
			t.Fatalf("%q reached the page", r)
		}
	}
	var charts []chart
	if err := json.Unmarshal([]byte(dataPart.FindStringSubmatch(page)[1]), &charts); err != nil || len(charts) == 0 {
		t.Errorf("%d charts: %v", len(charts), err)
	}
	for _, c := range charts {
		for _, l := range c.Columns {
			if len(l.X) != len(l.Y) {
				t.Errorf("%s: %d x, %d y", l.Name, len(l.X), len(l.Y))
			}
		}
	}
}

// However much there is, the page can be opened and mailed.
func TestLargeResultGivesAPageOfLessThan3MB(t *testing.T) {
	r := planned(t)
	var points []finding.Point
	for i := range 20_000 {
		points = append(points, finding.Point{X: float64(int(r.From) + i*1e6), Y: float64(i*7919%100_003) / 7})
	}
	wide := finding.Series{Name: "wide", Kind: finding.SeriesTime}
	for range 3 {
		wide.Columns = append(wide.Columns, finding.Column{Name: "c", Points: points})
	}
	many := r.Findings[2]
	many.Series = []finding.Series{wide}
	for range 300 {
		r.Findings = append(r.Findings, many)
	}
	s := r.Statements[0]
	s.Text = strings.Repeat("SELECT 'long' FROM t WHERE ", 400)
	for range 5000 {
		r.Statements = append(r.Statements, s)
		r.Vacuums = append(r.Vacuums, r.Vacuums[0])
	}
	x := r.Plans[0]
	p := *x.Plan
	for range 3000 {
		n := p.Nodes[len(p.Nodes)-1]
		n.Parent = 0
		p.Nodes = append(p.Nodes, n)
	}
	x.Plan, x.Figures = &p, explain.Arithmetic(&p)
	for range 29 {
		r.Plans = append(r.Plans, x)
	}
	page := written(t, r)
	if len(page) > 3<<20 {
		t.Errorf("%d bytes", len(page))
	}
	for _, s := range []string{"points drawn", "the first 500 of 5,004", "more findings", "more charts", "more nodes", "more plans"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page does not say %q", s)
		}
	}
}

type failing struct{}

var errFull = errors.New("disk full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestErrorOfTheWriterIsReturned(t *testing.T) {
	if err := Write(failing{}, view.Build(fixture.Incident())); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	v := view.Build(planned(b))
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := Write(&out, v); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}
