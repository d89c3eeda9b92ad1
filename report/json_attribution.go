package report

import "github.com/pgassay/pgassay/analysis/finding"

// jsonCause is one candidate cause; slope is null where nothing was measured.
type jsonCause struct {
	Candidate  string      `json:"candidate"`
	Verdict    string      `json:"verdict"`
	Share      *number     `json:"share"`
	Slope      *jsonFigure `json:"slope"`
	Raw        *number     `json:"raw"`
	Partial    *number     `json:"partial"`
	N          int         `json:"n"`
	EffectiveN number      `json:"effective_n"`
	Why        string      `json:"why"`
}

func attributionOf(in []finding.Attribution) []jsonCause {
	out := make([]jsonCause, 0, len(in))
	for i := range in {
		a := &in[i]
		c := jsonCause{utf8Of(a.Candidate), utf8Of(string(a.Verdict)), numberOf(a.Share), nil, numberOf(a.Raw),
			numberOf(a.Partial), a.N, number(a.EffectiveN), utf8Of(a.Why)}
		if a.Slope != nil {
			c.Slope = &figuresOf([]finding.Figure{*a.Slope})[0]
		}
		out = append(out, c)
	}
	return out
}
