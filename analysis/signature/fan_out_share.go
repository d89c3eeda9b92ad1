package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
)

// shareSeries is the server's share of a request against its number of children:
// where it falls, it is not the server that makes the request slow.
func (g *fanOutGroup) shareSeries() finding.Series {
	var points []finding.Point
	for _, i := range thinRows(allRows(len(g.requests)), seriesPoints) {
		r := &g.requests[i]
		if wall := r.wall(); wall > 0 {
			points = append(points, finding.Point{X: float64(r.n), Y: 100 * r.server.Milliseconds() / wall})
		}
	}
	name := fmt.Sprintf("The server works for %s of a request", percent(g.top().share()))
	if g.varies() {
		name = fmt.Sprintf("The server works for %s of a request with %s children, for %s with %s",
			percent(g.bottom().share()), whole(g.bottom().n), percent(g.top().share()), whole(g.top().n))
	}
	return finding.Series{
		Name: name, Kind: finding.SeriesScatter, XLabel: "children per request", YLabel: "server's share (%)",
		Columns: []finding.Column{{Name: "requests", Unit: "%", Points: points}},
	}
}
