package psql

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Limits on what is kept of a transcript.
const (
	maxEvents    = 20_000 // of one file
	maxHeading   = 200    // bytes
	maxStatement = 32 << 10
	maxSQLLines  = 100 // of one echoed statement
)

// transcript makes events of what stands between plans: headings, command tags
// and sizes. It lasts for a file.
type transcript struct {
	head *source.Head
	file string
	b    *record.Batch
	kept int
	sql  []byte // the statement echoed last, until its tag is met

	// at is the time of the tables that follow, NoTime if unknown.
	at   record.Time
	from record.TimeSource
}

func newTranscript(h *source.Head, file string, b *record.Batch) *transcript {
	t := &transcript{head: h, file: file, b: b, at: record.NoTime}
	if at, ok := record.TimeFromName(h.Name); ok {
		t.at, t.from = at, record.TimeFileName
	}
	return t
}

// add adds an event at a line.
func (t *transcript) add(e record.Event, at explain.Line) {
	pos := record.Pos{File: t.file, Line: at.Number, Offset: at.Offset}
	t.kept++
	switch {
	case t.kept <= maxEvents:
		e.Pos, e.LogTime = pos, record.NoTime
		t.b.Events = append(t.b.Events, e)
		t.b.Entries++
		t.b.Understood++
	case t.kept == maxEvents+1:
		t.b.Losses = append(t.b.Losses, record.Loss{Pos: pos, Kind: record.LossCap, Count: 1,
			Text: "a transcript with more than 20,000 headings, command tags and sizes: those that follow are left out"})
	}
}

// table adds the sizes that a frame without a plan tells.
func (t *transcript) table(frame *table) {
	titles, rows := frame.sizeRows()
	for r, row := range rows {
		for _, e := range sizesOf(titles, row) {
			at := frame.columns[0].cells[r]
			if len(at) > 0 {
				t.add(e, at[0])
			}
		}
	}
}

// lines reads the lines between two frames. Where bare plans are among them,
// only what no plan contains is believed: free text is none.
func (t *transcript) lines(lines []explain.Line, bare bool) {
	for i := 0; i < len(lines); {
		i += t.read(lines[i:], bare)
	}
}

// read reads what begins at the first line and counts its lines.
func (t *transcript) read(lines []explain.Line, bare bool) int {
	if t.watched(lines[0].Text) {
		return 1
	}
	if t.notice(lines[0]) {
		return 1
	}
	text, first, prompt := cutPrompt(lines[0].Text)
	text = bytes.TrimRight(text, " \t")
	if len(text) == 0 || text[0] == '\\' {
		return 1
	}
	if command, rows, ok := cutTag(text); ok && !prompt {
		t.command(command, rows, string(text), lines[0])
		return 1
	}
	if prompt && !first {
		return 1 // the rest of a statement whose beginning was not seen
	}
	if n := t.statement(lines, text, prompt); n > 0 {
		return n
	}
	if n := t.unaligned(lines); n > 0 {
		return n
	}
	if heading, strict := cutHeading(text); heading != "" && (strict || !bare && !prompt) {
		t.add(record.Event{Kind: record.EventHeading, Text: heading}, lines[0])
	}
	return 1
}

// notice reads "NOTICE:  …" of a build, behind "psql:file:line: " where psql runs
// a script; the statement that was echoed before it is the build.
func (t *transcript) notice(line explain.Line) bool {
	message, found := cutNotice(line.Text)
	if !found {
		return false
	}
	e := record.Event{Kind: record.EventNotice, Text: message}
	rows, ok := record.BuildNotice(e.Text)
	if !ok {
		return false
	}
	if e.Count = rows; len(t.sql) > 0 && t.head.Intern != nil {
		e.Statement = t.head.Intern(t.sql)
	}
	t.add(e, line)
	return true
}

// cutNotice takes the message out of a line with a notice.
func cutNotice(line []byte) (message string, ok bool) {
	_, text, ok := bytes.Cut(line[:min(len(line), maxHeading)], []byte("NOTICE:"))
	return strings.TrimSpace(strings.ToValidUTF8(string(text), "")), ok
}

// command adds a command tag, with the statement that was echoed before it.
func (t *transcript) command(command string, rows int64, tag string, at explain.Line) {
	e := record.Event{Kind: record.EventCommand, Object: command, Count: rows, Text: tag}
	word, _, _ := strings.Cut(command, " ")
	if len(t.sql) > 0 && t.head.Intern != nil && strings.EqualFold(firstWord(t.sql), word) {
		e.Statement = t.head.Intern(t.sql)
	}
	t.sql = nil
	t.add(e, at)
}

// statement reads a statement that psql echoed or that was typed at a prompt
// and counts its lines; 0 if the lines are none. English that begins like a
// statement does not end like one.
func (t *transcript) statement(lines []explain.Line, text []byte, prompt bool) int {
	if !isSQL(text) {
		return 0
	}
	sql := bytes.Clone(text[:min(len(text), maxStatement)])
	for n := 1; ; n++ {
		if endsSQL(text) {
			t.sql = sql
			return n
		}
		if n == min(len(lines), maxSQLLines) {
			break
		}
		rest, first, ok := cutPrompt(lines[n].Text)
		text = bytes.TrimSpace(rest)
		if _, _, tag := cutTag(lines[n].Text); tag || ok && first || len(text) == 0 || text[0] == '\\' || text[0] == '#' {
			break
		}
		if len(sql)+len(text) < maxStatement {
			sql = append(append(sql, '\n'), text...)
		}
	}
	if prompt {
		return 1
	}
	return 0
}

// size reads a line that names a size and tells it: "column|value" of unaligned
// expanded output, or "name: value" as \echo prints it.
func (t *transcript) size(at explain.Line) bool {
	pair, _ := cutFields(at.Text, "|,;\t:=")
	if _, strict := cutHeading(at.Text); strict || len(pair) != 2 {
		return false
	}
	e, ok := readSize(pair[0], pair[1])
	if ok {
		t.add(e, at)
	}
	return ok
}

// unaligned reads sizes in format unaligned or csv, with or without a footer,
// and counts the lines.
func (t *transcript) unaligned(lines []explain.Line) int {
	if t.size(lines[0]) {
		return 1
	}
	titles, separator := cutFields(lines[0].Text, "|,;\t")
	if len(titles) > maxSizeColumns || len(lines) < 2 || !isHeader(titles) {
		return 0
	}
	named := nameColumn(titles) >= 0
	n := 1
	for n < len(lines) && (n == 1 || named && n <= maxSizeRows) {
		row, _ := cutFields(lines[n].Text, separator)
		sizes := sizesOf(titles, row)
		if len(row) != len(titles) || len(sizes) == 0 {
			break
		}
		for _, e := range sizes {
			t.add(e, lines[n])
		}
		n++
	}
	if n == 1 {
		return 0
	}
	return n + footer(lines[n:])
}

// isHeader tells the names of columns, one of which tells a size.
func isHeader(titles []string) bool {
	some := false
	for _, t := range titles {
		if t == "" || strings.ContainsAny(t, " :()") {
			return false
		}
		unit, _ := sizeUnit(t)
		some = some || unit != ""
	}
	return some
}

// cutFields cuts a line at the first of the separators that is in it.
func cutFields(text []byte, separators string) (fields []string, separator string) {
	const longest = 1000
	line := string(bytes.TrimSpace(text[:min(len(text), longest)]))
	for i := range separators {
		if separator = separators[i : i+1]; strings.Contains(line, separator) {
			fields = strings.Split(line, separator)
			for k := range fields {
				fields[k] = strings.Trim(strings.TrimSpace(fields[k]), `"`)
			}
			return fields, separator
		}
	}
	return []string{strings.Trim(line, `"`)}, separator
}

// cutHeading is the text of a heading: a comment, or a line of free text; ""
// if the line is none. strict says that a mark makes it one.
func cutHeading(text []byte) (heading string, strict bool) {
	text = text[:min(len(text), 4*maxHeading)]
	for _, mark := range []string{"#", "--", "==", "**", "/*"} {
		strict = strict || bytes.HasPrefix(text, []byte(mark))
	}
	heading = strings.Trim(strings.ToValidUTF8(string(text), ""), "#=-*/_~+'\" \t")
	if !strings.ContainsFunc(heading, unicode.IsLetter) {
		return "", false
	}
	if !strict && isMessage(heading) {
		return "", false
	}
	for len(heading) > maxHeading {
		_, size := utf8.DecodeLastRuneInString(heading)
		heading = heading[:len(heading)-size]
	}
	return heading, strict
}

// isMessage tells what psql or the server says of its own accord: severities
// with their details, \timing, and changes of psql's settings.
func isMessage(text string) bool {
	if strings.HasSuffix(text, " ms") || strings.HasSuffix(text, ")") && strings.Contains(text, " ms (") || isFooter([]byte(text)) {
		return true // "Time: 1.234 ms" in any language
	}
	for _, begin := range [...]string{
		"NOTICE:", "WARNING:", "INFO:", "LOG:", "DEBUG:", "ERROR:", "FATAL:", "PANIC:", "DETAIL:", "HINT:", "CONTEXT:", "STATEMENT:",
		"LINE ", "psql:", "psql (", "Timing is ", "Pager ", "Expanded display ", "Output format is ", "Border style is ", "Line style is ",
		"Tuples only is ", "Null display is ", "Default footer is ", "You are now connected ", "SSL connection ", "Type \"help\"",
	} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}
