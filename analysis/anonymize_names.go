package analysis

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/parser/source"
)

// nameKind is what a name names; of a name with several kinds the first counts.
type nameKind uint8

const (
	nameTable nameKind = iota
	nameIndex
	nameSchema
	nameDatabase
	nameUser
	nameApplication
	nameHost
	nameFolder
	nameFile
	nameOther // columns, aliases, functions, types …
	nameKinds
)

// prefix begins the replacement of a kind.
func (k nameKind) prefix() string {
	return [...]string{"t", "i", "s", "db", "u", "a", "h", "d", "f", "c"}[k]
}

// dictionary knows the names and what replaces them. Before number it collects.
type dictionary struct {
	kinds    map[string]nameKind
	replaced map[string]string // nil while collecting
	folded   map[string]string // lower case → the name, where only one has it
	longest  map[string]int    // first token of a name → most tokens of such a name
	literals map[string]bool   // texts of string constants in the input's SQL
	own      map[string]bool   // PostgreSQL's and our words
	settings map[string]bool
}

func newDictionary(names Names) *dictionary {
	d := &dictionary{
		kinds: map[string]nameKind{}, folded: map[string]string{}, longest: map[string]int{}, literals: map[string]bool{},
		own: ownWords(), settings: map[string]bool{},
	}
	for _, s := range names.Settings {
		if !strings.Contains(s, ".") { // the others may be the application's
			d.settings[s] = true
		}
	}
	d.all(nameDatabase, names.Databases)
	d.all(nameUser, names.Users)
	d.all(nameApplication, names.Applications)
	for _, s := range names.Statements {
		d.sql(s)
	}
	for _, s := range names.Patterns {
		d.all(nameOther, words(s))
	}
	for _, s := range names.Files {
		d.file(s)
	}
	return d
}

// ownWords are the words with which signatures describe themselves: a column
// that is called like one need not be replaced in prose.
func ownWords() map[string]bool {
	own := map[string]bool{}
	for _, s := range signature.List {
		texts := append([]string{s.Name, s.What, s.Why, s.Fix, s.Verify}, s.Silent...)
		for _, n := range s.Needs {
			texts = append(texts, n.Doc)
		}
		for _, t := range s.Thresholds {
			texts = append(texts, t.Unit, t.Doc)
		}
		for _, text := range texts {
			for _, w := range words(text) {
				own[strings.ToLower(w)] = true
			}
		}
	}
	return own
}

// learn collects the names that fields of r hold as such.
func (d *dictionary) learn(r *Result) {
	for i := range r.Relations {
		d.qualified(nameTable, r.Relations[i].Name)
	}
	for i := range r.Indexes {
		d.qualified(nameIndex, r.Indexes[i].Name)
		d.qualified(nameTable, r.Indexes[i].Relation)
	}
	for i := range r.Vacuums {
		v := &r.Vacuums[i]
		d.add(nameDatabase, v.Database)
		d.add(nameSchema, v.Schema)
		d.add(nameTable, v.Relation)
		for _, x := range v.Indexes {
			d.add(nameIndex, x.Name)
		}
	}
	for i := range r.Findings {
		d.subject(&r.Findings[i].Subject)
	}
	for i := range r.Suppressed {
		d.subject(&r.Suppressed[i].Finding.Subject)
	}
	if r.Comparison != nil {
		for i := range r.Comparison.Absent {
			d.subject(&r.Comparison.Absent[i].Subject)
		}
	}
}

func (d *dictionary) subject(s *finding.Subject) {
	d.add(nameDatabase, s.Database)
	d.qualified(nameTable, s.Relation)
	d.qualified(nameIndex, s.Index)
	d.add(nameApplication, s.Session)
}

// qualified adds the parts of "schema.name".
func (d *dictionary) qualified(kind nameKind, name string) {
	schema, name, found := strings.Cut(name, ".")
	if !found {
		schema, name = "", schema
	}
	d.add(nameSchema, schema)
	d.add(kind, name)
}

func (d *dictionary) all(kind nameKind, names []string) {
	for _, n := range names {
		d.add(kind, n)
	}
}

// add notes a name that is not PostgreSQL's own.
func (d *dictionary) add(kind nameKind, name string) {
	if name == "" || d.replaced != nil || postgresName(name) {
		return
	}
	if old, known := d.kinds[name]; known && old <= kind {
		return
	}
	d.kinds[name] = kind
}

// maxNameTokens bounds how far a text is compared with names: PostgreSQL's have
// at most 63 bytes.
const maxNameTokens = 64

// number gives every name its replacement, in the order of the names.
func (d *dictionary) number() {
	names := make([]string, 0, len(d.kinds))
	for n := range d.kinds {
		names = append(names, n)
	}
	slices.Sort(names)
	d.replaced = make(map[string]string, len(names))
	var count [nameKinds]int
	for _, n := range names {
		kind := d.kinds[n]
		count[kind]++
		d.replaced[n] = kind.prefix() + strconv.Itoa(count[kind])
		lower := strings.ToLower(n)
		if other, taken := d.folded[lower]; !taken || lower == n && other != n {
			d.folded[lower] = n
		}
		tokens := proseTokens(n)
		first := strings.ToLower(tokens[0])
		d.longest[first] = min(max(d.longest[first], len(tokens)), maxNameTokens)
	}
}

// lookup is the replacement of a name as it stands in a text, and what it names.
func (d *dictionary) lookup(name string) (string, nameKind, bool) {
	if r, ok := d.replaced[name]; ok {
		return r, d.kinds[name], true
	}
	if n, ok := d.folded[strings.ToLower(name)]; ok {
		return d.replaced[n], d.kinds[n], true
	}
	return "", nameOther, false
}

// identifier is the replacement of an identifier in SQL; while collecting it
// notes one that has no kind yet.
func (d *dictionary) identifier(name string) string {
	if postgresName(name) {
		return name
	}
	if _, known := d.kinds[name]; !known {
		if base, suffix := d.derivedFrom(name); base != "" {
			return d.identifier(base) + suffix
		}
	}
	if d.replaced == nil {
		d.add(nameOther, name)
		return name
	}
	if r, _, ok := d.lookup(name); ok {
		return r
	}
	return "c0" // every identifier was met by the first walk
}

// name rewrites a field that is a name, qualified or not.
func (d *dictionary) name(s string) string {
	if s == "" {
		return s
	}
	if schema, rest, found := strings.Cut(s, "."); found {
		if _, whole := d.kinds[s]; !whole {
			return d.identifier(schema) + "." + d.identifier(rest)
		}
	}
	return d.identifier(s)
}

// file rewrites a path: folders, archives and the name on their own, words that
// exports commonly use kept.
func (d *dictionary) file(path string) string {
	var b strings.Builder
	for path != "" {
		end := strings.IndexAny(path, "/\\"+source.MemberMark)
		if end < 0 {
			end = len(path)
		}
		kind := nameFile // an archive is one, too
		if end < len(path) && path[end] != source.MemberMark[0] {
			kind = nameFolder
		}
		b.WriteString(d.pathPart(kind, path[:end]))
		mark := min(end+1, len(path))
		b.WriteString(strings.ReplaceAll(path[end:mark], `\`, "/"))
		path = path[mark:]
	}
	return b.String()
}

func (d *dictionary) pathPart(kind nameKind, part string) string {
	if part == "" || part == "." || part == ".." || postgresName(part) || plainFile(part) {
		return part
	}
	ext := ""
	if kind == nameFile {
		ext = plainExtension(part)
	}
	if d.replaced == nil {
		d.add(kind, part)
		return part
	}
	return d.replaced[part] + ext
}

// plainFile reports whether a file name says nothing but what it holds and when.
func plainFile(name string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("._-+: ()=!#@", r) }) {
		if strings.Trim(w, "0123456789tz") != "" && !plainFileWord(w) {
			return false
		}
	}
	return true
}

// plainExtension is the known part of a name's extensions: ".log.gz".
func plainExtension(name string) string {
	i := len(name)
	for {
		dot := strings.LastIndexByte(name[:i], '.')
		if dot <= 0 || !plainFileWord(strings.ToLower(name[dot+1:i])) {
			return name[i:]
		}
		i = dot
	}
}

// detail rewrites what the input's format tells: of a log_line_prefix the words
// between its escapes.
func (d *dictionary) detail(s string) string {
	open, end := strings.IndexByte(s, '\''), strings.LastIndexByte(s, '\'')
	if open < 0 || end <= open {
		return d.advice(s)
	}
	var b strings.Builder
	b.WriteString(s[:open])
	tokens := proseTokens(s[open : end+1])
	for i, t := range tokens {
		if isWord(t) && (i == 0 || tokens[i-1] != "%") && !prefixWord(t) {
			t = "x"
		} else if isWord(t) && i > 0 && tokens[i-1] == "%" {
			t = strings.TrimLeft(t, "0123456789-")
			if len(t) > 1 && !prefixWord(t[1:]) {
				t = t[:1] + "x"
			}
		}
		b.WriteString(t)
	}
	return b.String() + s[end+1:]
}
