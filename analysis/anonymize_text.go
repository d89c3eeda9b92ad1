package analysis

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isWord reports whether a token is a word: letters, digits, "_" and "$".
func isWord(token string) bool {
	r, _ := utf8.DecodeRuneInString(token)
	return wordRune(r)
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// proseTokens cuts s into words and single other characters.
func proseTokens(s string) []string {
	var out []string
	for len(s) > 0 {
		n := wordLength(s)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s)
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// wordLength is the length of the word that s begins with, 0 if with none.
func wordLength(s string) int {
	for i, r := range s {
		if !wordRune(r) && (r != '$' || i == 0) {
			return i
		}
	}
	return len(s)
}

func words(s string) []string {
	var out []string
	for _, t := range proseTokens(s) {
		if isWord(t) {
			out = append(out, t)
		}
	}
	return out
}

// prose rewrites a text about the input: known names everywhere, and what
// stands in quotes as SQL of which nothing is known.
func (d *dictionary) prose(s string) string { return d.text(s, false) }

// advice rewrites a text of ours that names things: what stands in quotes is
// ours as well unless it is a name or literal of the input.
func (d *dictionary) advice(s string) string {
	if parameter.MatchString(s) {
		return d.rewritten(s)
	}
	return d.text(s, true)
}

// excerpt rewrites a piece of the input: a statement or a message.
func (d *dictionary) excerpt(s string) string {
	for _, verb := range [...]string{"select", "insert", "update", "delete", "merge", "with", "create", "alter", "drop", "refresh", "copy", "declare"} {
		if len(s) > len(verb) && strings.EqualFold(s[:len(verb)], verb) && !isWord(s[len(verb):]) {
			return d.sql(s)
		}
	}
	return d.prose(s)
}

func (d *dictionary) text(s string, ours bool) string {
	var b strings.Builder
	tokens := proseTokens(s)
	for i := 0; i < len(tokens); {
		t := tokens[i]
		n := 1
		switch {
		case t == `"` || t == "`":
			n = quotedLength(tokens[i:])
			b.WriteString(d.quoted(strings.Join(tokens[i:i+n], ""), t, ours))
		case t == "'" && (i == 0 || !isWord(tokens[i-1])):
			n = literalLength(tokens[i:])
			b.WriteString(d.constant(strings.Join(tokens[i:i+n], ""), ours))
		case t == "(" && i > 0 && !ours && (tokens[i-1] == "=" || i > 1 && tokens[i-2] == "contains"):
			n = bracketLength(tokens[i:])
			b.WriteString("(?)")
		default:
			var r string
			r, n = d.replacement(tokens[i:])
			b.WriteString(r)
		}
		i += n
	}
	return b.String()
}

// replacement is what stands for the longest name that tokens begin with, and
// of how many tokens it is; the first token if they begin with none.
func (d *dictionary) replacement(tokens []string) (string, int) {
	if n := addressLength(tokens); n > 0 {
		host := strings.Join(tokens[:n], "")
		if d.replaced == nil {
			d.add(nameHost, host)
		}
		r, _, _ := d.lookup(host)
		return r, n
	}
	word := tokens[0]
	for n := min(d.longest[strings.ToLower(word)], len(tokens)); n > 0; n-- {
		name := strings.Join(tokens[:n], "")
		if r, kind, ok := d.lookup(name); ok && !d.ordinary(name, kind) {
			return r, n
		}
	}
	if name, suffix := d.derivedFrom(word); name != "" {
		return d.identifier(name) + suffix, 1
	}
	return word, 1
}

// ordinary reports whether a name is left alone in prose: one that says nothing
// there.
func (d *dictionary) ordinary(name string, kind nameKind) bool {
	if utf8.RuneCountInString(name) < 2 {
		return true
	}
	lower := strings.ToLower(name)
	return (kind == nameOther || kind == nameFolder || kind == nameFile) &&
		(d.own[lower] || d.settings[lower] || reserved[lower] || structural[lower])
}

// derivedFrom splits a word that PostgreSQL makes from a known name, as
// "items_pkey_ccnew", into that name and what it added.
func (d *dictionary) derivedFrom(word string) (name, suffix string) {
	for at := strings.LastIndexByte(word, '_'); at > 0; at = strings.LastIndexByte(word[:at], '_') {
		if !indexSuffixes[strings.TrimRight(word[at+1:], "0123456789")] {
			return "", ""
		}
		if _, known := d.kinds[word[:at]]; known {
			return word[:at], word[at:]
		}
	}
	return "", ""
}

// quoted rewrites a quoted text with its quotes; what stands in it may have
// escaped them.
func (d *dictionary) quoted(s, quote string, ours bool) string {
	end := ""
	inner := s[len(quote):]
	if len(s) > 1 && strings.HasSuffix(s, quote) {
		inner, end = inner[:len(inner)-len(quote)], quote
	}
	plain := strings.ReplaceAll(strings.ReplaceAll(inner, `\`+quote, quote), quote+quote, quote)
	if r, _, ok := d.lookup(plain); ok {
		if ours {
			return r // needs no quotes
		}
		return quote + r + end
	}
	if ours {
		return quote + d.advice(inner) + end
	}
	return quote + strings.ReplaceAll(d.sql(plain), quote, `\`+quote) + end
}

// constant rewrites a text in single quotes.
func (d *dictionary) constant(s string, ours bool) string {
	inner := strings.Trim(s, "'")
	if inner == "" || ours && !d.literals[inner] {
		return strings.Replace(s, inner, d.advice(inner), 1)
	}
	return "'?'"
}

// quotedLength is the number of tokens of a quoted text, all if it has no end.
func quotedLength(tokens []string) int {
	for i := 1; i < len(tokens); i++ {
		switch tokens[i] {
		case `\`:
			i++
		case tokens[0]:
			return i + 1
		}
	}
	return len(tokens)
}

// literalLength is the number of tokens of a text in single quotes. Without an
// end it reaches to where the text was cut.
func literalLength(tokens []string) int {
	for i := 1; i < len(tokens); i++ {
		if tokens[i] == "'" && (i+1 == len(tokens) || !isWord(tokens[i+1]) && tokens[i+1] != "'") || tokens[i] == "…" {
			return i + 1
		}
	}
	return len(tokens)
}

func bracketLength(tokens []string) int {
	depth := 0
	for i, t := range tokens {
		switch t {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(tokens)
}

// addressLength is the number of tokens of the network address that tokens
// begin with, 0 if with none.
func addressLength(tokens []string) int {
	const longest = 16 // 8 groups of an IPv6 address and what is between
	n, separators := 0, 0
	for n < len(tokens) && n < longest {
		t := tokens[n]
		if t == ":" || t == "." {
			separators++
		} else if strings.Trim(t, "0123456789abcdefABCDEF") != "" {
			break
		}
		n++
	}
	for ; n > 2 && separators > 1; n-- {
		if _, err := netip.ParseAddr(strings.Join(tokens[:n], "")); err == nil {
			return n
		}
	}
	return 0
}
