package explain

import (
	"bytes"
	"unicode/utf8"
)

// jsonOnlyKeys are keys that PostgreSQL prints and names does not have, as far
// as a line break in them must be told from one in a key of somebody else's.
var jsonOnlyKeys = map[string]bool{
	"Async Capable": true, "Inner Unique": true, "Single Copy": true, "Output": true,
	"Filter": true, "Join Filter": true, "One-Time Filter": true, "Index Cond": true,
	"Recheck Cond": true, "Hash Cond": true, "Merge Cond": true, "TID Cond": true, "Order By": true,
	"Sort Key": true, "Presorted Key": true, "Group Key": true, "Grouping Sets": true,
	"Full-sort Groups": true, "Pre-sorted Groups": true, "Cache Key": true, "Cache Mode": true,
	"Cache Hits": true, "Cache Misses": true, "Cache Evictions": true, "Cache Overflows": true,
	"Peak Memory Usage": true, "Disk Usage": true, "HashAgg Batches": true, "Planned Partitions": true,
	"Hash Buckets": true, "Original Hash Buckets": true, "Hash Batches": true, "Original Hash Batches": true,
	"Exact Heap Blocks": true, "Lossy Heap Blocks": true, "Subplans Removed": true, "Function Call": true,
	"Conflict Resolution": true, "Conflict Arbiter Indexes": true, "Conflict Filter": true,
	"Rows Removed by Conflict Filter": true, "Tuples Skipped": true, "WAL Buffers Full": true,
	"Storage": true, "Maximum Storage": true, "Window": true, "Run Condition": true, "Remote SQL": true,
	"Sampling Method": true, "Sampling Parameters": true, "Command": true, "Params Evaluated": true,
	"Memory Used": true, "Memory Allocated": true, "Serialization": true, "Output Volume": true, "JIT": true,
}

// isKnownKey tells a key of EXPLAIN's.
func isKnownKey(key []byte) bool {
	return names[string(key)] != keyUnknown || jsonOnlyKeys[string(key)]
}

// joinJSON joins what a line break has cut inside a key, a string or a number:
// PostgreSQL prints none there. A key is joined as it is known, with a blank or
// without; one that is known in neither way stays broken, which the reader
// reports.
func joinJSON(lines []Line) (mended []Line, count int, first Line) {
	j := jsonJoiner{lines: lines}
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		j.begin(i)
		quote, depth := j.quote, j.depth
		j.scan(l.Text)
		broken := j.depth > 0 && i+1 < len(lines) && j.breaks(l.Text, lines[i+1].Text)
		for n := 0; broken && n < maxJoin; n++ {
			text, ok := j.join(l.Text, lines[i+1].Text)
			if !ok {
				break
			}
			if count == 0 {
				first = l
				mended = append(make([]Line, 0, len(lines)), lines[:i]...)
			}
			count++
			i++
			l.Text = text
			j.quote, j.depth = quote, depth
			j.scan(l.Text)
			broken = i+1 < len(lines) && j.breaks(l.Text, lines[i+1].Text)
		}
		if count > 0 {
			mended = append(mended, l)
		}
	}
	return mended, count, first
}

// jsonJoiner follows strings and brackets through lines.
type jsonJoiner struct {
	lines []Line
	quote bool // inside a string
	depth int
	width int // of the longest line in runes, 0 if not known yet
}

// begin starts to follow at a line that begins a plan in JSON.
func (j *jsonJoiner) begin(i int) {
	if j.depth > 0 {
		return
	}
	j.quote = false
	text := bytes.TrimLeft(j.lines[i].Text, " \t")
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		j.depth = 0
		return
	}
	const near = 5 // lines
	for _, l := range j.lines[i:min(i+near, len(j.lines))] {
		for _, word := range [...]string{`"Plan"`, `"Query Text"`, `"Node Type"`, `"QUERY PLAN"`} {
			if bytes.Contains(l.Text, []byte(word)) {
				j.depth = 0
				j.quote = false
				return
			}
		}
	}
	j.depth = -1 << 30 // other text: its brackets count for nothing
}

// scan follows the text of one line.
func (j *jsonJoiner) scan(text []byte) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			j.quote = !j.quote
		case c == '\\' && j.quote:
			i++
		case j.quote:
		case c == '{' || c == '[':
			j.depth++
		case c == '}' || c == ']':
			j.depth--
		}
	}
	if j.depth < 0 {
		j.depth, j.quote = 0, false
	}
}

// breaks tells whether the line break between two lines cuts a token.
func (j *jsonJoiner) breaks(text, next []byte) bool {
	if bytes.HasPrefix(next, []byte(`[{"`)) || bytes.HasPrefix(next, []byte(`{"`)) {
		return false // another plan, after one that is cut
	}
	if j.quote {
		return !bytes.Contains(text, []byte(`"Query Text"`)) // which may have lines
	}
	text, next = bytes.TrimSpace(text), bytes.TrimSpace(next)
	return len(text) > 0 && len(next) > 0 && isWordByte(text[len(text)-1]) && isWordByte(next[0])
}

func isWordByte(c byte) bool {
	return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '.'
}

// join joins two lines of one token.
func (j *jsonJoiner) join(text, next []byte) ([]byte, bool) {
	if !j.quote {
		return concat(bytes.TrimRight(text, " "), nil, bytes.TrimSpace(next)), true
	}
	start := bytes.LastIndexByte(text, '"') + 1
	end := bytes.IndexByte(next, '"')
	isKey := end >= 0 && bytes.HasPrefix(bytes.TrimSpace(next[end+1:]), []byte{':'})
	if isKey {
		for _, separator := range [...][]byte{nil, blank} {
			if isKnownKey(concat(text[start:], separator, next[:end])) {
				return concat(text, separator, next), true
			}
		}
		return nil, false
	}
	if j.isFull(text) || bytes.HasSuffix(text, blank) || bytes.HasPrefix(next, blank) {
		return concat(text, nil, next), true
	}
	return concat(text, blank, next), true
}

var blank = []byte{' '}

func concat(a, b, c []byte) []byte {
	out := make([]byte, 0, len(a)+len(b)+len(c))
	return append(append(append(out, a...), b...), c...)
}

// isFull tells a line as long as any: it was cut at a width, not at a blank.
func (j *jsonJoiner) isFull(text []byte) bool {
	if j.width == 0 {
		j.width = widest(j.lines)
	}
	return utf8.RuneCount(text) >= j.width
}

// widest is the length of the longest line in runes.
func widest(lines []Line) int {
	width := 0
	for i := range lines {
		width = max(width, utf8.RuneCount(lines[i].Text))
	}
	return width
}
