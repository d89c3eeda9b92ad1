package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/signature"
)

// The law of this repository: who may import whom, and how long things are.

const module = "github.com/pgassay/pgassay/"

// layers are the folders from the bottom up: a package imports only what stands
// before its own layer. A folder covers what is below it; the longest counts.
var layers = [][]string{
	{"parser/record"},
	{"parser/source", "parser/sqltext"},
	{"parser/explain"},
	{"parser/pglog"},
	{"parser/pgstat"},
	{"parser/psql"},
	{"parser"},
	{"analysis/finding", "analysis/stats", "analysis/ledger", "analysis/simulation"},
	{"analysis/dataset", "analysis/plandiff"},
	{"analysis/onset", "analysis/autovacuum", "analysis/series"},
	{"analysis/attribution"},
	{"analysis/signature"},
	{"analysis", "analysis/stats/calibrate"},
	{"report/view"},
	{"report/internal"},
	{"report/xlsx", "report/html"},
	{"report"},
	{"cmd"},
}

// doors are the libraries and the one folder that may use each.
var doors = map[string]string{
	"github.com/pganalyze/pg_query_go":         "parser/sqltext",
	"google.golang.org/protobuf":               "parser/sqltext",
	"github.com/klauspost/compress":            "parser/source",
	"github.com/pierrec/lz4/v4":                "parser/source",
	"github.com/ulikunitz/xz":                  "parser/source",
	"golang.org/x/text":                        "parser/source",
	"gonum.org/v1/gonum":                       "analysis/stats",
	"github.com/xuri/excelize":                 "report/xlsx",
	"github.com/spf13/cobra":                   "cmd",
	"github.com/spf13/pflag":                   "cmd",
	"github.com/schollz/progressbar/v3":        "cmd",
	"go.yaml.in/yaml/v3":                       "cmd",
	"github.com/rogpeppe/go-internal":          "cmd",
	"github.com/chromedp":                      "report/html",
	"github.com/santhosh-tekuri/jsonschema/v6": "report",
}

// Longest file and function, in lines.
const (
	maxFile     = 400
	maxFunction = 60
)

// sourceFile is one Go file of the repository.
type sourceFile struct {
	name  string // from the root, with slashes
	text  []byte
	fset  *token.FileSet
	ast   *ast.File
	layer int // index in layers, -1 if it has none
}

func (f *sourceFile) dir() string { return path.Dir(f.name) }

func (f *sourceFile) test() bool { return strings.HasSuffix(f.name, "_test.go") }

func (f *sourceFile) line(p token.Pos) int { return f.fset.Position(p).Line }

func sourceFiles(t *testing.T) []*sourceFile {
	t.Helper()
	const root = "../.."
	var files []*sourceFile
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.Contains(name, "testdata") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := &sourceFile{name: filepath.ToSlash(rel), text: text, fset: token.NewFileSet()}
		f.ast, err = parser.ParseFile(f.fset, name, text, parser.SkipObjectResolution)
		f.layer = layerOf(f.dir())
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// layerOf is the layer whose folder is the longest that holds dir.
func layerOf(dir string) int {
	best, length := -1, 0
	for i, layer := range layers {
		for _, folder := range layer {
			if within(dir, folder) && len(folder) > length {
				best, length = i, len(folder)
			}
		}
	}
	return best
}

func within(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

func TestImportsPointDown(t *testing.T) {
	for _, f := range sourceFiles(t) {
		if f.layer < 0 {
			t.Errorf("%s: no layer of the import law holds this folder", f.name)
		}
		for _, spec := range f.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if dir, ours := strings.CutPrefix(imported, module); ours {
				if dir != f.dir() && layerOf(dir) >= f.layer && !f.test() {
					t.Errorf("%s imports %s, which does not stand below it", f.name, dir)
				}
				continue
			}
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !door(f, imported) {
				t.Errorf("%s imports %s, whose door is %q", f.name, imported, doorOf(imported))
			}
		}
	}
}

func door(f *sourceFile, imported string) bool {
	folder := doorOf(imported)
	return folder != "" && within(f.dir(), folder)
}

func doorOf(imported string) string {
	for library, folder := range doors {
		if within(imported, library) {
			return folder
		}
	}
	return ""
}

func TestLengths(t *testing.T) {
	for _, f := range sourceFiles(t) {
		if n := bytes.Count(f.text, []byte("\n")); n > maxFile {
			t.Errorf("%s has %d lines, at most %d", f.name, n, maxFile)
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > maxFunction {
				t.Errorf("%s:%d: %s has %d lines, at most %d", f.name, f.line(fn.Pos()), fn.Name.Name, n, maxFunction)
			}
		}
	}
}

func TestNothingRunsBeforeMainOrEndsBehindIt(t *testing.T) {
	for _, f := range sourceFiles(t) {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s:%d: init function", f.name, f.line(fn.Pos()))
			}
		}
		if f.test() || f.name == "cmd/pgassay/main.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Exit" {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" {
					t.Errorf("%s:%d: os.Exit outside main.go", f.name, f.line(s.Pos()))
				}
			}
			return true
		})
	}
}

func TestFoldersAreNamedAfterWhatTheyHold(t *testing.T) {
	for _, f := range sourceFiles(t) {
		for _, part := range strings.Split(f.dir(), "/") {
			if slices.Contains([]string{"utils", "util", "common", "types", "manager", "helpers"}, part) {
				t.Errorf("%s: a folder named %s says nothing", f.name, part)
			}
		}
	}
}

// TestEverySignatureIsListed looks for &Signature{…} literals of package
// variables that signature.List leaves out.
func TestEverySignatureIsListed(t *testing.T) {
	defined, listed := map[string]string{}, map[string]bool{}
	for _, f := range sourceFiles(t) {
		if f.dir() != "analysis/signature" || f.test() {
			continue
		}
		for _, spec := range packageVariables(f) {
			for i, v := range spec.Values {
				switch name := spec.Names[i].Name; {
				case name == "List":
					for _, e := range v.(*ast.CompositeLit).Elts {
						listed[e.(*ast.Ident).Name] = true
					}
				case isSignature(v):
					defined[name] = f.name
				}
			}
		}
	}
	for name, file := range defined {
		if !listed[name] {
			t.Errorf("%s: %s has no line in signature.List", file, name)
		}
	}
	if len(listed) == 0 || len(listed) != len(signature.List) {
		t.Errorf("%d names listed, %d signatures in List", len(listed), len(signature.List))
	}
}

func packageVariables(f *sourceFile) []*ast.ValueSpec {
	var specs []*ast.ValueSpec
	for _, d := range f.ast.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				specs = append(specs, s.(*ast.ValueSpec))
			}
		}
	}
	return specs
}

func isSignature(e ast.Expr) bool {
	u, ok := e.(*ast.UnaryExpr)
	if !ok {
		return false
	}
	lit, ok := u.X.(*ast.CompositeLit)
	if !ok {
		return false
	}
	name, ok := lit.Type.(*ast.Ident)
	return ok && name.Name == "Signature"
}

func TestSignaturesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for _, s := range signature.List {
		for _, key := range []string{s.ID, s.Name} {
			if seen[key] {
				t.Errorf("%s %s: ID or name used twice", s.ID, s.Name)
			}
			seen[key] = true
		}
		if s.ID <= last {
			t.Errorf("%s stands after %s: List is in the order of IDs", s.ID, last)
		}
		last = s.ID
		for name, text := range map[string]string{"What": s.What, "Why": s.Why, "Fix": s.Fix, "Verify": s.Verify} {
			if strings.TrimSpace(text) == "" || !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is empty or no sentence: %q", s.ID, name, text)
			}
		}
		if strings.TrimSpace(s.Felt) == "" {
			t.Errorf("%s: Felt is empty: a story begins with what a user notices", s.ID)
		}
		if strings.HasSuffix(s.Felt, ".") {
			t.Errorf("%s: Felt ends in a full stop, though a story goes on with the time: %q", s.ID, s.Felt)
		}
		if len(s.Needs) == 0 || len(s.Silent) == 0 || s.Detect == nil {
			t.Errorf("%s: needs, what it is silent on, or Detect are missing", s.ID)
		}
		for _, n := range s.Needs {
			if !strings.Contains("PHSsVDLW", n.Letter) || len(n.Letter) != 1 || n.Doc == "" {
				t.Errorf("%s: need %q is not declared as in the catalogue", s.ID, n.Letter)
			}
		}
		for _, limit := range s.Thresholds {
			if limit.Name == "" || limit.Doc == "" {
				t.Errorf("%s: threshold %q has no name or no doc", s.ID, limit.Name)
			}
		}
	}
}
