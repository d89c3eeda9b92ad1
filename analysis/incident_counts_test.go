package analysis

import (
	"fmt"
	"math"
)

// countedBase is six hours of pg_stat_statements, a capture every quarter of an
// hour, of an application whose load swings by 40 %.
type countedBase struct {
	lists    float64  // a second, on average
	rows     int64    // of a list, each asked for by itself
	children []string // one call of each for a row
	childMS  float64
	listMS   float64
	reportMS float64 // of the statement that a ranking by mean shows, one a second
}

func (c countedBase) files(seed uint64) map[string][]byte {
	w := newIncident(seed)
	w.settings("server_version", "16.9")
	var lists, reports int64
	for k := range 25 {
		t := float64(k) * 15 * minute
		w.statement(t, 1, "select id from orders where customer_id = $1 order by id desc limit $2", lists, float64(lists)*c.listMS, lists*c.rows, lists*6, 0)
		w.statement(t, 2, "select day, sum(total) from orders where day > $1 group by day", reports, float64(reports)*c.reportMS, reports*7, reports*900, 0)
		for i, child := range c.children {
			cut := int64(w.draw.IntN(20)) // of a request that the capture cuts
			calls := max(0, lists*c.rows-cut)
			w.statement(t, 3+i, child, calls, float64(calls)*c.childMS, calls, calls*4, 0)
		}
		load := c.lists * (1 + 0.4*math.Sin(float64(k)))
		lists += int64(load * 15 * minute)
		reports += int64(15 * minute * (1 + 0.3*w.draw.Float64()))
	}
	return w.files()
}

// incidentLookups makes n lookups of one row each.
func incidentLookups(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("select name from products_%d where id = $1", i+1))
	}
	return out
}

// incidentORMCounts is (a): 8.7 million calls of 0.3 ms in six hours.
func incidentORMCounts() map[string][]byte {
	return countedBase{lists: 20, rows: 20, children: incidentLookups(1), childMS: 0.3, listMS: 1.2, reportMS: 60}.files(141)
}

// incidentMillion is (b): below 2 ms, about a million calls an hour.
func incidentMillion() map[string][]byte {
	return countedBase{lists: 28, rows: 10, children: incidentLookups(1), childMS: 1.5, listMS: 2, reportMS: 90}.files(142)
}

// incidentFourLookups is (c): four lookups of single rows are 63 % of the time.
func incidentFourLookups() map[string][]byte {
	return countedBase{lists: 10, rows: 10, children: incidentLookups(4), childMS: 0.5, listMS: 3, reportMS: 87}.files(143)
}
