package explain

import (
	"bytes"
	"unicode/utf8"
)

// joinXML joins what a width limit has cut inside a tag or a value. PostgreSQL
// itself breaks lines in query texts and in constants only.
func joinXML(lines []Line) (mended []Line, count int, first Line) {
	wide := widest(lines)
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		for n := 0; n < maxJoin && i+1 < len(lines); n++ {
			full := utf8.RuneCount(lines[i].Text) >= wide
			separator, cut := cutsTag(l.Text, full)
			if !cut || isDocumentLine(lines[i+1].Text) {
				break
			}
			if count == 0 {
				first = l
				mended = append(make([]Line, 0, len(lines)), lines[:i]...)
			}
			count++
			i++
			l.Text = concat(l.Text, separator, lines[i].Text)
		}
		if count > 0 {
			mended = append(mended, l)
		}
	}
	return mended, count, first
}

// isDocumentLine tells a line that begins a document of its own.
func isDocumentLine(text []byte) bool {
	return bytes.HasPrefix(text, []byte("<explain")) || bytes.HasPrefix(text, []byte("<?xml"))
}

// cutsTag tells whether a line ends inside a tag, or, if it is as long as any,
// inside a value; separator is what the cut took away. Only a tag with
// attributes has blanks.
func cutsTag(text []byte, full bool) (separator []byte, cut bool) {
	trimmed := bytes.TrimSpace(text)
	if !bytes.HasPrefix(trimmed, []byte{'<'}) {
		return nil, false
	}
	if isTagOpen(text) {
		if bytes.HasPrefix(trimmed, []byte("<explain")) && !full {
			return blank, true
		}
		return nil, true
	}
	name, value, ok := bytes.Cut(trimmed[1:], []byte{'>'})
	return nil, ok && full && len(value) > 0 && bytes.IndexByte(value, '<') < 0 &&
		string(name) != "Query-Text" && openQuote(value, 0) == 0
}

// isTagOpen tells a line whose last tag is not closed; a name follows its
// bracket.
func isTagOpen(text []byte) bool {
	i := bytes.LastIndexByte(text, '<')
	if i < 0 || bytes.IndexByte(text[i:], '>') >= 0 {
		return false
	}
	name := bytes.TrimPrefix(text[i+1:], []byte{'/'})
	return len(name) == 0 || name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z'
}
