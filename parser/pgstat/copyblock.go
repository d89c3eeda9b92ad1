package pgstat

import (
	"bytes"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// copyBlock is one COPY … FROM stdin of a script: pg_gather and pg_dump write
// such.
type copyBlock struct {
	table   string
	columns []string // nil if the command names none
	rows    []copyRow
}

type copyRow struct {
	pos    record.Pos
	values []record.Value
}

// fields pairs a row's values with the names of the block's columns, or with
// known if the block has none.
func (b *copyBlock) fields(r *copyRow, known []string) fields {
	names := b.columns
	if names == nil {
		names = known
	}
	f := make(fields, 0, len(r.values))
	for i := range min(len(names), len(r.values)) {
		f = append(f, field{names[i], r.values[i]})
	}
	return f
}

// copyBlocks reads the blocks of a script. What psql itself says between their
// rows is passed over.
func (x *foreign) copyBlocks(s []byte) []copyBlock {
	var blocks []copyBlock
	open := false
	for at := 0; at < len(s); {
		line, n := firstLineAt(s, at)
		switch {
		case bytes.Equal(line, []byte(`\.`)):
			open = false
		case open && !isPsqlNoise(line):
			b := &blocks[len(blocks)-1]
			values := copyValues(line)
			if b.columns != nil && len(values) != len(b.columns) {
				x.batch.Entries++
				x.lose(x.pos(at), "a row of COPY "+b.table+" has not as many columns as the command")
			} else {
				b.rows = append(b.rows, copyRow{x.pos(at), values})
			}
		case !open:
			if b, ok := copyCommand(line); ok {
				blocks, open = append(blocks, b), true
			}
		}
		at = n
	}
	return blocks
}

// firstLineAt is the line at an offset, without its end, and the offset behind
// it.
func firstLineAt(s []byte, at int) (line []byte, after int) {
	n := bytes.IndexByte(s[at:], '\n')
	if n < 0 {
		return bytes.TrimSuffix(s[at:], []byte{'\r'}), len(s)
	}
	return bytes.TrimSuffix(s[at:at+n], []byte{'\r'}), at + n + 1
}

// isPsqlNoise tells what psql prints among the rows: the prompt of its
// settings, and the queries that \gexec runs.
func isPsqlNoise(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return true
	}
	for _, begin := range []string{"SELECT pg_sleep", "PREPARE", "Pager ", "Tuples only ", "Output format ", "COPY "} {
		if bytes.HasPrefix(line, []byte(begin)) {
			return true
		}
	}
	return false
}

// copyCommand reads COPY table (columns) FROM stdin;
func copyCommand(line []byte) (copyBlock, bool) {
	rest, ok := strings.CutPrefix(string(line), "COPY ")
	if !ok {
		return copyBlock{}, false
	}
	rest, ok = strings.CutSuffix(strings.TrimRight(rest, "; "), "FROM stdin")
	if !ok {
		return copyBlock{}, false
	}
	table, list, has := strings.Cut(rest, "(")
	b := copyBlock{table: strings.Trim(strings.TrimSpace(table), `"`)}
	if _, name, qualified := strings.Cut(b.table, "."); qualified {
		b.table = strings.Trim(name, `"`)
	}
	if !has {
		return b, b.table != ""
	}
	for _, c := range strings.Split(strings.TrimRight(strings.TrimSpace(list), ")"), ",") {
		b.columns = append(b.columns, strings.ToLower(strings.Trim(strings.TrimSpace(c), `"`)))
	}
	return b, b.table != "" && len(b.columns) <= maxColumns
}

// copyValues splits a row of COPY's text format.
func copyValues(line []byte) []record.Value {
	parts := bytes.Split(line, []byte{'\t'})
	values := make([]record.Value, len(parts))
	for i, p := range parts {
		if string(p) != `\N` {
			values[i] = record.Value{Text: copyText(p), Valid: true}
		}
	}
	return values
}

// copyText undoes the escapes of COPY's text format.
func copyText(p []byte) string {
	if bytes.IndexByte(p, '\\') < 0 {
		return string(p)
	}
	out := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		if p[i] != '\\' || i+1 == len(p) {
			out = append(out, p[i])
			continue
		}
		i++
		switch p[i] {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		default:
			out = append(out, p[i])
		}
	}
	return string(out)
}
