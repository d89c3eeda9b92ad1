package pglog

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"github.com/pgassay/pgassay/parser/record"
)

// Messages in other languages are turned into English by templates and then
// read as English ones: the figures and texts stay, the words around them
// change. The templates are those of PostgreSQL's translations, as far as they
// matter here; auto_explain's and csvlog's own words are never translated.

// language is the templates of one translation.
type language struct {
	name     string
	messages []translation // of whole messages
	lines    []translation // of the further lines of an automatic vacuum or analyze
	details  []translation
	words    []string // frequent in its messages, to name the language
}

// translation is a message in another language and in English. "{1}" stands for
// any text, "{#1}" for a number; texts end where what follows is found first.
type translation struct{ native, english string }

// languages in the order in which they are tried.
func languages() []*language {
	return []*language{
		german(), french(), spanish(), portuguese(), japanese(), russian(), chinese(),
	}
}

// template is a compiled translation.
type template struct {
	parts   []templatePart // of the native text
	english []templatePart
}

// templatePart is a literal, then a value; value is 0 behind the last literal.
type templatePart struct {
	literal string
	value   int
	number  bool
}

// translations are the templates of all languages by their first byte, and the
// messages that begin with a value.
type translations struct {
	messages, details, lines [256][]*template
}

var compiled = sync.OnceValue(func() *translations {
	t := new(translations)
	for _, l := range languages() {
		for _, list := range [...]struct {
			from []translation
			to   *[256][]*template
		}{{l.messages, &t.messages}, {l.details, &t.details}, {l.lines, &t.lines}} {
			for _, tr := range list.from {
				for _, native := range spellings(tr.native) {
					c := &template{templateParts(native), templateParts(tr.english)}
					first := c.parts[0].literal[0]
					list.to[first] = append(list.to[first], c)
				}
			}
		}
	}
	return t
})

// spellings are a template with plain blanks, and with the no-break spaces that
// newer French translations put before colons and inside quotes.
func spellings(native string) []string {
	hard := strings.NewReplacer(" :", "\u00a0:", "« ", "«\u00a0", " »", "\u00a0»", " ;", "\u00a0;").Replace(native)
	if hard == native {
		return []string{native}
	}
	return []string{native, hard}
}

// templateParts splits a text at its placeholders.
func templateParts(text string) []templatePart {
	var parts []templatePart
	for {
		literal, rest, ok := strings.Cut(text, "{")
		if !ok {
			return append(parts, templatePart{literal: literal})
		}
		name, after, _ := strings.Cut(rest, "}")
		number := strings.HasPrefix(name, "#")
		value, _ := strconv.Atoi(strings.TrimPrefix(name, "#"))
		parts = append(parts, templatePart{literal, value, number})
		text = after
	}
}

// maxValues is one more than the highest number of a placeholder.
const maxValues = 12

// match finds the values of a text that has the form of the template.
func (t *template) match(text []byte, values *[maxValues][]byte) bool {
	c := cursor{text}
	for i, p := range t.parts {
		if !c.lit(p.literal) {
			return false
		}
		if p.value == 0 {
			return len(c.b) == 0
		}
		next := t.parts[i+1].literal
		n := len(c.b)
		switch {
		case p.number:
			n = numberLength(c.b)
		case next != "":
			n = bytes.Index(c.b, []byte(next))
		}
		if n < 0 || p.number && n == 0 {
			return false
		}
		values[p.value], c.b = c.b[:n], c.b[n:]
	}
	return true
}

// numberLength is the length of the decimal that b begins with, with a point or
// a comma, which must have a digit behind it.
func numberLength(b []byte) int {
	n := digits(b)
	if n > 0 && n+1 < len(b) && (b[n] == '.' || b[n] == ',') && b[n+1]-'0' < 10 {
		n += 1 + digits(b[n+1:])
	}
	return n
}

// translate appends the English of a text to out; false if no template has its
// form.
func translate(list *[256][]*template, text, out []byte) ([]byte, bool) {
	if len(text) == 0 {
		return out, false
	}
	var values [maxValues][]byte
	for _, t := range list[text[0]] {
		if !t.match(text, &values) {
			continue
		}
		for _, p := range t.english {
			out = append(append(out, p.literal...), values[p.value]...)
		}
		return out, true
	}
	return out, false
}

// english is the message in English, nil if it is not understood. What a value
// of a message holds over several lines is kept; the lines of an automatic
// vacuum are translated one by one.
func (w *worker) english(message []byte) []byte {
	t := compiled()
	start := len(w.scratch)
	if out, ok := translate(&t.messages, message, w.scratch); ok {
		w.scratch = out
		return out[start:len(out):len(out)]
	}
	line, next := cutLine(message, 0)
	out, ok := translate(&t.messages, line, w.scratch)
	if !ok || next == len(message) || !bytes.HasPrefix(out[start:], []byte("automatic ")) {
		return nil
	}
	for rest := message[next:]; len(rest) > 0; rest = rest[next:] {
		line, next = cutLine(rest, 0)
		out = append(out, '\n')
		if out, ok = translate(&t.lines, line, out); !ok {
			out = append(out, line...)
		}
	}
	w.scratch = out
	return out[start:len(out):len(out)]
}

// englishDetail is the DETAIL in English; as it stands if it is not understood.
func (w *worker) englishDetail(detail []byte) []byte {
	start := len(w.scratch)
	out, ok := translate(&compiled().details, detail, w.scratch)
	if !ok {
		return detail
	}
	w.scratch = out
	return out[start:len(out):len(out)]
}

// foreign tries a message of severity LOG again in English.
func (w *worker) foreign(e *record.Entry) bool {
	message := w.english(e.Message)
	if message == nil {
		if name := languageOf(e.Message); name != "" {
			w.loss(record.LossLanguage, name+" messages not understood; plans and SQLSTATE were read", e.Pos, 1)
		}
		return false
	}
	e.Message, e.Detail = message, w.englishDetail(e.Detail)
	return w.log(e)
}

// languageOf names the language of a message by its script or its frequent
// words; "" if it is English or cannot be told.
func languageOf(message []byte) string {
	line, _ := cutLine(message, 0)
	line = line[:min(len(line), maxText)]
	switch {
	case hasRune(line, 'ぁ', 'ヿ'):
		return "Japanese"
	case hasRune(line, 'а', 'я'):
		return "Russian"
	case hasRune(line, '一', '鿿'):
		return "Chinese"
	}
	best, most := "", 0
	for _, l := range compiledWords() {
		n := 0
		for _, word := range l.words {
			if bytes.Contains(line, []byte(word)) {
				n++
			}
		}
		if n > most {
			best, most = l.name, n
		}
	}
	return best
}

var compiledWords = sync.OnceValue(languages)

func hasRune(text []byte, from, to rune) bool {
	return bytes.ContainsFunc(text, func(r rune) bool { return r >= from && r <= to })
}
