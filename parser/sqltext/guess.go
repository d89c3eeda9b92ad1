package sqltext

import (
	"bytes"
	"slices"
	"strings"
)

// maxRelations caps the relations listed for one statement.
const maxRelations = 256

// nameSet collects relation names.
type nameSet struct{ names map[string]bool }

func newNameSet() nameSet { return nameSet{map[string]bool{}} }

func (s nameSet) add(name string) {
	if name != "" && len(s.names) < maxRelations {
		s.names[name] = true
	}
}

func (s nameSet) sorted() []string {
	if len(s.names) == 0 {
		return nil
	}
	out := make([]string, 0, len(s.names))
	for n := range s.names {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// guesser finds relations in canonical text without its grammar.
type guesser struct {
	set    nameSet
	ctes   map[string]bool
	target string
	// inFrom tells for each open bracket whether a comma goes on with a FROM
	// list; inside extract(x from y) FROM begins none.
	inFrom  [maxNesting]bool
	special [maxNesting]bool
	depth   int
}

// guessRelations names what follows FROM, JOIN, INTO, UPDATE, USING, TABLE and
// ONLY. The target is that of the last write whose command is not inside
// brackets, else the first inside.
func guessRelations(s []byte) (names []string, target string) {
	g := guesser{set: newNameSet(), ctes: cteNames(s)}
	var last token
	for t, rest := next(s); t.kind != tokEnd; t, rest = next(rest) {
		g.step(last, t, rest)
		last = t
	}
	return g.set.sorted(), g.target
}

func (g *guesser) step(last, t token, rest []byte) {
	switch {
	case t.is("("):
		g.enter(last)
	case t.is(")"):
		g.depth = max(g.depth-1, 0)
	case t.is(","):
		if g.depth < maxNesting && g.inFrom[g.depth] {
			g.take(rest, false)
		}
	case t.kind == tokWord && g.depth < maxNesting:
		g.keyword(last, string(t.text), rest)
	}
}

func (g *guesser) enter(last token) {
	g.depth++
	if g.depth < maxNesting {
		g.inFrom[g.depth] = false
		g.special[g.depth] = last.kind == tokWord && slices.Contains(
			[]string{"extract", "substring", "trim", "overlay", "position"}, string(last.text))
	}
}

func (g *guesser) keyword(last token, w string, rest []byte) {
	switch w {
	case "from":
		if g.special[g.depth] || last.is("distinct") {
			return
		}
		g.inFrom[g.depth] = true
		name := g.take(rest, false)
		if last.is("delete") {
			g.write(name)
		}
	case "join", "using":
		g.take(rest, false)
	case "into":
		g.write(g.take(rest, true))
	case "update":
		if !last.is("for") && !last.is("do") && !last.is("key") && !last.is("on") {
			g.write(g.take(rest, true))
		}
	case "table":
		g.take(rest, true)
	case "where", "group", "order", "having", "limit", "offset", "set", "returning", "on", "values", "select",
		"union", "intersect", "except", "window", "fetch", "for", "when":
		g.inFrom[g.depth] = false
	}
}

func (g *guesser) write(name string) {
	if name != "" && (g.target == "" || g.depth == 0) {
		g.target = name
	}
}

// take reads a relation's name at the start of s and notes it. A name with a
// bracket behind it is a function unless columns is set.
func (g *guesser) take(s []byte, columns bool) string {
	t, rest := next(s)
	for t.is("only") || t.is("lateral") || t.is("if") || t.is("not") || t.is("exists") {
		t, rest = next(rest)
	}
	var parts []string
	for t.kind == tokQuoted || t.kind == tokWord && !notRelation(string(t.text)) {
		parts = append(parts, unquote(t))
		dot, after := next(rest)
		if !dot.is(".") {
			break
		}
		t, rest = next(after)
	}
	if bracket, _ := next(rest); len(parts) == 0 || bracket.is("(") && !columns {
		return ""
	}
	if len(parts) == 1 && g.ctes[parts[0]] {
		return ""
	}
	name := strings.Join(parts[max(len(parts)-2, 0):], ".")
	g.set.add(name)
	return name
}

func notRelation(w string) bool {
	switch w {
	case "select", "values", "with", "set", "unnest", "where", "nowait", "skip", "rows", "table":
		return true
	}
	return false
}

func unquote(t token) string {
	if t.kind != tokQuoted {
		return string(t.text)
	}
	return strings.ReplaceAll(strings.Trim(string(t.text), `"`), `""`, `"`)
}

// cteNames finds name AS (, name AS MATERIALIZED ( and name (columns) AS (.
func cteNames(s []byte) map[string]bool {
	if !bytes.Contains(s, []byte("with ")) {
		return nil
	}
	ctes := map[string]bool{}
	var last, before token // before is the name in front of a list of columns
	for t, rest := next(s); t.kind != tokEnd; t, rest = next(rest) {
		if t.is("as") && opensQuery(rest) {
			if last.is(")") {
				ctes[unquote(before)] = true
			} else {
				ctes[unquote(last)] = true
			}
		}
		if t.is("(") {
			before = last
		}
		last = t
	}
	return ctes
}

func opensQuery(s []byte) bool {
	t, rest := next(s)
	for t.is("not") || t.is("materialized") {
		t, rest = next(rest)
	}
	return t.is("(")
}
