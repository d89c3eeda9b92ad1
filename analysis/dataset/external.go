package dataset

import (
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// External is a series that the user gave: latency as the application saw it,
// or an axis that only the application knows.
type External struct {
	Name   string // column, with the labels of its rows: "p95_ms (tenant=a)"
	Unit   string // from the column's name: "ms", "s", "bytes"; "" if it tells none
	File   string
	Points []ExternalPoint // by time
}

// ExternalPoint is one reading of an External.
type ExternalPoint struct {
	Time  record.Time
	Value float64
	Pos   record.Pos
}

// Mark is a moment that the user gave: a deploy, a switch.
type Mark struct {
	Time record.Time
	Text string
	Pos  record.Pos
}

// maxLabels bounds the series that the texts of one file may split a column
// into. A column with more texts than that, of ids or addresses, splits none.
const maxLabels = 50

// external makes the series and marks of the files given with --series.
func (b *builder) external() {
	files := map[string][]record.Sample{}
	var names []string
	for _, s := range b.m.Rows(record.ViewSeries) {
		if !s.CapturedAt.Known() {
			continue
		}
		if _, known := files[s.Pos.File]; !known {
			names = append(names, s.Pos.File)
		}
		files[s.Pos.File] = append(files[s.Pos.File], s)
	}
	slices.Sort(names)
	for _, name := range names {
		b.externalFile(name, files[name])
	}
	sortBy(b.m.Marks, func(x, y *Mark) bool { return pointLess(x.Time, y.Time, x.Pos, y.Pos) })
}

// externalFile reads one file: columns of numbers are series, split by columns
// of texts that stand in most rows; a text that stands in few rows, or in rows
// without numbers, is a mark.
func (b *builder) externalFile(file string, rows []record.Sample) {
	columns := columnsOf(rows)
	if columns.many > 0 {
		b.m.Capped["texts in a column of a series given, which splits no series,"] += int64(columns.many)
	}
	series := map[string]*External{}
	var order []string
	labels := map[string]bool{}
	for i := range rows {
		s := &rows[i]
		label, mark := columns.texts(s)
		if mark != "" {
			b.m.Marks = append(b.m.Marks, Mark{Time: s.CapturedAt, Text: mark, Pos: s.Pos})
		}
		if !labels[label] && len(labels) == maxLabels {
			b.m.Capped["groups of a series given"]++
			continue
		}
		labels[label] = true
		for _, name := range columns.numbers {
			v, ok := s.Float(name)
			if !ok {
				continue
			}
			key := name + label
			if series[key] == nil {
				series[key] = &External{Name: key, Unit: unitOf(name), File: file}
				order = append(order, key)
			}
			series[key].Points = append(series[key].Points, ExternalPoint{Time: s.CapturedAt, Value: v, Pos: s.Pos})
		}
	}
	slices.Sort(order)
	for _, key := range order {
		b.m.External = append(b.m.External, *series[key])
	}
}

// externalColumns sorts the columns of a file by what they hold, by name.
type externalColumns struct {
	numbers, labels, marks []string
	many                   int // columns with more texts than maxLabels
}

func columnsOf(rows []record.Sample) externalColumns {
	filled, texts, distinct := map[string]int{}, map[string]int{}, map[string]map[string]bool{}
	for i := range rows {
		s := &rows[i]
		for _, name := range s.Columns.Names {
			if v, ok := s.Text(name); !ok || v == "" || name == record.SeriesTime {
				continue
			}
			filled[name]++
			if v, ok := s.Float(name); !ok || math.IsNaN(v) || math.IsInf(v, 0) {
				texts[name]++
			}
			if distinct[name] == nil {
				distinct[name] = map[string]bool{}
			}
			if v, _ := s.Text(name); len(distinct[name]) <= maxLabels {
				distinct[name][v] = true
			}
		}
	}
	var c externalColumns
	var many []string
	for name, n := range filled {
		switch {
		case texts[name] == 0:
			c.numbers = append(c.numbers, name)
		case 2*n <= len(rows):
			c.marks = append(c.marks, name)
		case len(distinct[name]) > maxLabels:
			many = append(many, name)
		default:
			c.labels = append(c.labels, name)
		}
	}
	c.many = len(many)
	if len(c.numbers) == 0 {
		c.marks, c.labels, c.many = slices.Concat(c.marks, c.labels, many), nil, 0
	}
	slices.Sort(c.numbers)
	slices.Sort(c.labels)
	slices.Sort(c.marks)
	return c
}

// texts are what tells the row's series apart, and the mark it sets.
func (c *externalColumns) texts(s *record.Sample) (label, mark string) {
	var labels, marks []string
	for _, name := range c.labels {
		labels = append(labels, name+"="+text(s, name))
	}
	for _, name := range c.marks {
		if v := text(s, name); v != "" {
			marks = append(marks, v)
		}
	}
	if len(labels) > 0 {
		label = " (" + strings.Join(labels, ", ") + ")"
	}
	return label, strings.Join(marks, ", ")
}

// unitOf reads the unit that a column's name ends in.
func unitOf(name string) string {
	at := strings.LastIndexByte(name, '_')
	switch suffix := name[at+1:]; {
	case at < 0:
		return ""
	case slices.Contains([]string{"us", "ms", "s", "bytes", "pages", "rows"}, suffix):
		return suffix
	case slices.Contains([]string{"sec", "secs", "second", "seconds"}, suffix):
		return "s"
	}
	return ""
}
