package signature

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// childQuery is what a simple SELECT reads, taken from its normalized text:
// one relation and conditions joined by AND. Texts that are not that simple
// have none.
type childQuery struct {
	text       string
	from       string   // relation, with its alias
	terms      []string // conditions
	columns    []string // column of the term "column = $n", else ""
	parameters []int    // its n, else 0
	limited    bool     // LIMIT, DISTINCT or aggregates: one array cannot stand for many calls
}

// sqlWord is a piece of a statement at its top level and where it stands.
type sqlWord struct {
	text     string
	from, to int
	depth    int
}

// parseChildQuery reads the text; false if it is not a simple SELECT.
func parseChildQuery(text string) (childQuery, bool) {
	q := childQuery{text: strings.TrimRight(text, "; ")}
	words := sqlWords(q.text)
	from, where, end := -1, -1, len(words)
	for i, w := range words {
		if w.depth > 0 {
			if w.is("select") {
				return q, false
			}
			continue
		}
		switch strings.ToLower(w.text) {
		case "from":
			from = i
		case "where":
			where = i
		case "join", "union", "intersect", "except", "or", "having", "window", "lateral", "between", "case":
			return q, false
		case "group", "order", "limit", "offset", "fetch", "for":
			end = min(end, i)
			q.limited = true
		}
	}
	if len(words) == 0 || !words[0].is("select") || from < 0 || where < from+2 || end < where+2 {
		return q, false
	}
	q.limited = q.limited || words[1].is("distinct") || strings.Contains(q.text[:words[from].from], "(")
	q.from = strings.TrimSpace(q.text[words[from].to:words[where].from])
	if strings.ContainsAny(q.from, ",(") {
		return q, false
	}
	to := len(q.text)
	if end < len(words) {
		to = words[end].from
	}
	q.conditions(words[where+1:end], words[where].to, to)
	return q, true
}

func (w sqlWord) is(keyword string) bool { return strings.EqualFold(w.text, keyword) }

// conditions cuts the text between two offsets at AND.
func (q *childQuery) conditions(words []sqlWord, from, to int) {
	begin := 0
	for i := 0; i <= len(words); i++ {
		if i < len(words) && !(words[i].depth == 0 && words[i].is("and")) {
			continue
		}
		end := to
		if i < len(words) {
			end = words[i].from
		}
		q.condition(words[begin:i], strings.TrimSpace(q.text[from:end]))
		if i < len(words) {
			begin, from = i+1, words[i].to
		}
	}
}

func (q *childQuery) condition(words []sqlWord, text string) {
	column, parameter := "", 0
	if len(words) == 3 && words[1].text == "=" {
		left, right := words[0].text, words[2].text
		if strings.HasPrefix(left, "$") {
			left, right = right, left
		}
		if n, ok := parameterNumber(right); ok {
			column, parameter = left, n
		}
	}
	q.terms = append(q.terms, text)
	q.columns = append(q.columns, column)
	q.parameters = append(q.parameters, parameter)
}

// parameterNumber is the n of "$n".
func parameterNumber(s string) (int, bool) {
	if len(s) < 2 || s[0] != '$' {
		return 0, false
	}
	n, err := strconv.Atoi(s[1:])
	return n, err == nil
}

// sqlWords cuts a statement into words, numbers, quoted pieces and operators.
func sqlWords(s string) []sqlWord {
	var out []sqlWord
	depth := 0
	for i := 0; i < len(s); {
		from := i
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '(' || c == '[':
			depth++
			i++
			continue
		case c == ')' || c == ']':
			depth--
			i++
			continue
		case isNameByte(c):
			i = nameEnd(s, i)
		case c == '\'':
			i = quoteEnd(s, i)
		case strings.IndexByte("=<>!+-*/%@~^&|#:?", c) >= 0:
			for i < len(s) && strings.IndexByte("=<>!+-*/%@~^&|#:?", s[i]) >= 0 {
				i++
			}
		default:
			i++
		}
		out = append(out, sqlWord{text: s[from:i], from: from, to: i, depth: depth})
	}
	return out
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c == '"' || c >= 0x80 ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// nameEnd is behind a name, which may have quoted parts and dots.
func nameEnd(s string, i int) int {
	for i < len(s) && isNameByte(s[i]) {
		if s[i] == '"' {
			i = quoteEnd(s, i)
		} else {
			i++
		}
	}
	return i
}

func quoteEnd(s string, i int) int {
	if j := strings.IndexByte(s[i+1:], s[i]); j >= 0 {
		return i + j + 2
	}
	return len(s)
}

// countByKey is the statement that counts the rows of all children at once:
// key is the term whose parameter varies within a request.
func (q childQuery) countByKey(key int) string {
	var rest []string
	for i, t := range q.terms {
		if i != key {
			rest = append(rest, t)
		}
	}
	where := ""
	if len(rest) > 0 {
		where = " where " + strings.Join(rest, " and ")
	}
	c := q.columns[key]
	return renumber("select "+c+", count(*) from "+q.from+where+" group by "+c) + ";"
}

// atOnce is the statement that answers all children: the key compared with an
// array, or, where each child has its own order and limit, one lateral join.
func (q childQuery) atOnce(key int) string {
	array := "$" + strconv.Itoa(q.parameters[key])
	if !q.limited {
		return strings.Replace(q.text, q.terms[key], q.columns[key]+" = any("+array+")", 1) + ";"
	}
	child := strings.Replace(q.text, q.terms[key], q.columns[key]+" = asked.key", 1)
	return "select asked.key, found.* from unnest(" + array + ") as asked(key) cross join lateral (" + child + ") as found;"
}

// renumber numbers the parameters from 1 in order of appearance.
func renumber(s string) string {
	var b strings.Builder
	numbers := map[string]string{}
	last := 0
	for _, w := range sqlWords(s) {
		if _, ok := parameterNumber(w.text); !ok {
			continue
		}
		if numbers[w.text] == "" {
			numbers[w.text] = "$" + strconv.Itoa(len(numbers)+1)
		}
		b.WriteString(s[last:w.from])
		b.WriteString(numbers[w.text])
		last = w.to
	}
	return b.String() + s[last:]
}

const (
	keyRequests = 20 // requests looked at for the parameter that varies
	keyChildren = 50 // children of each
)

// key is the term of the child's text whose parameter, alone, varies within
// requests; false if parameters are not logged, or none or several do. A text
// with a single equality needs no parameters.
func (g *fanOutGroup) key() (q childQuery, term int, ok bool) {
	q, ok = parseChildQuery(g.child.Normalized)
	if !ok {
		return q, 0, false
	}
	varying := g.varyingParameters()
	term = -1
	equalities := 0
	for i, n := range q.parameters {
		if n > 0 {
			equalities++
		}
		if n > 0 && (varying[n] || len(varying) == 0 && equalities == 1) {
			if term >= 0 {
				return q, 0, false
			}
			term = i
		}
	}
	if len(varying) == 0 && equalities != 1 {
		return q, 0, false
	}
	return q, term, term >= 0
}

// varyingParameters are the numbers of the parameters that differ between
// children of one request.
func (g *fanOutGroup) varyingParameters() map[int]bool {
	varying := map[int]bool{}
	for i := range g.requests[:min(len(g.requests), keyRequests)] {
		first := map[int]string{}
		seen := 0
		g.requests[i].children(g.child, func(e *dataset.Execution) {
			if seen++; seen > keyChildren {
				return
			}
			for n, v := range parameterValues(e.Parameters) {
				if old, ok := first[n]; ok && old != v {
					varying[n] = true
				}
				first[n] = v
			}
		})
	}
	return varying
}

// parameterValues reads "$1 = 'a', $2 = NULL" as PostgreSQL logs it: quotes
// doubled inside a value.
func parameterValues(s string) map[int]string {
	out := map[int]string{}
	for {
		at := strings.IndexByte(s, '$')
		if at < 0 {
			return out
		}
		name, rest, ok := strings.Cut(s[at+1:], " = ")
		n, err := strconv.Atoi(name)
		if !ok || err != nil {
			return out
		}
		end := valueEnd(rest)
		out[n] = rest[:end]
		s = rest[end:]
	}
}

// valueEnd is behind the value that s begins with: a quoted one, or NULL.
func valueEnd(s string) int {
	if !strings.HasPrefix(s, "'") {
		if end := strings.IndexByte(s, ','); end >= 0 {
			return end
		}
		return len(s)
	}
	return 1 + sqltext.StringEnd(s[1:])
}
