package psql

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/pgassay/pgassay/parser/record"
)

// sizeUnit is the unit of a column that tells the size of a relation, by the
// words of its name, and how many of the unit one counts: 1,048,576 bytes for
// "index_mb". unit is "" if the column tells no size.
func sizeUnit(name string) (unit string, factor float64) {
	const longest = 63 // of a name
	if len(name) > longest {
		return "", 0
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words {
		switch w {
		case "hit", "hits", "read", "reads", "dirtied", "written", "removed", "scanned", "dead", "free", "empty", "deleted",
			"reusable", "leaf", "internal", "new", "newly", "visible", "frozen", "bloat", "wasted", "per", "block", "page", "batch",
			"chunk", "sample", "pool", "tuple", "row", "avg", "max", "min", "diff", "delta", "growth", "percent", "pct", "ratio":
			return "", 0
		case "pages", "relpages", "blocks", "nblocks":
			unit, factor = record.UnitPages, 1
		case "size", "bytes":
			if unit == "" {
				unit, factor = record.UnitBytes, 1
			}
		case "kb", "mb", "gb", "kib", "mib", "gib":
			unit, factor = record.UnitBytes, unitBytes(w[:1]+"b")
		}
	}
	return unit, factor
}

// unitBytes is the size of a unit in the spelling of pg_size_pretty, 0 if it is
// none.
func unitBytes(unit string) float64 {
	switch strings.ToLower(unit) {
	case "bytes":
		return 1
	case "kb":
		return 1 << 10
	case "mb":
		return 1 << 20
	case "gb":
		return 1 << 30
	case "tb":
		return 1 << 40
	}
	return 0
}

// readSize reads a size in a column of that name: a number, or the text of
// pg_size_pretty with half of its unit as the error of rounding.
func readSize(name, value string) (size record.Event, ok bool) {
	unit, factor := sizeUnit(name)
	if unit == "" {
		return size, false
	}
	number, suffix, pretty := strings.Cut(strings.TrimSpace(value), " ")
	if pretty {
		unit, factor = record.UnitBytes, unitBytes(suffix)
	}
	n, err := strconv.ParseFloat(number, 64)
	if factor == 0 || err != nil || n < 0 || n*factor > math.MaxInt64/4 || n != n {
		return size, false
	}
	if factor > 1 {
		step := factor
		if i := strings.IndexByte(number, '.'); i >= 0 {
			step /= math.Pow(10, float64(len(number)-i-1))
		}
		size.CountErr = int64(step / 2)
	}
	size.Kind, size.Object, size.Unit, size.Count = record.EventSize, name, unit, int64(math.Round(n*factor))
	return size, true
}

// nameColumns are the columns that name the relation of a row, the better ones
// first.
var nameColumns = [...]string{"indexrelname", "indexname", "index_name", "indexrelid", "index", "relname", "relation", "regclass",
	"oid", "name", "tablename", "table_name", "relid"}

// nameColumn is the column that names the relation, −1 if there is none.
func nameColumn(titles []string) int {
	for _, name := range nameColumns {
		for i, t := range titles {
			if strings.EqualFold(t, name) {
				return i
			}
		}
	}
	return -1
}

// sizesOf are the sizes in one row of a table.
func sizesOf(titles, row []string) []record.Event {
	var sizes []record.Event
	name := nameColumn(titles)
	for i := range titles {
		if i >= len(row) {
			break
		}
		e, ok := readSize(titles[i], row[i])
		if !ok {
			continue
		}
		if name >= 0 && name < len(row) {
			e.Text = row[name]
		}
		sizes = append(sizes, e)
	}
	return sizes
}

// Limits on what counts as a reading of sizes. A table of many rows, or whose
// rows are not named, is a list of something else.
const (
	maxSizeRows    = 100
	maxSizeColumns = 50
)

// sizeRows are the rows of a table whose columns may tell sizes; nil if none may.
func (t *table) sizeRows() (titles []string, rows [][]string) {
	if len(t.columns) == 0 || len(t.columns) > maxSizeColumns {
		return nil, nil
	}
	some := false
	for i := range t.columns {
		titles = append(titles, t.columns[i].title)
		unit, _ := sizeUnit(titles[i])
		some = some || unit != ""
	}
	n := len(t.columns[0].cells)
	if !some || n > maxSizeRows || n > 1 && nameColumn(titles) < 0 {
		return nil, nil
	}
	for r := range n {
		row := make([]string, len(t.columns))
		for i := range t.columns {
			if r < len(t.columns[i].cells) {
				row[i] = t.columns[i].cells[r].word()
			}
		}
		rows = append(rows, row)
	}
	return titles, rows
}

// word is the text of a cell of one line.
func (c cell) word() string {
	if len(c) != 1 {
		return ""
	}
	return string(bytes.TrimSpace(c[0].Text))
}
