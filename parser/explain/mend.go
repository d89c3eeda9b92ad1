package explain

import (
	"bytes"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// pass undoes one kind of damage. It returns the lines as they were, or the
// lines mended, how many were, and the first of them.
type pass struct {
	name  string
	apply func([]Line) (mended []Line, count int, first Line)
}

// carriers are what chats, mails, markdown and terminals put around lines. They
// come off from the outside in.
var carriers = [...]pass{
	{"non-breaking spaces", plainSpaces},
	{"quote marks", unquoteLines},
	{"code fences", removeFences},
	{"line numbers", removeNumbers},
	{"escaped control characters", restoreControls},
	{"syslog prefixes", removeSyslog},
	{"escaped text", unescapeText},
	{"doubled quotes", unquoteCells},
	{"tabs", expandTabs},
}

// breaks are what width limits do to the text of plans.
var breaks = [...]pass{
	{"broken JSON", joinJSON},
	{"broken XML", joinXML},
	{"broken lines", joinText},
}

// Unwrap takes off the lines what chats, mails, markdown and terminals put
// around them, and notes each repair in b.
func Unwrap(lines []Line, file string, b *record.Batch) []Line {
	return mend(lines, carriers[:], file, b)
}

// mend applies passes in order.
func mend(lines []Line, passes []pass, file string, b *record.Batch) []Line {
	for _, p := range passes {
		mended, count, first := p.apply(lines)
		if count == 0 {
			continue
		}
		lines = mended
		b.Repairs = append(b.Repairs, record.Repair{
			Pos:   record.Pos{File: file, Line: first.Number, Offset: first.Offset},
			Name:  p.name,
			Count: int64(count),
		})
	}
	return lines
}

// edit applies change to each line; a pass that keeps the number of lines.
func edit(lines []Line, change func(text []byte) ([]byte, bool)) (mended []Line, count int, first Line) {
	for i := range lines {
		text, changed := change(lines[i].Text)
		if !changed {
			continue
		}
		if count == 0 {
			first = lines[i]
			mended = slices.Clone(lines)
		}
		mended[i].Text = text
		count++
	}
	return mended, count, first
}

// plainSpaces replaces the blanks of HTML by plain ones outside quotes.
func plainSpaces(lines []Line) ([]Line, int, Line) {
	return edit(lines, func(text []byte) ([]byte, bool) {
		if !bytes.Contains(text, []byte("\u00a0")) && !bytes.Contains(text, []byte("\u200b")) {
			return nil, false
		}
		out := make([]byte, 0, len(text))
		var quote rune
		changed := false
		for _, r := range string(text) {
			switch {
			case quote == 0 && r == '\u200b':
				changed = true
				continue
			case quote == 0 && r == '\u00a0':
				r, changed = ' ', true
			case quote == 0 && (r == '\'' || r == '"'):
				quote = r
			case quote == r:
				quote = 0
			}
			out = append(out, string(r)...)
		}
		return out, changed
	})
}

// unquoteLines takes off the marks of quoted mail and markdown. Lines that begin
// so by chance stand alone.
func unquoteLines(lines []Line) ([]Line, int, Line) {
	mended, count, first := edit(lines, func(text []byte) ([]byte, bool) {
		quoted := false
		for len(text) > 0 && text[0] == '>' {
			text = bytes.TrimPrefix(text[1:], []byte{' '})
			quoted = true
		}
		return text, quoted
	})
	start := slices.IndexFunc(lines, isQuoted)
	end := len(lines)
	for end > 0 && count > 0 && !isQuoted(lines[end-1]) {
		end--
	}
	for i := start; i >= 0 && i < end; i++ {
		if isBlank(lines[i].Text) {
			start++
		}
	}
	const least = 3
	if count < least || 2*count < end-start || !slices.ContainsFunc(mended, func(l Line) bool {
		return isPlanLine(l.Text) || isHeader(bytes.TrimSpace(l.Text))
	}) {
		return nil, 0, Line{}
	}
	return mended, count, first
}

func isQuoted(l Line) bool { return bytes.HasPrefix(l.Text, []byte{'>'}) }

// removeFences makes the fences of markdown blank.
func removeFences(lines []Line) ([]Line, int, Line) {
	return edit(lines, func(text []byte) ([]byte, bool) {
		text = bytes.TrimSpace(text)
		return nil, bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(text, []byte("~~~"))
	})
}

// minNumbered is how many lines in a row must count on for their numbers to be
// none of the text.
const minNumbered = 3

// removeNumbers takes line numbers off runs of lines that hold plans.
func removeNumbers(lines []Line) (mended []Line, count int, first Line) {
	for i := 0; i < len(lines); {
		n, end, plan := int64(0), i, false
		for ; end < len(lines); end++ {
			number, rest, ok := cutNumber(lines[end].Text)
			if !ok || end > i && number != n+1 {
				break
			}
			n = number
			plan = plan || isPlanLine(rest)
		}
		if end-i < minNumbered || !plan {
			i = max(end, i+1)
			continue
		}
		if count == 0 {
			first, mended = lines[i], slices.Clone(lines)
		}
		count += end - i
		for ; i < end; i++ {
			_, mended[i].Text, _ = cutNumber(lines[i].Text)
		}
	}
	return mended, count, first
}

// cutNumber cuts "12. text", "12: text", "12) text", "12| text" and what cat -n
// prints.
func cutNumber(text []byte) (number int64, rest []byte, ok bool) {
	const digits = 9
	text = bytes.TrimLeft(text, " ")
	i := 0
	for i < len(text) && i < digits && text[i]-'0' <= 9 {
		number = number*10 + int64(text[i]-'0')
		i++
	}
	if i == 0 {
		return 0, nil, false
	}
	rest = text[i:]
	marked := len(rest) > 0 && bytes.IndexByte([]byte(".:)|"), rest[0]) >= 0
	if marked {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return number, rest, true
	}
	return number, rest[1:], rest[0] == ' ' || rest[0] == '\t'
}

// isPlanLine tells a line that only a plan has.
func isPlanLine(text []byte) bool {
	text = bytes.TrimSpace(text)
	return bytes.HasPrefix(text, []byte("->  ")) || isRoot(text, true) ||
		bytes.Contains(text, []byte(`"Node Type"`)) || bytes.Contains(text, []byte("<Node-Type>")) ||
		bytes.Contains(text, []byte("Node Type: "))
}

// restoreControls restores what syslog daemons write for TAB and line break.
func restoreControls(lines []Line) (mended []Line, count int, first Line) {
	lf, tab := []byte("#012"), []byte("#011")
	for i := range lines {
		l := lines[i]
		if !bytes.Contains(l.Text, lf) && !bytes.HasPrefix(l.Text, tab) {
			if count > 0 {
				mended = append(mended, l)
			}
			continue
		}
		if count == 0 {
			first = l
			mended = append(make([]Line, 0, len(lines)), lines[:i]...)
		}
		count++
		for text := range bytes.SplitSeq(l.Text, lf) {
			l.Text = bytes.ReplaceAll(text, tab, []byte{'\t'})
			mended = append(mended, l)
		}
	}
	return mended, count, first
}

// removeSyslog takes syslog's prefix off the lines that PostgreSQL made of one
// entry: "… postgres[123]: [5-2] #011text".
func removeSyslog(lines []Line) ([]Line, int, Line) {
	mended, count, first := edit(lines, func(text []byte) ([]byte, bool) {
		at, part := syslogPart(text)
		if part < 2 {
			return nil, false
		}
		text = bytes.TrimPrefix(text[at:], []byte("#011"))
		return bytes.TrimPrefix(text, []byte{'\t'}), true
	})
	return mended, count, first
}

// syslogPart finds the end of "]: [entry-part] " and the part's number, 0 if
// there is none.
func syslogPart(text []byte) (end int, part int64) {
	i := bytes.Index(text[:min(len(text), 200)], []byte("]: ["))
	if i < 0 {
		return 0, 0
	}
	counter, _, ok := bytes.Cut(text[i+len("]: ["):], []byte("] "))
	entry, number, dash := bytes.Cut(counter, []byte{'-'})
	_, _, isEntry := fixed(entry, 0)
	part, _, isPart := fixed(number, 0)
	if !ok || !dash || !isEntry || !isPart {
		return 0, 0
	}
	return i + len("]: [") + len(counter) + len("] "), part
}
