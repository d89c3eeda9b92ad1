package analysis

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// statementRows sums up every statement, costliest first.
func statementRows(m *dataset.Model) []StatementRow {
	var all float64
	rows := make([]StatementRow, 0, len(m.Statements))
	for _, s := range m.Statements {
		r := rowOfLog(s)
		if r.Calls == 0 {
			r = rowOfDiffs(s)
		}
		if r.Calls == 0 {
			continue
		}
		all += float64(r.Total)
		rows = append(rows, r)
	}
	for i := range rows {
		if all > 0 {
			rows[i].Share = float64(rows[i].Total) / all
		}
	}
	sort.SliceStable(rows, func(i, j int) bool {
		if rows[i].Total != rows[j].Total {
			return rows[i].Total > rows[j].Total
		}
		return rows[i].Fingerprint < rows[j].Fingerprint
	})
	return rows
}

func newRow(s *dataset.Statement, from string) StatementRow {
	return StatementRow{Fingerprint: s.Fingerprint, Text: s.Normalized, Command: s.Command, Approximate: s.Approximate,
		Rows: math.NaN(), Buffers: math.NaN(), BuffersPerRow: math.NaN(), From: from, Shapes: len(s.Shapes)}
}

func rowOfLog(s *dataset.Statement) StatementRow {
	r := newRow(s, "log")
	var durations []record.Duration
	var rows, buffers float64
	withRows, withBuffers := 0, 0
	for _, e := range s.Executions {
		r.Calls++
		if e.HasDuration {
			durations = append(durations, e.Duration)
			r.Total += e.Duration
		}
		if e.Figures != nil && e.Figures.HasRows {
			rows += e.Figures.Rows.Float()
			withRows++
		}
		if e.Figures != nil && e.Figures.HasBuffers {
			buffers += float64(e.Figures.Own.Shared())
			withBuffers++
		}
	}
	if n := len(durations); n > 0 {
		sort.Slice(durations, func(i, j int) bool { return durations[i] < durations[j] })
		r.Mean = r.Total / record.Duration(n)
		r.P50, r.P95, r.Max = durations[n/2], durations[min(n-1, n*95/100)], durations[n-1]
	}
	if withRows > 0 {
		r.Rows = rows / float64(withRows)
	}
	if withBuffers > 0 {
		r.Buffers = buffers / float64(withBuffers)
	}
	if withRows > 0 && withRows == withBuffers && rows > 0 {
		r.BuffersPerRow = buffers / rows
	}
	return r
}

func rowOfDiffs(s *dataset.Statement) StatementRow {
	r := newRow(s, "pg_stat_statements")
	var rows, buffers int64
	var time float64
	for _, d := range s.Diffs {
		r.Calls += d.Calls
		rows += d.Rows
		buffers += d.Buffers()
		time += d.ExecTime
	}
	if r.Calls == 0 {
		return r
	}
	r.Total = record.Duration(math.Round(time * 1000))
	r.Mean = r.Total / record.Duration(r.Calls)
	r.Rows, r.Buffers = float64(rows)/float64(r.Calls), float64(buffers)/float64(r.Calls)
	if rows > 0 {
		r.BuffersPerRow = float64(buffers) / float64(rows)
	}
	return r
}

func relationRows(m *dataset.Model) ([]RelationRow, []IndexRow) {
	var tables []RelationRow
	var indexes []IndexRow
	for _, r := range m.Relations {
		row := RelationRow{Name: r.Name, Vacuums: int64(len(r.Vacuums)), Analyzes: int64(len(r.Analyzes)), LastVacuum: record.NoTime}
		if n := len(r.Points); n > 0 {
			first, last := r.Points[0], r.Points[n-1]
			row.LiveFirst, row.LiveLast, row.DeadLast = first.LiveTup, last.LiveTup, last.DeadTup
			row.PagesFirst, row.PagesLast = pages(first.RelationSize, m.BlockSize), pages(last.RelationSize, m.BlockSize)
		}
		if n := len(r.Vacuums); n > 0 {
			row.LastVacuum = r.Vacuums[n-1].End
		}
		tables = append(tables, row)
		for _, x := range r.Indexes {
			indexes = append(indexes, indexRow(x, m.BlockSize))
		}
	}
	return tables, indexes
}

func pages(size record.Count, block int64) record.Count {
	if !size.Known {
		return size
	}
	return record.Some(size.N / block)
}

func indexRow(x *dataset.Index, block int64) IndexRow {
	row := IndexRow{Name: x.Name, Relation: x.Relation.Name, AccessMethod: x.AccessMethod, Definition: x.Definition,
		Rebuilt: x.Since(), Valid: true, Ready: true}
	if n := len(x.History); n > 0 {
		row.PagesFirst, row.PagesLast = record.Some(int64(x.History[0].Pages)), record.Some(int64(x.History[n-1].Pages))
	}
	if n := len(x.Points); n > 0 {
		last := x.Points[n-1]
		if scanned := x.Scanned(); len(scanned) > 0 {
			scans, _ := dataset.Total(scanned)
			row.Scans = record.Some(scans)
		}
		row.Valid = !last.Valid.Known || last.Valid.N == 1
		row.Ready = !last.Ready.Known || last.Ready.N == 1
	}
	return row
}
