package pglog

import (
	"bytes"
	"strings"
)

// maxWords is how many constant words of a prefix are tried as values.
const maxWords = 4

// wordsOf are the places in a log_line_prefix of constant words between
// delimiters that are no key of a key=value: where all clients share a user or a
// database, its name looks like that.
func wordsOf(text string) []span {
	var list []span
	for i := 0; i < len(text); {
		if text[i] == '%' {
			for i++; i+1 < len(text) && (text[i] == '-' || text[i]-'0' < 10); i++ {
			}
			i++
			continue
		}
		start, letters := i, false
		if isBracketed([]byte(text[i:])) {
			i += strings.IndexByte(text[i:], ']') + 1
			list = append(list, span{int32(start), int32(i)})
			continue
		}
		for i < len(text) && isNameByte(text[i]) {
			letters = letters || text[i]|0x20-'a' < 26 || text[i] >= 0x80
			i++
		}
		if i == start {
			i++
			continue
		}
		delimited := start == 0 || text[start-1]|0x20-'a' >= 26
		if letters && delimited && (i == len(text) || text[i] != '=') {
			list = append(list, span{int32(start), int32(i)})
		}
	}
	return list[:min(len(list), maxWords)]
}

func isNameByte(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '-' || c == '.' || c >= 0x80
}

// freed are the prefixes with some constant words of text taken for values.
func freed(text string, lines []sampleLine) []string {
	words := wordsOf(text)
	p, err := compilePrefix(text)
	if err != nil {
		return nil
	}
	var list []string
	for chosen := 1; chosen < 1<<len(words); chosen++ {
		var out strings.Builder
		at, used := int32(0), p.has
		for i, w := range words {
			if chosen>>i&1 == 0 {
				continue
			}
			letter := nameLetter(text[w.start:w.end], &used, lines)
			if letter == 0 {
				continue
			}
			out.WriteString(text[at:w.start])
			out.WriteByte('%')
			out.WriteByte(letter)
			at = w.end
		}
		list = append(list, out.String()+text[at:])
	}
	return list
}

// nameLetter is the escape that may have printed name: a database where only
// messages about databases have it, else the next of user, database and
// application. 0 if all are used.
func nameLetter(name string, used *[fieldCount]bool, lines []sampleLine) byte {
	letters := "uda"
	if isDatabase(name, lines) {
		letters = "dua"
	}
	for i := range letters {
		if field := strings.IndexByte(escapes, letters[i]); !used[field] {
			used[field] = true
			return letters[i]
		}
	}
	return 0
}

// isDatabase reports whether messages of the server call name a database.
func isDatabase(name string, lines []sampleLine) bool {
	for _, l := range lines {
		message := l.line[l.label:]
		if bytes.Contains(message, []byte(" database="+name)) || bytes.Contains(message, []byte(` of table "`+name+`.`)) {
			return true
		}
	}
	return false
}

// loose is the prefix with its constant words taken for values, nil if it has
// none or nothing else that tells a line of the log. It reads the lines of
// processes that have no such value, of which the head may show none.
func (p *prefix) loose(lines []sampleLine) *prefix {
	if !p.hasAny("mtnpc") {
		return nil
	}
	list := freed(p.text, lines)
	if len(list) == 0 || list[len(list)-1] == p.text {
		return nil
	}
	q, err := compilePrefix(list[len(list)-1])
	if err != nil {
		return nil
	}
	return q
}
