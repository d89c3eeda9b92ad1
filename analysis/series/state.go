package series

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// maxRelations bounds the relations of a statement whose state is laid beside
// its cost.
const maxRelations = 8

// states adds the columns of the statement's relations and their indexes.
func (c *Collector) states(f *Frame) {
	relations := relationsOf(f.Statement)
	if len(relations) == 0 {
		f.Columns = append(f.Columns,
			Column{Kind: IndexPages, Name: "index pages", Values: absent(f), Missing: "no index of its tables in input"},
			Column{Kind: TablePages, Name: "table pages", Values: absent(f), Missing: "no table of the statement in input"})
	}
	for _, r := range relations[:min(len(relations), maxRelations)] {
		for _, x := range r.Indexes {
			col := interpolated(f, IndexPages, x.History)
			col.Name, col.Index, col.Table = "pages of "+x.Index, x, r
			f.Columns = append(f.Columns, col)
		}
		f.Columns = append(f.Columns, c.tableColumns(f, r)...)
	}
}

// tableColumns are the state of a table; what adds up is of a partitioned table
// the sum over the tables that hold its rows, since it has none itself.
func (c *Collector) tableColumns(f *Frame, r *dataset.Relation) []Column {
	of := func(kind Kind, value func(*dataset.TablePoint) (float64, bool)) Column {
		return interpolated(f, kind, pointsOf(r, value))
	}
	total := func(kind Kind, value func(*dataset.TablePoint) (float64, bool)) Column {
		return summed(f, kind, r, func(leaf *dataset.Relation) []dataset.Reading { return pointsOf(leaf, value) })
	}
	cols := []Column{
		summed(f, TablePages, r, func(leaf *dataset.Relation) []dataset.Reading { return leaf.HeapSizes(c.model.BlockSize) }),
		total(LiveRows, func(p *dataset.TablePoint) (float64, bool) { return float64(p.LiveTup.N), p.LiveTup.Known }),
		total(DeadRows, func(p *dataset.TablePoint) (float64, bool) { return float64(p.DeadTup.N), p.DeadTup.Known }),
		total(InsertedSinceVacuum, func(p *dataset.TablePoint) (float64, bool) {
			return float64(p.InsSinceVacuum.N), p.InsSinceVacuum.Known
		}),
		of(VisibleShare, func(p *dataset.TablePoint) (float64, bool) {
			return float64(p.Relallvisible.N) / float64(p.Relpages.N), p.Relallvisible.Known && p.Relpages.Known && p.Relpages.N > 0
		}),
		of(RowBytes, func(p *dataset.TablePoint) (float64, bool) {
			return float64(p.RelationSize.N) / float64(p.LiveTup.N), p.RelationSize.Known && p.LiveTup.Known && p.LiveTup.N > 0
		}),
		sinceVacuum(f, r),
	}
	for i := range cols {
		cols[i].Name, cols[i].Table = cols[i].Kind.String()+" "+r.Relation, r
	}
	return cols
}

// pointsOf are the values that a table's captures tell.
func pointsOf(r *dataset.Relation, value func(*dataset.TablePoint) (float64, bool)) []dataset.Reading {
	var out []dataset.Reading
	for i := range r.Points {
		p := &r.Points[i]
		if v, ok := value(p); ok && p.Time.Known() {
			out = append(out, dataset.Reading{Time: p.Time, Pages: v, Pos: p.Pos})
		}
	}
	return out
}

// interpolated is the value at each reading of the frame.
func interpolated(f *Frame, kind Kind, rs []dataset.Reading) Column {
	col := Column{Kind: kind, Source: FromSnapshots, Values: make([]float64, f.Len())}
	for i, t := range f.at {
		col.Values[i] = math.NaN()
		if v, ok := dataset.Interpolate(rs, t); ok {
			col.Values[i] = v
		}
	}
	from, to := f.Spans[0].From, f.Spans[f.Len()-1].To
	for _, r := range rs {
		if r.Time >= from && r.Time <= to {
			col.Readings++
		}
	}
	col.Readings++ // the one on either side counts for the part up to it
	return col
}

// summed adds the values of the leaves of a relation. One that captures do not
// show at a time, because it was made later or is dropped, holds nothing then.
func summed(f *Frame, kind Kind, r *dataset.Relation, readings func(*dataset.Relation) []dataset.Reading) Column {
	leaves := r.Leaves()
	out := interpolated(f, kind, readings(leaves[0]))
	for _, leaf := range leaves[1:] {
		col := interpolated(f, kind, readings(leaf))
		for i, v := range col.Values {
			switch {
			case math.IsNaN(out.Values[i]):
				out.Values[i] = v
			case !math.IsNaN(v):
				out.Values[i] += v
			}
		}
		out.Readings = max(out.Readings, col.Readings)
	}
	return out
}

func absent(f *Frame) []float64 {
	out := make([]float64, f.Len())
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// sinceVacuum is the time since the last vacuum that ended before the reading;
// known from the first on.
func sinceVacuum(f *Frame, r *dataset.Relation) Column {
	var ends []record.Time
	for i := range r.Points {
		for _, t := range []record.Time{r.Points[i].LastVacuum, r.Points[i].LastAutovacuum} {
			if t.Known() {
				ends = append(ends, t)
			}
		}
	}
	for _, v := range r.Vacuums {
		if v.End.Known() {
			ends = append(ends, v.End)
		}
	}
	sort.Slice(ends, func(i, j int) bool { return ends[i] < ends[j] })
	col := Column{Kind: SinceVacuum, Source: FromSnapshots, Values: absent(f)}
	for i, t := range f.at {
		if n := sort.Search(len(ends), func(k int) bool { return ends[k] > t }); n > 0 {
			col.Values[i] = t.Sub(ends[n-1]).Seconds()
		}
	}
	return col
}
