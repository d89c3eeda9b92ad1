package sqltext

import "bytes"

// Limits for what may reach pg_query. Its C code recurses over the parse tree
// without looking at the stack: a chain of 24,000 operators, some 350 bytes of
// stack each, ends the process where the stack is 8 MiB, and 300 subqueries,
// one in the other, where it is 512 KiB. Within these limits every shape
// measured stays below 512 KiB.
const (
	maxParse   = 32 << 10 // bytes of canonical text
	maxNesting = 200      // brackets
	maxChain   = 1000     // tokens of one expression, over all open brackets
	maxLeft    = 400      // set operations, joins and CASEs in the text
)

// safe reports whether canonical text may be given to pg_query.
func safe(s []byte) bool {
	if len(s) > maxParse || bytes.IndexByte(s, 0) >= 0 {
		return false
	}
	var outer [maxNesting]int32 // chain before each open bracket
	level, left := 0, 0
	base, chain := int32(0), int32(0)
	for t, rest := next(s); t.kind != tokEnd; t, rest = next(rest) {
		chain++
		switch {
		case t.is("(") || t.is("["):
			if level == maxNesting {
				return false
			}
			outer[level] = base
			base = chain
			level++
		case t.is(")") || t.is("]"):
			if level > 0 {
				level--
				chain, base = base, outer[level]
			}
		case endsChain(t):
			chain = base
		case deepens(t):
			left++
		}
		if chain > maxChain || left > maxLeft {
			return false
		}
	}
	return true
}

// endsChain tells the tokens whose two sides are elements of one flat list in
// the parse tree, or separate parts of it.
func endsChain(t token) bool {
	if t.kind == tokPunct {
		return t.text[0] == ',' || t.text[0] == ';'
	}
	if t.kind != tokWord {
		return false
	}
	switch string(t.text) {
	case "and", "or", "when", "then", "else", "select", "from", "where", "group", "order", "having", "limit":
		return true
	}
	return false
}

// deepens tells the words that add a level to the parse tree however far apart
// they stand.
func deepens(t token) bool {
	if t.kind != tokWord {
		return false
	}
	switch string(t.text) {
	case "union", "intersect", "except", "join", "case":
		return true
	}
	return false
}
