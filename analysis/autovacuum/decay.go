package autovacuum

import "math"

// Visible is the share of pages that are still all-visible after so many
// touches of pages chosen at random:
//
//	visible(k) = visible(0) · (1 − 1/pages)^k
//
// Measured with random single-row updates of 200,000 rows on PostgreSQL 17 it is
// right within a percent of the pages. Skewed writes touch fewer pages, so that
// fewer are lost; reads that prefer the pages that are written lose more.
func Visible(start, pages, touches float64) float64 {
	if !(pages >= 1) {
		return math.NaN()
	}
	if touches <= 0 {
		return start
	}
	if pages == 1 {
		return 0
	}
	return start * math.Exp(touches*math.Log1p(-1/pages))
}

// Touches is the inverse of Visible: how many touches bring the share down to
// visible. 0 if it is there from the start, +Inf for a share of 0.
func Touches(start, pages, visible float64) float64 {
	switch {
	case !(pages >= 1) || math.IsNaN(visible) || math.IsNaN(start):
		return math.NaN()
	case visible >= start:
		return 0
	case visible <= 0:
		return math.Inf(1)
	case pages == 1:
		return 1
	}
	return math.Log(visible/start) / math.Log1p(-1/pages)
}

// Workload is what clears the visibility map of a table, and who feels it.
type Workload struct {
	Pages   float64 // of the table
	Visible float64 // share that is all-visible right after a vacuum
	// Low and High are the touches of old pages per second: rows that are updated
	// or deleted, and with them those that are written into space that others
	// left.
	Low, High float64
	// Growth is new pages per second; Inserts rows per second.
	Growth, Inserts float64
	// Window is how many of the newest rows the query reads, 0 for a query that
	// reads old and new alike.
	Window float64
	// Skew multiplies High where queries were seen to lose more than High
	// explains; at least 1.
	Skew float64
}

// Lost is the share of the rows read that lie on pages not all-visible, seconds
// after a vacuum, by the lower and by the upper number of touches.
func (w Workload) Lost(seconds float64) (low, high float64) {
	fresh := w.fresh(seconds)
	at := func(rate float64) float64 {
		return fresh + (1-fresh)*(1-Visible(w.Visible, w.Pages, rate*seconds))
	}
	return at(w.Low), at(w.High * max(1, w.Skew))
}

// fresh is the share of the rows read that were written into new pages since the
// vacuum.
func (w Workload) fresh(seconds float64) float64 {
	if w.Window > 0 {
		return min(1, w.Inserts*seconds/w.Window)
	}
	grown := w.Growth * seconds
	return grown / (w.Pages + grown)
}

// longest bounds what Within answers, in seconds: a century.
const longest = 100 * 365.25 * 86400

// Within is for how many seconds after a vacuum the upper share lost stays
// within tolerated: 0 if not even right after it, longest if always.
func (w Workload) Within(tolerated float64) float64 {
	above := func(t float64) bool { _, high := w.Lost(t); return high > tolerated }
	switch {
	case above(0):
		return 0
	case !above(longest):
		return longest
	}
	lo, hi := 0.0, longest
	for range 100 {
		mid := (lo + hi) / 2
		if mid > 1 && lo > 0 {
			mid = math.Sqrt(lo * hi)
		}
		if above(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}
