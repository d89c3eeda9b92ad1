package signature

import (
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/stats"
)

// mixed reports that the request holds another number of children than its
// parent had rows.
func (r *request) mixed() bool {
	p := r.parent.Figures
	return p != nil && math.Abs(float64(r.n)-p.Rows.Float()) > max(1, rowsAgree*p.Rows.Float())
}

// interleaved reports that most requests are mixed: a pooler, or a client that
// does not wait, mixes several requests in one session, so that none can be
// timed.
func interleaved(requests []request) bool {
	apart := 0
	for i := range requests {
		if requests[i].mixed() {
			apart++
		}
	}
	return 2*apart > len(requests)
}

// leaveMixedOut keeps the requests that stayed alone in their session where
// some did not: the others hold children of several requests, and their N and
// wall time are nobody's.
func (g *fanOutGroup) leaveMixedOut() {
	if g.interleaved {
		return
	}
	var alone []request
	for i := range g.requests {
		if !g.requests[i].mixed() {
			alone = append(alone, g.requests[i])
		}
	}
	g.mixed = len(g.requests) - len(alone)
	g.requests = alone
}

// unlikeParents is interleaved for a log without plans, where each row of the
// parent has its child: then runs of the parent with the same parameters, one
// after another, give about as many rows and children. Where they do not, the
// children are not only theirs.
func unlikeParents(requests []request) bool {
	last := map[string]int{}
	var change []float64
	for i := range requests {
		r := &requests[i]
		p := r.parent.Parameters
		if p == "" && strings.Contains(r.parent.Statement.Statement.Normalized, "$") {
			continue
		}
		if n, ok := last[p]; ok {
			change = append(change, math.Abs(float64(r.n-n))/float64(max(r.n, n)))
		}
		last[p] = r.n
	}
	return len(change) >= fanOutRequests && 2*len(change) >= len(requests) && stats.Median(change) > steadyChange
}
