package signature

import (
	"github.com/pgassay/pgassay/analysis/attribution"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
)

// collector makes the frames of the pass's model.
func (p *Pass) collector() *series.Collector { return shared(p, "series", series.New) }

// attribute weighs what may explain a cost and gives the table for a finding.
// Its p-values are corrected over the run.
func (p *Pass) attribute(q attribution.Question) (attribution.Answer, []finding.Attribution) {
	a := attribution.Ask(q)
	return a, a.Table(q.Limits, p.Test)
}

// attribution weighs the walk against everything else that varies over its
// readings after the transition.
func (w *walk) attribution(p *Pass) []finding.Attribution {
	spans := make([]series.Span, len(w.After))
	upper := make([]float64, len(w.After))
	for i, r := range w.After {
		spans[i], upper[i] = series.Span{From: r.From, To: r.To}, r.Upper
	}
	q := attribution.Question{Frame: p.collector().FrameOver(w.Statement, spans), Cost: series.BuffersPerRow,
		Baseline: w.Baseline, Limits: attribution.DefaultLimits()}
	if q.Frame == nil {
		return nil
	}
	if w.Mixed {
		q.Frame.Set(series.BuffersPerRow, upper)
	}
	if w.named() {
		q.Named = w.Index
	}
	lim := walkLimitsOf(p.limits(p.now))
	q.Limits.SlopeMin, q.Limits.SlopeMax, q.Limits.Level = lim.slopeLo, lim.slopeHi, lim.levelTolerance
	_, table := p.attribute(q)
	return table
}

// costlyShare is the share of the observed server time below which a statement's
// cost is not followed over time. It bounds the frames of a pass.
const costlyShare = 0.005

// costly are the statements that take a share of the server time worth
// following, by the log or by pg_stat_statements; in the order of the model.
func (p *Pass) costly() []*dataset.Statement {
	return shared(p, "costly", func(m *dataset.Model) []*dataset.Statement {
		var logged, counted float64
		for _, s := range m.Statements {
			logged += float64(s.Total)
			counted += diffTime(s)
		}
		var out []*dataset.Statement
		for _, s := range m.Statements {
			if float64(s.Total) > costlyShare*logged || diffTime(s) > costlyShare*counted {
				out = append(out, s)
			}
		}
		return out
	})
}

// frame is the independent readings of a costly statement, made once per pass;
// nil if it has none.
func (p *Pass) frame(s *dataset.Statement) *series.Frame {
	return shared(p, "frame "+s.Fingerprint, func(*dataset.Model) *series.Frame { return p.collector().Frame(s) })
}

// diffTime is the statement's time in pg_stat_statements over all differences,
// in ms.
func diffTime(s *dataset.Statement) float64 {
	sum := 0.0
	for i := range s.Diffs {
		sum += s.Diffs[i].ExecTime
	}
	return sum
}
