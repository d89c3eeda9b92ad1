package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

const (
	bars = "▁▂▃▄▅▆▇█"
	rule = "│"
)

// timeline is the axis that all sparklines of a finding share: cells of equal
// width, some of which are taken by events.
type timeline struct {
	from, to float64 // microseconds
	cells    int
	marks    []int // cells that hold a mark, ascending
	times    []float64
}

// newTimeline spans the points of all time series. Marks are drawn while they
// leave three quarters of the cells to the values.
func newTimeline(series []view.Series, cells int) timeline {
	t := timeline{from: math.Inf(1), to: math.Inf(-1), cells: cells}
	for _, s := range series {
		if s.Raw.Kind != finding.SeriesTime {
			continue
		}
		for _, c := range s.Raw.Columns {
			for _, p := range c.Points {
				if finite(p.X) {
					t.from, t.to = math.Min(t.from, p.X), math.Max(t.to, p.X)
				}
			}
		}
	}
	for _, m := range marksOf(series) {
		t.add(float64(m.Time))
	}
	if len(t.marks) > cells/4 {
		t.marks, t.times = nil, nil
	}
	return t
}

// add places a mark; of two in the same cell the first is kept.
func (t *timeline) add(x float64) {
	if t.to <= t.from || x < t.from || x > t.to {
		return
	}
	cell := int((x - t.from) / (t.to - t.from) * float64(t.cells-1))
	if n := len(t.marks); n > 0 && t.marks[n-1] >= cell {
		return
	}
	t.marks, t.times = append(t.marks, cell), append(t.times, x)
}

// cell is where a value at x is drawn: never on a mark, and on the side of it
// that it belongs to.
func (t *timeline) cell(x float64) int {
	low, high, from, to := 0, t.cells-1, t.from, t.to
	for i, at := range t.times {
		if x < at {
			high, to = t.marks[i]-1, at
			break
		}
		low, from = t.marks[i]+1, at
	}
	if high < low || to <= from {
		return -1
	}
	return min(low+int((x-from)/(to-from)*float64(high-low+1)), high)
}

// spark draws one column as the mean of each cell. first and last are the
// means at the ends; ok is false if there is nothing to draw.
func (t *timeline) spark(points []finding.Point) (line string, first, last float64, ok bool) {
	sum, n := make([]float64, t.cells), make([]float64, t.cells)
	for _, p := range points {
		if !finite(p.X) || !finite(p.Y) {
			continue
		}
		if c := t.cell(p.X); c >= 0 {
			sum[c] += p.Y
			n[c]++
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for c := range sum {
		if n[c] == 0 {
			continue
		}
		sum[c] /= n[c]
		low, high = math.Min(low, sum[c]), math.Max(high, sum[c])
		if !ok {
			first, ok = sum[c], true
		}
		last = sum[c]
	}
	return t.draw(sum, n, floor(low, high), high), first, last, ok
}

// floor is the value of the lowest bar: the smallest value, or zero where the
// values differ so little that the noise would fill the line.
func floor(low, high float64) float64 {
	if low > 0 && high < 1.25*low {
		return 0
	}
	return low
}

func (t *timeline) draw(mean, n []float64, low, high float64) string {
	var b strings.Builder
	levels := []rune(bars)
	mark := 0
	for c := range mean {
		switch {
		case mark < len(t.marks) && t.marks[mark] == c:
			b.WriteString(rule)
			mark++
		case n[c] == 0:
			b.WriteByte(' ')
		case high <= low:
			b.WriteRune(levels[0])
		default:
			b.WriteRune(levels[level((mean[c]-low)/(high-low), len(levels)-1)])
		}
	}
	return b.String()
}

// level rounds a share of one to 0 … top; what is no share is 0.
func level(share float64, top int) int {
	if !(share > 0) {
		return 0
	}
	return int(math.Min(share, 1)*float64(top) + 0.5)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// marksOf are the marks of all time series, each once, in order of time.
func marksOf(series []view.Series) []finding.Mark {
	var out []finding.Mark
	seen := map[finding.Mark]bool{}
	for _, s := range series {
		if s.Raw.Kind != finding.SeriesTime {
			continue
		}
		for _, m := range s.Raw.Marks {
			if view.Known(m.Time) && !seen[m] {
				seen[m] = true
				out = append(out, m)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Mark) int { return cmp.Compare(a.Time, b.Time) })
	return out
}
