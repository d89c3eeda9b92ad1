package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var buildSpilled = &Signature{
	ID: "PGA606", Name: "build-spilled", Max: finding.Warning,
	Felt: "The build of an HNSW index takes hours",
	What: "The build of an HNSW index ran out of memory: its graph no longer fitted into maintenance_work_mem, and each further row was inserted on disk.",
	Why: "pgvector builds the graph in memory, several times faster than by inserts. When maintenance_work_mem is full it writes the graph out, and adds the rest of the rows one by one as an INSERT does. " +
		"It says so in a NOTICE to the client only.",
	Fix:    "Set maintenance_work_mem for the session that builds the index to what the whole graph needs, and leave room in the machine for it.",
	Verify: "The build gives no such NOTICE.",
	Needs:  []Need{{"L", "NOTICE lines of index builds: psql's output, or log_min_messages = notice"}},
	Silent: []string{"builds that stay in memory", "slow inserts into a finished index (PGA101)"},
	Thresholds: []Threshold{
		{"min_ratio", 1.5, "x", "rows of the table ÷ rows that fitted, from which the finding is more than info"},
	},
	Detect: detectBuildSpilled,
}

func detectBuildSpilled(p *Pass) {
	all := annBuilds(p.Model, true)
	if len(all) == 0 && len(annBuilds(p.Model, false)) == 0 {
		p.Lacks("no messages of builds of vector indexes in input", addNotices)
		return
	}
	for i := range all {
		b := &all[i]
		f := b.spilled(p)
		p.Report(f, f.Effect < p.limit("min_ratio"))
	}
}

// buildMemory is maintenance_work_mem in kB, and where it is from.
func buildMemory(p *Pass) (kb float64, told string) {
	if s, ok := p.Model.Setting("maintenance_work_mem"); ok {
		if kb, ok := kilobytes(s.Value + s.Unit); ok && kb > 0 {
			return kb, "as the server's settings have it; the session may have set another"
		}
	}
	return 64 * 1024, "the default: not in the input"
}

// spilled extrapolates the memory: the graph grows with its rows, so that the
// whole needs memory × rows ÷ rows that fitted.
func (b *annBuild) spilled(p *Pass) finding.Finding {
	fitted, rows := float64(b.Notice.Count), b.rows()
	kb, told := buildMemory(p)
	f := finding.Finding{
		Subject:  finding.Subject{Relation: b.Relation},
		Title:    fmt.Sprintf("The build of %s left memory after %s rows", b.of("an HNSW index"), counted(fitted)),
		Summary:  fmt.Sprintf("After %s rows the graph no longer fitted into maintenance_work_mem; the rest were inserted one by one. ", counted(fitted)),
		Effect:   1,
		N:        "1 build",
		Evidence: b.evidence(),
		Figures: []finding.Figure{
			{What: "rows that fitted", Value: fitted, Unit: "rows", Text: counted(fitted)},
			{What: "maintenance_work_mem", Value: kb, Unit: "kB", Text: bytesText(kb * 1024), Says: told},
		},
		Confidence:    finding.Likely,
		WhyConfidence: "event: pgvector says so; equation: memory × rows ÷ rows that fitted; missing: a build in memory to compare with",
		WillNotHelp:   []string{"work_mem, or shared_buffers: the graph is built in maintenance_work_mem", "more parallel workers, before the graph fits: they share that memory"},
		Verify:        []string{"the build gives no NOTICE \"hnsw graph no longer fits into maintenance_work_mem\"", "select phase, tuples_done, tuples_total from pg_stat_progress_create_index; the pace stays even"},
	}
	if b.Notice.LogTime.Known() {
		f.Onset = &finding.Onset{Time: b.Notice.LogTime, EventTime: b.Notice.LogTime, EventPos: b.Notice.Pos, Event: "build of " + b.of("an HNSW index"), End: record.NoTime}
	}
	if rows <= fitted {
		f.RuledOut = append(f.RuledOut, notMeasurable("few rows left", "the rows of the table are not in the input"))
		f.Actions = []finding.Action{{Do: fmt.Sprintf("Before the next build: SET maintenance_work_mem to what it is now × the rows of the table ÷ %s, and a tenth more.", counted(fitted)), Cost: "memory of the machine, while the index is built"}}
		return f
	}
	need := kb * rows / fitted
	f.Effect = ratio(rows, fitted)
	f.Summary += fmt.Sprintf("The table has %s: the whole graph needs about %s.", counted(rows), bytesText(need*1024))
	f.Figures = append(f.Figures, finding.Figure{What: "rows of the table", Value: rows, Unit: "rows", Text: counted(rows), Says: times(rows/fitted) + " of those that fitted"},
		finding.Figure{What: "memory for the whole graph", Value: need * 1024, Unit: "bytes", Text: bytesText(need * 1024), Says: "extrapolated by rows"})
	f.RuledOut = append(f.RuledOut, finding.RuledOut{Rival: "few rows left", Verdict: finding.RuledOutVerdict, Figure: percent(1-fitted/rows) + " of the rows came after it"})
	f.Actions = []finding.Action{{SQL: true, Do: "SET maintenance_work_mem = '" + memorySetting(need*1.1) + "';",
		Cost: "in the session that builds the index; that much memory of the machine while it builds, beside shared_buffers; a container's shared memory (--shm-size) must allow it for parallel builds"},
		{Do: "Or build a smaller graph: halfvec in place of vector, or a smaller m.", Cost: "less recall, by little for halfvec"}}
	f.Share, _ = p.buildShare(b)
	return f
}

// buildShare is what the build took of the observed server time, where the log
// has its duration.
func (p *Pass) buildShare(b *annBuild) (float64, bool) {
	all := p.Model.ServerTime()
	if b.Notice.Statement == nil || all == 0 {
		return 0, false
	}
	for _, e := range p.Model.Executions {
		if e.Session == b.Notice.Session && e.Statement.Fingerprint == b.Notice.Statement.Fingerprint && e.Start <= b.Notice.LogTime && e.Time >= b.Notice.LogTime {
			return float64(e.ServerTime()) / float64(all), true
		}
	}
	return 0, false
}
