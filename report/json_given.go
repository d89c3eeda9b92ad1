package report

import "github.com/pgassay/pgassay/analysis"

// jsonSeriesGiven is a series of the user's and what explains it.
type jsonSeriesGiven struct {
	Name        string      `json:"name"`
	Unit        string      `json:"unit"`
	From        *string     `json:"from"`
	To          *string     `json:"to"`
	N           int         `json:"n"`
	First       number      `json:"first"`
	Last        number      `json:"last"`
	Attribution []jsonCause `json:"attribution"`
}

func seriesGivenOf(in []analysis.Given) []jsonSeriesGiven {
	out := make([]jsonSeriesGiven, 0, len(in))
	for i := range in {
		g := &in[i]
		out = append(out, jsonSeriesGiven{utf8Of(g.Name), utf8Of(g.Unit), optional(g.From), optional(g.To), g.N,
			number(g.First), number(g.Last), attributionOf(g.Attribution)})
	}
	return out
}

// jsonCrossing is when a statement passes a limit of the user's: since when, or
// when, with null for never.
type jsonCrossing struct {
	SLO         string  `json:"slo"`
	Fingerprint string  `json:"fingerprint"`
	Statement   string  `json:"statement"`
	Now         number  `json:"now"`
	Limit       number  `json:"limit"`
	Since       *string `json:"since"`
	At          *string `json:"at"`
	Earliest    *string `json:"earliest"`
	Latest      *string `json:"latest"`
	N           int     `json:"n"`
}

func crossingsOf(in []analysis.Crossing) []jsonCrossing {
	out := make([]jsonCrossing, 0, len(in))
	for i := range in {
		c := &in[i]
		out = append(out, jsonCrossing{utf8Of(c.SLO.Text), utf8Of(c.Fingerprint), utf8Of(c.Statement), number(c.Now), number(c.SLO.Limit),
			optional(c.Since), optional(c.At), optional(c.Earliest), optional(c.Latest), c.N})
	}
	return out
}
