package signature

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// annBuild is what pgvector said while it built an index.
type annBuild struct {
	Notice *record.Event
	// Relation is the table as the statement writes it, "" if no statement is
	// known; Known is the model's.
	Relation string
	Known    *dataset.Relation
}

// annBuilds are the notices with a count of tuples (spilled), or those without
// (little data), of logs and transcripts, in their order.
func annBuilds(m *dataset.Model, spilled bool) []annBuild {
	var out []annBuild
	add := func(e *record.Event) {
		if (e.Count > 0) != spilled {
			return
		}
		b := annBuild{Notice: e}
		if e.Statement != nil {
			b.Relation = buildTarget(e.Statement.Normalized)
		}
		if b.Relation != "" {
			b.Known = m.Relation(b.Relation)
		}
		if b.Known != nil {
			b.Relation = b.Known.Name
		}
		out = append(out, b)
	}
	for i := range m.Events {
		if m.Events[i].Kind == record.EventBuildNotice {
			add(&m.Events[i])
		}
	}
	for i := range m.Transcripts {
		for _, s := range m.Transcripts[i].Steps {
			if s.Notice != nil {
				add(s.Notice)
			}
		}
	}
	return out
}

// buildTarget is the table of a CREATE INDEX, "" of any other statement.
func buildTarget(text string) string {
	list := tokens(text)
	if len(list) < 2 || !strings.EqualFold(list[0].text, "create") {
		return ""
	}
	at := slices.IndexFunc(list, func(t token) bool { return strings.EqualFold(t.text, "on") })
	if at < 0 || !slices.ContainsFunc(list[:at], func(t token) bool { return strings.EqualFold(t.text, "index") }) {
		return ""
	}
	list = list[at+1:]
	if len(list) > 0 && strings.EqualFold(list[0].text, "only") {
		list = list[1:]
	}
	name := ""
	for i := 0; i < len(list) && list[i].kind == tokenWord; i += 2 {
		name += list[i].text
		if i+1 >= len(list) || list[i+1].text != "." {
			break
		}
		name += "."
	}
	return name
}

// rows is the number of rows of the table in the capture nearest to the build,
// 0 if unknown.
func (b *annBuild) rows() float64 {
	if b.Known == nil {
		return 0
	}
	best := 0.0
	for i := range b.Known.Points {
		if n := countedRows(&b.Known.Points[i]); n > 0 && (best == 0 || b.Notice.LogTime.Known() && b.Known.Points[i].Time <= b.Notice.LogTime) {
			best = n
		}
	}
	return best
}

// countedRows is the number of live rows of a capture: counted, else estimated.
func countedRows(p *dataset.TablePoint) float64 {
	if p.LiveTup.Known && p.LiveTup.N > 0 {
		return float64(p.LiveTup.N)
	}
	return float64(max(0, p.Reltuples.N))
}

func (b *annBuild) evidence() []finding.Evidence {
	return []finding.Evidence{{What: "event", Pos: b.Notice.Pos, Time: b.Notice.LogTime, Value: float64(b.Notice.Count), Unit: "rows", Excerpt: b.Notice.Text}}
}

// of names what was built.
func (b *annBuild) of(index string) string {
	if b.Relation == "" {
		return index
	}
	return index + " on " + b.Relation
}

// addNotices says how to get what pgvector says of a build.
const addNotices = "the output of psql with CREATE INDEX in it, or a log with log_min_messages = notice while indexes are built"
