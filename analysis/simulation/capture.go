package simulation

import (
	"fmt"

	"github.com/pgassay/pgassay/parser/record"
)

// vacuum writes the line of a vacuum, with the indexes it cleaned.
func (s *server) vacuum(v *Vacuum) {
	s.vacuumed++
	if v.Unlogged {
		return
	}
	line := record.Vacuum{Pos: s.place(), LogTime: At(v.At), Kind: record.KindVacuum, Schema: "public", Relation: "items",
		HasElapsed: true, Elapsed: record.Duration(v.Elapsed * 1e6), PagesRemain: record.Some(int64(s.heap)),
		TuplesRemoved: record.Some(1000), TuplesRemain: record.Some(s.rows), TuplesNotRemovable: record.Some(0)}
	for _, name := range v.Cleans {
		line.IndexScans = 1
		line.IndexScan = record.IndexScanNeeded
		line.DeadItems = record.Some(1000)
		line.Indexes = append(line.Indexes, record.VacuumIndex{Name: name, Pages: int64(s.pages[s.index(name)])})
	}
	s.out.Vacuums = append(s.out.Vacuums, line)
}

// capture takes a row of each index and one of the table.
func (s *server) capture(t float64) {
	for i := range s.Indexes {
		x := &s.Indexes[i]
		s.sample(record.ViewIndexes, t, [][2]string{
			{"schemaname", "public"}, {"relname", "items"}, {"indexrelname", x.Name},
			{"indexrelid", fmt.Sprint(9000 + i)}, {"relfilenode", fmt.Sprint(s.filenode[i])},
			{"index_size", fmt.Sprint(int64(s.pages[i]) * 8192)}, {"amname", x.Method}, {"indexdef", x.definition()},
			{"indisvalid", "t"}, {"indisready", "t"},
		})
	}
	s.sample(record.ViewTables, t, [][2]string{
		{"schemaname", "public"}, {"relname", "items"}, {"relid", "9999"}, {"relfilenode", "9999"},
		{"n_tup_ins", fmt.Sprint(s.rows)}, {"n_live_tup", fmt.Sprint(s.rows)}, {"relation_size", fmt.Sprint(int64(s.heap) * 8192)},
		{"last_vacuum", s.lastVacuum(t)}, {"vacuum_count", fmt.Sprint(s.vacuumed)},
	})
}

// lastVacuum is empty before the first one.
func (s *server) lastVacuum(t float64) string {
	last := ""
	for i := range s.Vacuums {
		if v := &s.Vacuums[i]; v.At <= t {
			last = stamp(v.At)
		}
	}
	return last
}

func stamp(t float64) string { return At(t).Std().Format("2006-01-02 15:04:05.999999Z07:00") }

// sample adds one row of a view; an empty text is null.
func (s *server) sample(view record.View, t float64, row [][2]string) {
	names := make([]string, len(row))
	values := make([]record.Value, len(row))
	for i, c := range row {
		names[i], values[i] = c[0], record.Value{Text: c[1], Valid: c[1] != ""}
	}
	n := int64(len(s.out.Samples) + 2)
	s.out.Samples = append(s.out.Samples, record.Sample{
		Pos:  record.Pos{File: "snapshots/" + string(view) + ".csv", Line: n, Offset: 100 * n},
		View: view, CapturedAt: At(t), TimeSource: record.TimeColumn, Columns: record.NewColumns(names), Values: values,
	})
}
