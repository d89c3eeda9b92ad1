package explain

import (
	"bufio"
	"io"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// WriteJSON writes a plan as EXPLAIN (FORMAT JSON) does: a list of one object.
// I/O times have the names of 12 to 16, which all readers know, unless the plan
// is one of 18. Errors are those of w.
func WriteJSON(w io.Writer, p *record.Plan) error {
	j := structured{w: bufio.NewWriter(w)}
	j.json(value{kind: valueList, items: []value{tree(p)}}, 0)
	j.put("\n")
	return j.w.Flush()
}

// WriteYAML writes a plan as EXPLAIN (FORMAT YAML) does. Errors are those of w.
func WriteYAML(w io.Writer, p *record.Plan) error {
	y := structured{w: bufio.NewWriter(w)}
	y.yamlItems(value{kind: valueList, items: []value{tree(p)}}, 0)
	return y.w.Flush()
}

// WriteXML writes a plan as EXPLAIN (FORMAT XML) does. Errors are those of w.
func WriteXML(w io.Writer, p *record.Plan) error {
	x := structured{w: bufio.NewWriter(w)}
	x.put("<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n")
	x.xml(tree(p), 1)
	x.put("</explain>\n")
	return x.w.Flush()
}

// structured writes values in one of the structured formats.
type structured struct{ w *bufio.Writer }

// put never fails: Flush tells.
func (s *structured) put(texts ...string) {
	for _, text := range texts {
		_, _ = s.w.WriteString(text)
	}
}

func (s *structured) indent(depth int) {
	for range depth {
		s.put("  ")
	}
}

// quoted is text as a string of JSON, which YAML's are too.
func quoted(text string) string { return `"` + string(appendQuoted(nil, text)) + `"` }

// scalar writes a bare word as it stands: PostgreSQL prints Infinity without
// quotes.
func (s *structured) scalar(v value) {
	if v.kind == valueBare {
		s.put(v.text)
		return
	}
	s.put(quoted(v.text))
}

// isFlat tells a list that is printed in one line: of scalars.
func isFlat(v value) bool {
	for i := range v.items {
		if v.items[i].kind == valueObject || v.items[i].kind == valueList {
			return false
		}
	}
	return len(v.items) > 0
}

func (s *structured) json(v value, depth int) {
	switch {
	case v.kind == valueText || v.kind == valueBare:
		s.scalar(v)
	case v.kind == valueList && isFlat(v):
		s.jsonLine(v)
	default:
		brackets := "[]"
		if v.kind == valueObject {
			brackets = "{}"
		}
		s.put(brackets[:1], "\n")
		for i, item := range v.items {
			s.indent(depth + 1)
			if v.kind == valueObject {
				s.put(quoted(item.key), ": ")
			}
			s.json(item, depth+1)
			if i < len(v.items)-1 {
				s.put(",")
			}
			s.put("\n")
		}
		s.indent(depth)
		s.put(brackets[1:])
	}
}

// jsonLine writes a list of scalars.
func (s *structured) jsonLine(v value) {
	s.put("[")
	for i, item := range v.items {
		if i > 0 {
			s.put(", ")
		}
		s.scalar(item)
	}
	s.put("]")
}

// yamlItems writes the elements of a list.
func (s *structured) yamlItems(v value, depth int) {
	for _, item := range v.items {
		s.indent(depth)
		s.put("- ")
		switch item.kind {
		case valueObject:
			s.yamlMembers(item, depth+1, true)
		case valueList:
			s.yamlFlow(item)
			s.put("\n")
		default:
			s.scalar(item)
			s.put("\n")
		}
	}
}

// yamlFlow writes a list inside a list in one line, as EXPLAIN does.
func (s *structured) yamlFlow(v value) {
	if isFlat(v) {
		s.jsonLine(v)
		return
	}
	s.put("[]")
}

// yamlMembers writes the members of an object; started tells that the first
// stands behind a hyphen.
func (s *structured) yamlMembers(v value, depth int, started bool) {
	for i, item := range v.items {
		if i > 0 || !started {
			s.indent(depth)
		}
		s.put(item.key, ": ")
		switch item.kind {
		case valueObject:
			s.put("\n")
			s.yamlMembers(item, depth+1, false)
		case valueList:
			s.put("\n")
			s.yamlItems(item, depth+1)
		default:
			s.scalar(item)
			s.put("\n")
		}
	}
}

func (s *structured) xml(v value, depth int) {
	tag := v.tag
	if tag == "" {
		tag = xmlTag(v.key)
	}
	s.indent(depth)
	if v.kind == valueText || v.kind == valueBare {
		s.put("<", tag, ">", xmlText(v.text), "</", tag, ">\n")
		return
	}
	s.put("<", tag, ">\n")
	for _, item := range v.items {
		if v.kind == valueList && item.tag == "" {
			item.tag = "Item"
			if item.kind == valueObject || item.kind == valueList {
				item.tag = strings.TrimSuffix(tag, "s")
			}
		}
		s.xml(item, depth+1)
	}
	s.indent(depth)
	s.put("</", tag, ">\n")
}

// xmlTag is the tag of a key: what XML does not allow becomes a hyphen.
func xmlTag(key string) string {
	if key == "Full-sort Groups" || key == "Pre-sorted Groups" {
		return sortGroups
	}
	tag := []byte(key)
	for i, c := range tag {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && c-'0' > 9 && c != '_' && c != '.' {
			tag[i] = '-'
		}
	}
	return string(tag)
}

// xmlText escapes as EXPLAIN does.
func xmlText(text string) string {
	return xmlEscapes.Replace(text)
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#x0d;")
