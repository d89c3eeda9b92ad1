package onset

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// rebuilds are the changes of relfilenode or OID between two captures.
func rebuilds(m *dataset.Model) []Happening {
	var out []Happening
	for _, r := range m.Relations {
		for _, x := range r.Indexes {
			for _, b := range x.Rebuilt {
				out = append(out, Happening{Kind: Reindex, Start: b.After, End: b.By, Within: true, Pos: b.Pos,
					Relation: r, Index: x, Text: "rebuild of index " + x.Index, table: r.Relation, index: x.Index})
			}
		}
	}
	return out
}

// sameCapture is how far the rows of one capture may stand apart.
const sameCapture = record.Second

// appearances are the indexes that a later capture shows first, or an earlier
// one last, than other captures of their table. What REINDEX CONCURRENTLY leaves
// for a while is none.
func appearances(m *dataset.Model) []Happening {
	var out []Happening
	for _, r := range m.Relations {
		times := captureTimes(r)
		for _, x := range r.Indexes {
			first, last := timed(x.Points)
			if first == nil || strings.Contains(x.Index, "_ccnew") || strings.Contains(x.Index, "_ccold") {
				continue
			}
			h := Happening{Within: true, Relation: r, Index: x, table: r.Relation, index: x.Index}
			if before, ok := lastBefore(times, first.Time.Add(-sameCapture)); ok {
				h.Kind, h.Start, h.End, h.Pos, h.Text = CreateIndex, before, first.Time, first.Pos, "creation of index "+x.Index
				out = append(out, h)
			}
			if i, _ := slices.BinarySearch(times, last.Time.Add(sameCapture)); i < len(times) {
				h.Kind, h.Start, h.End, h.Pos, h.Text = DropIndex, last.Time, times[i], last.Pos, "drop of index "+x.Index
				out = append(out, h)
			}
		}
	}
	return out
}

// captureTimes are the times at which indexes of the table were captured.
func captureTimes(r *dataset.Relation) []record.Time {
	var out []record.Time
	for _, x := range r.Indexes {
		for i := range x.Points {
			if t := x.Points[i].Time; t.Known() {
				out = append(out, t)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// timed are the first and the last of the points that have a time; nil if none
// has.
func timed(points []dataset.IndexPoint) (first, last *dataset.IndexPoint) {
	for i := range points {
		if p := &points[i]; p.Time.Known() {
			if first == nil {
				first = p
			}
			last = p
		}
	}
	return first, last
}

// lastBefore is the last of the sorted times that is before t.
func lastBefore(times []record.Time, t record.Time) (record.Time, bool) {
	i, _ := slices.BinarySearch(times, t)
	if i == 0 {
		return record.NoTime, false
	}
	return times[i-1], true
}
