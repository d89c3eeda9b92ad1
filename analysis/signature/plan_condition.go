package signature

import "strings"

// conjunctKind is what an ordinary B-tree index can do with a condition.
type conjunctKind uint8

const (
	conjunctEquality conjunctKind = iota + 1 // =, = ANY, IS NULL, a boolean column
	conjunctRange                            // < <= > >=
)

// conjunct is a condition "column operator value" on the scanned relation.
type conjunct struct {
	Column   string // bare name, quotes as printed
	Kind     conjunctKind
	TextCast bool // printed as (column)::text: a varchar, or a cast of the query
}

// condition is a condition taken apart.
type condition struct {
	Simple []conjunct
	Rest   []string // what is not simple, without literals
}

// maxConditionDepth bounds the nesting that is taken apart.
const maxConditionDepth = 50

// readCondition takes apart what EXPLAIN prints behind Filter, Index Cond or
// Join Filter. alias is what the plan calls the scanned relation: names
// qualified by another one are values. Only ANDs of simple comparisons are
// understood; expressions are not guessed at.
func readCondition(text, alias string) condition {
	var c condition
	list := tokens(text)
	if list == nil {
		c.Rest = []string{conditionText(text)}
		return c
	}
	c.add(list, alias, 0)
	return c
}

func (c *condition) add(list []token, alias string, depth int) {
	list = stripParens(list)
	if parts := splitAnd(list); len(parts) > 1 && depth < maxConditionDepth {
		for _, part := range parts {
			c.add(part, alias, depth+1)
		}
		return
	}
	if s, ok := simpleConjunct(list, alias); ok {
		c.Simple = append(c.Simple, s)
		return
	}
	c.Rest = append(c.Rest, conditionText(join(list)))
}

func join(list []token) string {
	var b strings.Builder
	for i, t := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// stripParens takes off the parentheses around the whole.
func stripParens(list []token) []token {
	for len(list) >= 2 && list[0].text == "(" && closing(list, 0) == len(list)-1 {
		list = list[1 : len(list)-1]
	}
	return list
}

// closing is the index of the parenthesis that closes the one at i, −1 if none
// does within the list.
func closing(list []token, i int) int {
	if i >= len(list) || list[i].span == 0 || i+list[i].span >= len(list) {
		return -1
	}
	return i + list[i].span
}

// splitAnd cuts at the ANDs outside parentheses; one part if there is none, or
// if an OR stands beside.
func splitAnd(list []token) [][]token {
	var parts [][]token
	depth, start := 0, 0
	for i, t := range list {
		switch t.text {
		case "(", "[", "CASE":
			depth++
		case ")", "]", "END":
			depth--
		case "OR":
			if depth == 0 {
				return [][]token{list}
			}
		case "AND":
			if depth == 0 {
				parts = append(parts, list[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, list[start:])
}

// simpleConjunct reads a comparison of one column of the relation with a value.
func simpleConjunct(list []token, alias string) (conjunct, bool) {
	if n := len(list); n > 2 && list[n-2].text == "IS" && list[n-1].text == "NULL" {
		column, cast, ok := columnOf(list[:n-2], alias)
		return conjunct{column, conjunctEquality, cast}, ok
	}
	at := comparison(list)
	if at < 0 {
		if len(list) > 0 && list[0].text == "NOT" {
			list = list[1:]
		}
		column, cast, ok := columnOf(list, alias)
		return conjunct{column, conjunctEquality, false}, ok && !cast
	}
	kind := conjunctRange
	if list[at].text == "=" {
		kind = conjunctEquality
	}
	left, right := list[:at], list[at+1:]
	if column, cast, ok := columnOf(left, alias); ok && isValue(right, alias) {
		return conjunct{column, kind, cast}, true
	}
	if column, cast, ok := columnOf(right, alias); ok && isValue(left, alias) {
		return conjunct{column, kind, cast}, true
	}
	return conjunct{}, false
}

// comparison is the place of the only operator outside parentheses if an
// ordinary index supports it, else −1.
func comparison(list []token) int {
	at, depth := -1, 0
	for i, t := range list {
		switch t.text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
		if depth > 0 || t.kind != tokenOperator {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	if at < 0 {
		return -1
	}
	switch list[at].text {
	case "=", "<", "<=", ">", ">=":
		return at
	}
	return -1
}

// columnOf reads a column of the relation: "col", "alias.col" or either with a
// cast to text, as EXPLAIN prints varchar comparisons.
func columnOf(list []token, alias string) (column string, textCast, ok bool) {
	list = stripParens(list)
	if n := len(list); n > 2 && list[n-2].kind == tokenCast && list[n-1].text == "text" {
		column, _, ok = columnOf(list[:n-2], alias)
		return column, true, ok
	}
	switch {
	case len(list) == 1 && list[0].kind == tokenWord && !isConstantWord(list[0].text):
		return list[0].text, false, true
	case len(list) == 3 && list[0].kind == tokenWord && list[1].text == "." && list[2].kind == tokenWord && unquoted(list[0].text) == alias:
		return list[2].text, false, true
	}
	return "", false, false
}

func unquoted(name string) string {
	if len(name) > 1 && name[0] == '"' {
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
	}
	return name
}

func isConstantWord(word string) bool {
	switch strings.ToUpper(word) {
	case "NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP",
		"CURRENT_USER", "SESSION_USER", "CURRENT_ROLE", "USER", "ANY", "ARRAY", "ROW":
		return true
	}
	return false
}

// isVolatile tells functions whose value changes within a statement, so that no
// index can be searched for it.
func isVolatile(function string) bool {
	switch function {
	case "random", "random_normal", "clock_timestamp", "timeofday", "nextval", "currval", "gen_random_uuid", "uuid_generate_v4", "setseed":
		return true
	}
	return false
}

// isValue tells an expression that names no column of the relation: literals,
// parameters, InitPlans, columns of other relations, and functions of these.
func isValue(list []token, alias string) bool {
	if len(list) == 0 {
		return false
	}
	for i := 0; i < len(list); i++ {
		t := list[i]
		next := ""
		if i+1 < len(list) {
			next = list[i+1].text
		}
		switch {
		case t.kind == tokenCast:
			i = typeEnd(list, i+1) - 1
		case t.kind != tokenWord:
		case t.text == "SubPlan" || t.text == "hashed" || t.text == "alternatives" || isVolatile(t.text):
			return false
		case t.text == "InitPlan" || isConstantWord(t.text):
		case next == "(":
		case next == ".":
			if unquoted(t.text) == alias {
				return false
			}
			i += 2
		case i > 0 && list[i-1].text == ".": // (InitPlan 1).col1
		default:
			return false
		}
	}
	return true
}

// typeEnd is the index behind the type name that starts at i.
func typeEnd(list []token, i int) int {
	for ; i < len(list); i++ {
		switch t := list[i]; {
		case t.kind == tokenWord && !isKeyword(t.text), t.text == ".":
		case t.text == "(" || t.text == "[":
			if i = closing(list, i); i < 0 {
				return len(list)
			}
		default:
			return i
		}
	}
	return i
}
