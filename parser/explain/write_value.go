package explain

// valueKind is the kind of a value in the structured formats.
type valueKind uint8

const (
	valueText valueKind = iota
	valueBare           // a number, true, false or null
	valueObject
	valueList
)

// value is one value in the structured formats: a scalar, an object or a list.
type value struct {
	key   string // in an object, "" in a list
	tag   string // of the element in XML if it differs from the key
	kind  valueKind
	text  string
	items []value
}

// maxValueDepth is how deep the lists and objects of an extra are followed;
// what is deeper stays text.
const maxValueDepth = 64

// parseValue reads the raw JSON of an extra.
func parseValue(raw string) (value, bool) {
	p := NewParser()
	p.reset([]byte(raw), Options{})
	v := p.value(0)
	return v, p.err == nil && !p.cut
}

// membersOf are the members of an object in raw JSON, nil if it is none.
func membersOf(raw string) []value {
	v, ok := parseValue(raw)
	if !ok || v.kind != valueObject {
		return nil
	}
	return v.items
}

// value reads any value.
func (p *Parser) value(depth int) value {
	switch c := p.peek(); {
	case (c == '{' || c == '[') && depth >= maxValueDepth:
		return value{kind: valueText, text: string(p.skip())}
	case c == '{':
		v := value{kind: valueObject}
		for p.pos++; ; {
			name, ok := p.member()
			if !ok {
				return v
			}
			key := string(name)
			item := p.value(depth + 1)
			item.key = key
			v.items = append(v.items, item)
		}
	case c == '[':
		v := value{kind: valueList}
		for p.pos++; p.element(); {
			v.items = append(v.items, p.value(depth+1))
		}
		return v
	case c == '"':
		return value{kind: valueText, text: string(p.scalar())}
	default:
		return value{kind: valueBare, text: string(p.bareWord())}
	}
}

// bareWord reads a word, also one that touches the end.
func (p *Parser) bareWord() []byte {
	start := p.pos
	word := p.scalar()
	if word == nil && p.err == nil {
		p.cut = false
		word = p.data[start:p.pos]
	}
	return word
}
