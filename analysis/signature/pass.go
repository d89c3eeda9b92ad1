package signature

import (
	"cmp"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/analysis/stats"
)

// Pass is one run of all signatures over one model.
type Pass struct {
	Model        *dataset.Model
	Findings     []finding.Finding
	Evaluated    []string
	NotEvaluated []NotEvaluated

	now    *Signature
	lacked bool
	set    Thresholds
	tests  []*float64
	cache  map[string]any
}

// NotEvaluated says what a signature lacked and what would supply it.
type NotEvaluated struct {
	ID, Name, Lacks, Add string
}

// Thresholds are values in place of the defaults, by name as in
// "PGA101.min_step". Names that no signature declares have no effect.
type Thresholds map[string]float64

// Run evaluates the signatures in order, with the thresholds that are set in
// place of their defaults. p-values of all findings are corrected together
// (Holm).
func Run(m *dataset.Model, list []*Signature, set Thresholds) *Pass {
	p := &Pass{Model: m, cache: map[string]any{}, set: set}
	for _, s := range list {
		p.now, p.lacked = s, false
		s.Detect(p)
		if !p.lacked {
			p.Evaluated = append(p.Evaluated, s.ID)
		}
	}
	stats.CorrectHolm(p.tests)
	sort.SliceStable(p.Findings, func(i, j int) bool { return before(&p.Findings[i], &p.Findings[j]) })
	p.Findings = incidents(m, p.Findings)
	return p
}

func before(a, b *finding.Finding) bool {
	if a.Severity != b.Severity {
		return a.Severity > b.Severity
	}
	if a.Share != b.Share {
		return a.Share > b.Share
	}
	if a.ID != b.ID {
		return a.ID < b.ID
	}
	return a.Fingerprint() < b.Fingerprint()
}

// Lacks marks the running signature as not evaluated: lacks completes "not
// evaluated: no …", add says what to collect.
func (p *Pass) Lacks(lacks, add string) {
	p.lacked = true
	p.NotEvaluated = append(p.NotEvaluated, NotEvaluated{ID: p.now.ID, Name: p.now.Name, Lacks: lacks, Add: add})
}

// Report adds a finding of the running signature. It sets ID, name, what is felt
// and severity, which follows from confidence, Effect and Share; small says that
// the absolute cost is below the signature's floor.
func (p *Pass) Report(f finding.Finding, small bool) {
	p.report(f, func(f *finding.Finding) finding.Severity { return severity(f, small, p.now.Max) })
}

// ReportAs adds a finding whose severity follows from the time that is left to a
// limit of the server, not from a cost. Critical needs that it is at least
// likely.
func (p *Pass) ReportAs(f finding.Finding, s finding.Severity) {
	p.report(f, func(f *finding.Finding) finding.Severity {
		if f.Confidence < finding.Likely {
			s = min(s, finding.Warning)
		}
		return min(s, p.now.Max)
	})
}

func (p *Pass) report(f finding.Finding, severity func(*finding.Finding) finding.Severity) {
	f.ID, f.Name, f.Felt = p.now.ID, p.now.Name, cmp.Or(f.Felt, p.now.Felt)
	if p.Model.Mixed() {
		f.Confidence = finding.Possible
		f.WhyConfidence += "; the input mixes several servers"
	}
	p.goThere(&f)
	f.Severity = severity(&f)
	p.Findings = append(p.Findings, f)
}

// Limits of the severity rule, the same for every signature.
const (
	criticalEffect = 3.0
	criticalShare  = 0.10
	warningEffect  = 1.5
	warningShare   = 0.02
)

// severity = effect × share, by one rule for all.
func severity(f *finding.Finding, small bool, limit finding.Severity) finding.Severity {
	s := finding.Info
	switch {
	case small:
	case f.Confidence >= finding.Likely && f.Effect >= criticalEffect && f.Share >= criticalShare:
		s = finding.Critical
	case f.Effect >= warningEffect && f.Share >= warningShare:
		s = finding.Warning
	}
	return min(s, limit)
}

// Test registers a p-value for correction and returns the pointer to put into
// a Figure.
func (p *Pass) Test(raw float64) *float64 {
	v := raw
	p.tests = append(p.tests, &v)
	return &v
}

// Tests is the number of p-values corrected together.
func (p *Pass) Tests() int { return len(p.tests) }

// limit is the running signature's threshold; the name must be declared.
func (p *Pass) limit(name string) float64 {
	for i := range p.now.Thresholds {
		if t := &p.now.Thresholds[i]; t.Name == name {
			return p.effective(p.now, t)
		}
	}
	panic("signature " + p.now.ID + " has no threshold " + name)
}

// limits are the thresholds of s by name, as set or by default.
func (p *Pass) limits(s *Signature) map[string]float64 {
	out := make(map[string]float64, len(s.Thresholds))
	for i := range s.Thresholds {
		t := &s.Thresholds[i]
		out[t.Name] = p.effective(s, t)
	}
	return out
}

func (p *Pass) effective(s *Signature, t *Threshold) float64 {
	if len(p.set) > 0 {
		if v, ok := p.set[s.ID+"."+t.Name]; ok {
			return v
		}
	}
	return t.Value
}

// shared computes a value once per pass: signatures that look at one shape
// from several sides (401 to 403, 101 and 102) share it.
func shared[T any](p *Pass, key string, compute func(*dataset.Model) T) T {
	if v, ok := p.cache[key]; ok {
		return v.(T)
	}
	v := compute(p.Model)
	p.cache[key] = v
	return v
}

// happenings are the model's, listed once per pass.
func happenings(p *Pass) []onset.Happening { return shared(p, "happenings", onset.Happenings) }
