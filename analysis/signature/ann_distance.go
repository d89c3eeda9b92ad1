package signature

import (
	"slices"
	"strings"
)

// distance is an expression of the distance between a column and a vector, as
// pgvector's operators write it.
type distance struct {
	Operator string
	// Operand is the side that an index may serve, as the plan prints it; Column
	// its name if it is a plain column, else "".
	Operand, Column string
	// Type is the vector type that the plan shows for the other side, "" if it
	// shows none.
	Type string
	// Bare says that the key is the distance itself, not an expression of it.
	Bare, Descending bool
	// Parameter says that the vector is $1: the plan is a generic one, or gets it
	// from another part of it.
	Parameter bool
}

// distanceFamily is the family of operator classes that serves one of pgvector's
// distance operators, "" for any other. <-> is an operator of others, too.
// Source: pgvector's README, "Querying" and "Indexing".
func distanceFamily(operator string) string {
	switch operator {
	case "<->":
		return "l2"
	case "<#>":
		return "ip"
	case "<=>":
		return "cosine"
	case "<+>":
		return "l1"
	case "<~>":
		return "hamming"
	case "<%>":
		return "jaccard"
	}
	return ""
}

// readDistance finds the distance in a sort key or condition; alias is the
// scanned relation's. Literals are cut out first: a vector alone may be longer
// than any condition that is taken apart.
func readDistance(text, alias string) (distance, bool) {
	list := tokens(withoutLiterals(text))
	var d distance
	for n := len(list); n > 0 && list[n-1].kind == tokenWord && slices.Contains([]string{"ASC", "DESC", "NULLS", "FIRST", "LAST"}, list[n-1].text); n = len(list) {
		d.Descending = d.Descending || list[n-1].text == "DESC"
		list = list[:n-1]
	}
	list = stripParens(list)
	at := slices.IndexFunc(list, func(t token) bool { return t.kind == tokenOperator && distanceFamily(t.text) != "" })
	if at < 0 {
		return d, false
	}
	from, to := enclosing(list, at)
	left, right := stripParens(list[from:at]), stripParens(list[at+1:to])
	if len(left) == 0 || len(right) == 0 {
		return d, false
	}
	if isGiven(left[0]) {
		left, right = right, left
	}
	d.Operator, d.Operand = list[at].text, conditionText(join(left))
	d.Bare = from == 0 && to == len(list)
	d.Column, _, _ = columnOf(left, alias)
	d.Type, d.Parameter = vectorType(right), right[0].kind == tokenParam
	return d, true
}

// withoutLiterals empties the quoted strings of a text.
func withoutLiterals(text string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(text, '\'')
		if at < 0 {
			break
		}
		end := quotedEnd(text, at)
		if end < 0 {
			break
		}
		b.WriteString(text[:at] + "''")
		text = text[end:]
	}
	b.WriteString(text)
	return b.String()
}

// isGiven tells a literal or a parameter from what a relation gives.
func isGiven(t token) bool { return t.kind == tokenString || t.kind == tokenParam }

// enclosing are the bounds of the parentheses around the token at i, without
// them; the whole list if there are none.
func enclosing(list []token, i int) (from, to int) {
	from, to = 0, len(list)
	for k := i - 1; k >= 0; k-- {
		if end := closing(list, k); list[k].text == "(" && end > i {
			return k + 1, end
		}
	}
	return from, to
}

// vectorType is the type that a value is cast to, "" if it is none of
// pgvector's.
func vectorType(list []token) string {
	for i, t := range list {
		if t.kind == tokenCast && i+1 < len(list) {
			name := list[i+1].text
			if i+3 < len(list) && list[i+2].text == "." { // schema.vector
				name = list[i+3].text
			}
			switch name {
			case "vector", "halfvec", "sparsevec":
				return name
			}
			return ""
		}
	}
	return ""
}

// isVector says whether the distance is one of pgvector's: by type, or by an
// operator that no other common type has with it. bit has no operator of its own
// but <~> and <%>.
func (d *distance) isVector() bool {
	return d.Type != "" || d.Operator != "<->"
}
