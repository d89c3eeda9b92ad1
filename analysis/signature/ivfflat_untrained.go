package signature

import (
	"fmt"
	"math"
	"regexp"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var ivfflatUntrained = &Signature{
	ID: "PGA607", Name: "ivfflat-untrained", Max: finding.Info,
	Felt: "A search for similar rows misses rows that are near",
	What: "An IVFFlat index was built from too few rows, or its table has grown many times since: its lists do not fit the data, and searches miss rows.",
	Why: "IVFFlat finds the centers of its lists once, from the rows that are there when it is built. Rows that come later go to the nearest center, however far. " +
		"A search reads ivfflat.probes lists (1 by default): rows that belong elsewhere are not found, and lists that became long are slow.",
	Fix:    "Build the index after the data is loaded, with lists = rows ÷ 1,000 (up to a million rows, the square root above), and rebuild it when the table has grown many times. Or use HNSW, which needs no training.",
	Verify: "The build gives no NOTICE; searches return what an exact search does (enable_indexscan = off).",
	Needs:  []Need{{"L", "NOTICE lines of index builds: psql's output, or log_min_messages = notice"}, {"S", "or snapshots over time of pg_stat_user_tables and pg_stat_user_indexes with indexdef"}},
	Silent: []string{"HNSW indexes", "growth within the limit", "an index rebuilt since"},
	Thresholds: []Threshold{
		{"min_growth", 10, "x", "rows now ÷ rows when the present index was first seen"},
		{"min_rows", 1000, "rows", "now: fewer are searched exactly as fast"},
	},
	Detect: detectUntrained,
}

func detectUntrained(p *Pass) {
	builds := annBuilds(p.Model, false)
	told := len(builds) > 0 || len(annBuilds(p.Model, true)) > 0
	for i := range builds {
		p.Report(builds[i].untrained(), false)
	}
	for _, r := range p.Model.Relations {
		for _, x := range r.Indexes {
			told = told || methodOf(x) != "" && len(r.Points) > 1
			if methodOf(x) == "ivfflat" {
				p.reportOutgrown(x)
			}
		}
	}
	if !told {
		p.Lacks("no messages of builds of vector indexes and no snapshots over time with indexdef in input", addNotices+", or snapshots")
	}
}

func (b *annBuild) untrained() finding.Finding {
	f := finding.Finding{
		Subject:       finding.Subject{Relation: b.Relation},
		Title:         fmt.Sprintf("%s was built from too little data", b.of("An IVFFlat index")),
		Summary:       "pgvector built the index from fewer rows than it has lists: most lists have no center of their own, and searches miss rows.",
		Effect:        1,
		N:             "1 build",
		Evidence:      b.evidence(),
		Confidence:    finding.Likely,
		WhyConfidence: "event: pgvector says so; equation: fewer rows than lists; missing: searches compared with exact ones",
	}
	if rows := b.rows(); rows > 0 {
		f.Figures = []finding.Figure{{What: "rows of the table", Value: rows, Unit: "rows", Text: counted(rows)}}
	}
	if b.Notice.LogTime.Known() {
		f.Onset = &finding.Onset{Time: b.Notice.LogTime, EventTime: b.Notice.LogTime, EventPos: b.Notice.Pos, Event: "build of " + b.of("an IVFFlat index"), End: record.NoTime}
	}
	untrainedRemedy(&f, "the index", b.rows())
	return f
}

// listsOption is the number of lists in an index definition.
var listsOption = regexp.MustCompile(`lists\s*=\s*'?(\d+)`)

// reportOutgrown compares the rows of the table when the present index was first
// seen with those of the last capture.
func (p *Pass) reportOutgrown(x *dataset.Index) {
	var first, last *dataset.TablePoint
	for i := range x.Relation.Points {
		t := &x.Relation.Points[i]
		if !t.Time.Known() || countedRows(t) == 0 || t.Time < x.Since() || len(x.Points) == 0 || t.Time < x.Points[0].Time {
			continue
		}
		if first == nil {
			first = t
		}
		last = t
	}
	if first == nil || countedRows(last) < p.limit("min_rows") || countedRows(last) < p.limit("min_growth")*countedRows(first) {
		return
	}
	then, now := countedRows(first), countedRows(last)
	f := finding.Finding{
		Subject: finding.Subject{Relation: x.Relation.Name, Index: x.Name},
		Title:   fmt.Sprintf("%s has grown %s since its IVFFlat index %s was built", x.Relation.Name, times(now/then), x.Index),
		Summary: fmt.Sprintf("The lists of %s were made for %s rows at most; the table has %s. Rows that came later lie in lists that were not made for them.", x.Index, counted(then), counted(now)),
		Effect:  ratio(now, then),
		N:       plural(len(x.Relation.Points), "capture"),
		Evidence: []finding.Evidence{
			{What: "first", Pos: first.Pos, Time: first.Time, Value: then, Unit: "rows"},
			{What: "latest", Pos: last.Pos, Time: last.Time, Value: now, Unit: "rows"},
		},
		Figures: []finding.Figure{
			{What: "rows when the index was first seen", Value: then, Unit: "rows", Text: counted(then)},
			{What: "rows now", Value: now, Unit: "rows", Text: counted(now), Limit: fmt.Sprintf("< %g times those", p.limit("min_growth")), Says: times(now / then)},
		},
		Confidence:    finding.Possible,
		WhyConfidence: "equation: rows now ÷ rows then; missing: searches compared with exact ones: rows that are spread as those before do no harm but longer lists",
	}
	if m := listsOption.FindStringSubmatch(x.Definition); m != nil {
		lists, _ := leadingNumber(m[1])
		f.Figures = append(f.Figures, finding.Figure{What: "lists", Value: lists, Unit: "lists", Says: fmt.Sprintf("%s rows each; pgvector's rule gives %s", num(now/max(1, lists)), num(listsFor(now)))})
	}
	untrainedRemedy(&f, x.SQL(), now)
	p.Report(f, false)
}

// listsFor is pgvector's rule: rows ÷ 1,000 up to a million rows, the square root
// above (its README, "IVFFlat").
func listsFor(rows float64) float64 {
	if rows > 1e6 {
		return math.Round(math.Sqrt(rows))
	}
	return max(1, math.Round(rows/1000))
}

func untrainedRemedy(f *finding.Finding, index string, rows float64) {
	size := "lists = rows ÷ 1,000 (the square root above a million)"
	if rows > 0 {
		size = fmt.Sprintf("lists = %s for %s rows", num0(listsFor(rows)), counted(rows))
	}
	if f.Subject.Index != "" {
		f.Actions = append(f.Actions, finding.Action{SQL: true, Do: "REINDEX INDEX CONCURRENTLY " + index + ";", Cost: "finds new centers, with the same number of lists; free disk for a second index; cannot run inside a transaction block"})
	}
	f.Actions = append(f.Actions, finding.Action{Do: "Or build it anew when the data is there, with " + size + "; or an HNSW index in its place.", Cost: "a build; HNSW takes longer to build and more memory, and needs no training"})
	f.RuledOut = append(f.RuledOut, notMeasurable("enough recall all the same", "the results of searches are not in the input"))
	f.WillNotHelp = []string{"VACUUM or ANALYZE: they do not move rows between lists"}
	f.Verify = []string{"compare a search with the exact one: BEGIN; SET LOCAL enable_indexscan = off; and the statement; a larger ivfflat.probes closes the gap until the index is rebuilt"}
}
