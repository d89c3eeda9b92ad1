package signature

import (
	"sort"
	"strings"
	"unicode"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// experiment is a stretch of a transcript during which no index was built:
// writes, sizes and the vacuums between them.
type experiment struct {
	file      string
	rows      int64 // of the largest INSERT, COPY or SELECT before the first write
	writes    []experimentWrite
	keys      []sizeKey // in the order in which they were told
	sizes     map[sizeKey][]experimentSize
	cleanings []cleaning
	undone    []int         // for each ROLLBACK the number of writes before it
	rebuild   *record.Event // the REINDEX that it begins with; nil
	next      *experiment   // in the same transcript
}

// experimentWrite is a write with its buffers. It has no time.
type experimentWrite struct {
	costPoint
	at      int    // its number in the experiment
	heading string // in force
	content string // what the heading says of the rows written
}

// printed is what EXPLAIN prints at the root, per row: perRow and the buffers
// of the query that feeds the write.
func (w experimentWrite) printed() float64 { return float64(w.Exec.Figures.Total.Shared()) / w.Rows }

// sizeKey is one of several sizes that a transcript tells.
type sizeKey struct{ relation, column string }

type experimentSize struct {
	at         int // writes before it
	pages, err float64
	pos        record.Pos
}

// cleaning is a vacuum with dead rows to remove.
type cleaning struct {
	at             int // writes before it
	delete, vacuum *record.Event
}

// concerns reports whether the vacuum may have cleaned the relation: a
// transcript names the tables of its commands only where it echoes them.
func (c *cleaning) concerns(relation string) bool {
	return names(c.delete, relation) && names(c.vacuum, relation)
}

func names(e *record.Event, relation string) bool {
	if e.Statement == nil || len(e.Statement.Relations) == 0 {
		return true
	}
	for _, r := range e.Statement.Relations {
		if unqualified(r) == unqualified(relation) {
			return true
		}
	}
	return false
}

func unqualified(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// sizeAt is the size in force at a write: the last reading before it, else the
// first one.
func (x *experiment) sizeAt(k sizeKey, write int) *experimentSize {
	sizes := x.sizes[k]
	n := sort.Search(len(sizes), func(i int) bool { return sizes[i].at > write })
	return &sizes[max(n-1, 0)]
}

// sizeKeys are the sizes that may be an index's.
func (x *experiment) sizeKeys(relation string) []sizeKey {
	const most = 20
	var keys []sizeKey
	for _, k := range x.keys {
		if len(keys) < most && !ofTable(k, relation) {
			keys = append(keys, k)
		}
	}
	return keys
}

// ofTable tells a size that is not that of one index.
func ofTable(k sizeKey, relation string) bool {
	if unqualified(k.relation) == unqualified(relation) {
		return true
	}
	for _, w := range [...]string{"table", "heap", "toast", "total", "database", "indexes"} {
		if strings.Contains(strings.ToLower(k.column), w) {
			return true
		}
	}
	return false
}

// experimentsOf cuts a transcript where indexes are built.
func experimentsOf(t *dataset.Transcript, blockSize int64) []*experiment {
	r := experimentReader{file: t.File, block: float64(blockSize)}
	r.begin(nil)
	headed := false
	for i := range t.Steps {
		s := &t.Steps[i]
		switch {
		case s.Heading != "" && headed:
			r.heading += " " + s.Heading
		case s.Heading != "":
			r.heading = s.Heading
		case s.Command != nil:
			r.command(s.Command)
		case s.Size != nil:
			r.size(s.Size)
		case s.Execution != nil:
			r.execution(s.Execution)
		}
		headed = s.Heading != ""
	}
	return r.out
}

// experimentReader follows a transcript.
type experimentReader struct {
	file    string
	block   float64
	out     []*experiment
	now     *experiment
	heading string
	rows    int64
	open    bool          // inside a transaction
	pending *record.Event // a DELETE or UPDATE that is not committed
	deleted *record.Event // one whose rows are dead
}

func (r *experimentReader) begin(rebuild *record.Event) {
	if r.now != nil && len(r.now.writes) == 0 {
		r.out = r.out[:len(r.out)-1]
	}
	x := &experiment{file: r.file, rows: r.rows, rebuild: rebuild, sizes: map[sizeKey][]experimentSize{}}
	if n := len(r.out); n > 0 {
		r.out[n-1].next = x
	}
	r.out, r.now = append(r.out, x), x
	r.deleted, r.pending = nil, nil
}

func (r *experimentReader) command(e *record.Event) {
	switch e.Object {
	case "BEGIN", "START TRANSACTION":
		r.open, r.pending = true, nil
	case "COMMIT":
		if r.pending != nil {
			r.deleted = r.pending
		}
		r.open, r.pending = false, nil
	case "ROLLBACK":
		r.open, r.pending = false, nil
		r.now.undone = append(r.now.undone, len(r.now.writes))
	case "DELETE", "UPDATE", "MERGE":
		r.removes(e)
	case "INSERT", "COPY", "SELECT":
		if len(r.now.writes) == 0 {
			r.rows = max(r.rows, e.Count)
			r.now.rows = r.rows
		}
	case "VACUUM":
		if r.deleted != nil {
			r.now.cleanings = append(r.now.cleanings, cleaning{len(r.now.writes), r.deleted, e})
		}
		r.deleted = nil
	case "REINDEX":
		r.begin(e)
	case "CREATE TABLE", "DROP TABLE", "TRUNCATE TABLE":
		r.rows = 0
		r.begin(nil)
	case "CREATE INDEX", "DROP INDEX", "CLUSTER":
		r.begin(nil)
	}
}

// removes notes rows that a vacuum can remove once they are committed.
func (r *experimentReader) removes(e *record.Event) {
	switch {
	case e.Count <= 0:
	case r.open:
		r.pending = e
	default:
		r.deleted = e
	}
}

func (r *experimentReader) size(e *record.Event) {
	s := experimentSize{at: len(r.now.writes), pages: float64(e.Count), err: float64(e.CountErr), pos: e.Pos}
	if e.Unit == record.UnitBytes {
		s.pages, s.err = s.pages/r.block, s.err/r.block
	}
	if !(s.pages > 0) {
		return
	}
	x, k := r.now, sizeKey{e.Text, e.Object}
	if len(x.sizes[k]) == 0 {
		x.keys = append(x.keys, k)
	}
	x.sizes[k] = append(x.sizes[k], s)
}

func (r *experimentReader) execution(e *dataset.Execution) {
	f := e.Figures
	if f == nil || !f.IsWrite || !f.HasRows || f.Rows <= 0 {
		return
	}
	switch e.Statement.Command {
	case "DELETE":
		r.removes(&record.Event{Pos: e.Pos, Kind: record.EventCommand, Object: "DELETE", Count: int64(f.Rows.Float()), Statement: e.Statement.Statement})
	case "INSERT", "UPDATE", "MERGE":
		if f.HasBuffers && e.Statement.Statement.Target != "" {
			point := costPoint{At: record.NoTime, Rows: f.Rows.Float(), Buffers: float64(f.Own.Shared()), N: 1, Exec: e}
			r.now.writes = append(r.now.writes, experimentWrite{costPoint: point, at: len(r.now.writes), heading: r.heading, content: contentOf(r.heading)})
		}
	}
}

// contentOf is what a heading says of the rows written: "nnz=500" of "L1 large
// insert (nnz=500), first after vacuum", and "large insert" without the part in
// parentheses. Writes of one content are comparable.
func contentOf(heading string) string {
	heading = strings.ToLower(heading)
	var settings, others []string
	for rest := heading; ; {
		_, inside, ok := strings.Cut(rest, "(")
		if !ok {
			break
		}
		inside, rest, _ = strings.Cut(inside, ")")
		for _, part := range strings.FieldsFunc(inside, func(r rune) bool { return r == ',' || r == ';' }) {
			if part = strings.TrimSpace(part); strings.ContainsRune(part, '=') {
				settings = append(settings, part)
			} else if words := contentWords(part); words != "" {
				others = append(others, words)
			}
		}
	}
	if len(settings) > 0 {
		return strings.Join(settings, ", ")
	}
	if len(others) > 0 {
		return strings.Join(others, ", ")
	}
	begin := heading
	for _, end := range [...]string{",", ";", "(", " before ", " after "} {
		begin, _, _ = strings.Cut(begin, end)
	}
	if words := contentWords(begin); words != "" {
		return words
	}
	return contentWords(heading)
}

// phaseWords say when or how often something was done, not what.
const phaseWords = " before after first second third last again repeat repeated once more delete deleted vacuum vacuumed reindex " +
	"reindexed rebuild rebuilt analyze the a an of then now fresh warm cold baseline" + numberedWords

// numberedWords may have a number behind them.
const numberedWords = " step run test case repeat "

// contentWords are the words of a text that are no labels and no phase.
func contentWords(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	var out []string
	for i, w := range words {
		label := strings.TrimLeftFunc(w, unicode.IsLetter) != "" && len(strings.TrimRight(w, "0123456789")) <= 1
		numbered := i > 0 && label && strings.Contains(numberedWords, " "+words[i-1]+" ")
		if strings.Contains(phaseWords, " "+w+" ") || label && i == 0 || numbered {
			continue
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
