package sqltext

import (
	"bytes"
	"reflect"

	"github.com/pganalyze/pg_query_go/v5"
	"github.com/pgassay/pgassay/parser/record"
)

// stand-ins for $n in the places where PostgreSQL's normalized texts have a
// parameter and the grammar wants a literal or a name: DO $1, FETCH $1,
// SAVEPOINT $1. Interval $1 and SET x = $1 need none.
const (
	asWritten = ""
	asString  = "''"
	asNumber  = "1"
	asName    = "p"
)

// parse fills st from pg_query's fingerprint and parse tree of canonical text;
// false if the grammar refuses the text.
func parse(s []byte, st *record.Statement) bool {
	for _, standIn := range []string{asWritten, asString, asNumber, asName} {
		text := string(s)
		if standIn != asWritten {
			text = replaceParams(s, standIn)
			if text == string(s) {
				return false
			}
		}
		fingerprint, err := pg_query.Fingerprint(text)
		if err != nil {
			continue
		}
		st.Fingerprint = fingerprint
		tree, err := pg_query.Parse(text)
		if err != nil { // text that is not UTF-8
			st.Relations, st.Target = guessRelations(s)
			return true
		}
		st.Relations, st.Target = relations(tree)
		return true
	}
	return false
}

// replaceParams puts standIn in the place of every $n.
func replaceParams(s []byte, standIn string) string {
	var out bytes.Buffer
	for t, rest := next(s); t.kind != tokEnd; t, rest = next(rest) {
		gap := len(s) - len(rest) - len(t.text)
		out.Write(s[:gap])
		if t.kind == tokParam {
			out.WriteString(standIn)
		} else {
			out.Write(t.text)
		}
		s = rest
	}
	return out.String()
}

// relations collects the tables of a parse tree and the one that is written:
// the main statement's, else that of the first write inside.
func relations(tree *pg_query.ParseResult) (names []string, target string) {
	w := treeWalk{ctes: map[string]bool{}}
	w.walk(reflect.ValueOf(tree))
	set := newNameSet()
	for _, r := range w.found {
		if r.Schemaname != "" || !w.ctes[r.Relname] {
			set.add(rangeName(r))
		}
	}
	for _, raw := range tree.Stmts {
		if r := written(raw.Stmt); r != nil {
			w.target = r
			break
		}
	}
	if w.target != nil {
		target = rangeName(w.target)
		set.add(target)
	}
	return set.sorted(), target
}

func written(n *pg_query.Node) *pg_query.RangeVar {
	if n == nil {
		return nil
	}
	switch s := n.Node.(type) {
	case *pg_query.Node_InsertStmt:
		return s.InsertStmt.Relation
	case *pg_query.Node_UpdateStmt:
		return s.UpdateStmt.Relation
	case *pg_query.Node_DeleteStmt:
		return s.DeleteStmt.Relation
	case *pg_query.Node_MergeStmt:
		return s.MergeStmt.Relation
	}
	return nil
}

func rangeName(r *pg_query.RangeVar) string {
	if r.Schemaname == "" {
		return r.Relname
	}
	return r.Schemaname + "." + r.Relname
}

// treeWalk visits every node of a parse tree. It goes by reflection: the tree
// has some 250 node types, and relations may stand in most of them.
type treeWalk struct {
	found  []*pg_query.RangeVar
	ctes   map[string]bool
	target *pg_query.RangeVar
}

func (w *treeWalk) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && w.visit(v.Interface()) {
			w.walk(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			w.walk(v.Elem())
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k != reflect.Pointer && k != reflect.Interface {
			return
		}
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Struct:
		t := v.Type()
		for i := range v.NumField() {
			if t.Field(i).IsExported() {
				w.walk(v.Field(i))
			}
		}
	}
}

// visit notes a node and tells whether to look inside.
func (w *treeWalk) visit(n any) bool {
	switch n := n.(type) {
	case *pg_query.RangeVar:
		w.found = append(w.found, n)
		return false
	case *pg_query.CommonTableExpr:
		w.ctes[n.Ctename] = true
	case *pg_query.LockingClause: // names aliases
		return false
	case *pg_query.ReindexStmt:
		return n.Kind != pg_query.ReindexObjectType_REINDEX_OBJECT_INDEX
	case *pg_query.Node:
		if r := written(n); r != nil && w.target == nil {
			w.target = r
		}
	}
	return true
}
