package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

// indexElements is what the input tells of the elements of an index that is
// walked: a slot that a vacuum freed is taken again by an element that fits.
type indexElements struct {
	Class string              // operator class, "" if not told
	Sizes *dataset.ColumnSize // of the indexed column, nil if not told
}

// elementsOf reads the definition of the index, and the sizes of its column.
func elementsOf(m *dataset.Model, x *dataset.Index) indexElements {
	e := indexElements{Class: operatorClass(x.Definition)}
	sizes := m.ColumnSizes(x.Relation)
	d, known := definitionOf(x.Definition)
	if !known && len(sizes) == 1 {
		e.Sizes = &sizes[0] // nobody would measure another column
	}
	if known && len(d.Keys) > 0 {
		e.Sizes = columnSized(sizes, unquoted(keyColumn(d.Keys[0])))
	}
	return e
}

// columnSized is the one of the column, nil if there is none.
func columnSized(list []dataset.ColumnSize, column string) *dataset.ColumnSize {
	for i := range list {
		if list[i].Column == column {
			return &list[i]
		}
	}
	return nil
}

// oneSize says by what all elements have one size, so that each freed slot fits
// and nothing is walked; "" if they differ or nothing tells. The sizes count
// before the class, whose vectors may happen to be alike.
func (e indexElements) oneSize() string {
	switch {
	case e.Sizes != nil && e.Sizes.Fixed():
		return "pg_column_size of " + e.Sizes.Column + " is the same for all"
	case e.Class != "" && !variableSize(e.Class):
		return e.Class + " indexes vectors of one length"
	}
	return ""
}

// figures are the operator class and the sizes.
func (e indexElements) figures() []finding.Figure {
	var out []finding.Figure
	if e.Class != "" {
		says := "element size fixed"
		if variableSize(e.Class) {
			says = "element size varies"
		}
		out = append(out, finding.Figure{What: "operator class", Text: e.Class, Says: says})
	}
	if e.Sizes == nil {
		return out
	}
	low, high, ok := e.Sizes.Spread()
	if !ok {
		return out
	}
	says := "varying size, so freed slots do not fit larger elements"
	switch {
	case e.Sizes.Fixed():
		says = "fixed size: a walk is not to be expected"
	case !e.Sizes.Varies():
		says = "most have one size; the largest are not told"
	}
	return append(out, finding.Figure{
		What: fmt.Sprintf("element sizes %s/%s", high.Name, low.Name), Value: ratio(high.Bytes, low.Bytes), Unit: "x", Says: says,
		Text: fmt.Sprintf("%.2f (%s)", ratio(high.Bytes, low.Bytes), sizesText(e.Sizes)),
	})
}

// sizesText is "p10 253 bytes, p50 453 bytes, p90 653 bytes of 5,000 rows".
func sizesText(c *dataset.ColumnSize) string {
	text := ""
	for i, s := range c.Bytes {
		if i > 0 {
			text += ", "
		}
		text += s.Name + " " + bytesText(s.Bytes)
	}
	if c.Rows.Known {
		text += " of " + thousands(c.Rows.N) + " rows"
	}
	return text
}

// evidence is the place of the sizes.
func (e indexElements) evidence() []finding.Evidence {
	if e.Sizes == nil {
		return nil
	}
	return []finding.Evidence{sizesEvidence(e.Sizes)}
}

func sizesEvidence(c *dataset.ColumnSize) finding.Evidence {
	return finding.Evidence{What: "sizes", Pos: c.Pos, Time: c.Time, Value: c.Bytes[len(c.Bytes)-1].Bytes, Unit: "bytes",
		Excerpt: fmt.Sprintf("pg_column_size of %s: %s", c.Column, sizesText(c))}
}
