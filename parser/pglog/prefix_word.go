package pglog

import (
	"bytes"
	"strings"
	"unicode"
)

// backendTypes are values of %b; several words long, they must be known.
var backendTypes = [...]string{
	"client backend", "autovacuum launcher", "autovacuum worker", "background writer", "background worker",
	"checkpointer", "logical replication launcher", "logical replication worker", "logical replication apply worker",
	"parallel worker", "postmaster", "startup", "walreceiver", "walsender", "walwriter", "archiver",
	"stats collector", "not initialized", "slotsync worker", "io worker", "logger", "walsummarizer",
}

// commandTags are values of %i that are no names.
var commandTags = [...]string{
	"idle in transaction (aborted)", "idle in transaction", "idle", "authentication", "startup", "SELECT", "INSERT",
	"UPDATE", "DELETE", "MERGE", "BEGIN", "COMMIT", "ROLLBACK", "SET", "COPY", "PARSE", "BIND", "EXECUTE",
}

// word recognises a bare value: numbers, addresses, user@database, known
// backend types and command tags, and names in their usual order.
func (s *shaper) word() bool {
	c := s.rest[0]
	if c == ' ' || c == ',' || c == ':' || c == '|' || c == ';' || c == '(' || c == ')' || c == '<' || c == '>' {
		return false
	}
	if s.phrase() {
		return true
	}
	n := s.wordLength()
	if n == 0 || c == '-' && digits(s.rest[1:n]) < 11 {
		return false
	}
	w := s.rest[:n]
	switch {
	case digits(w) == n && n < 20 && (n != 5 || !s.has('p') || w[0] != '0'):
		return s.emit(s.numberLetter(n), 0, n)
	case w[0] == '-' && digits(w[1:]) == n-1 && n > 10:
		return s.emit('Q', 0, n)
	case pairLength(w, '/', digits) == n:
		return s.emit('v', 0, n)
	case isSQLState(w):
		return s.emit('e', 0, n)
	case string(w) == "[local]" || isRemote(w):
		return s.emit('r', 0, n)
	case isAddress(w):
		return s.emit('h', 0, n)
	case bytes.IndexByte(w, '@') >= 0:
		return s.atPair(n)
	case !bytes.ContainsFunc(w, unicode.IsLetter):
		return false
	}
	return s.name(n)
}

// phrase recognises values of several words.
func (s *shaper) phrase() bool {
	for _, letter := range []byte("bi") {
		if n := knownValue(letter, s.rest); n > 0 && !s.has(letter) {
			return s.emitPadded(letter, n)
		}
	}
	return false
}

// knownValue is the length of the backend type or command tag that text starts
// with, 0 if it is none that is known.
func knownValue(letter byte, text []byte) int {
	known := backendTypes[:]
	if letter == 'i' {
		known = commandTags[:]
	}
	for _, value := range known {
		n := len(value)
		if len(text) >= n && string(text[:n]) == value && (len(text) == n || strings.IndexByte(" ,:;|)]-", text[n]) >= 0) {
			return n
		}
	}
	return 0
}

// wordLength ends a word at a separator; colons belong to it only in an
// address.
func (s *shaper) wordLength() int {
	n := bytes.IndexAny(s.rest, " ,;|")
	if n < 0 {
		n = len(s.rest)
	}
	if colon := bytes.IndexByte(s.rest[:n], ':'); colon >= 0 && !isAddress(s.rest[:n]) && !isRemote(s.rest[:n]) {
		n = colon
	}
	n = unclosed(s.rest[:n], '[', ']')
	n = unclosed(s.rest[:n], '<', '>')
	return unclosed(s.rest[:n], '(', ')')
}

// unclosed ends w before a closing bracket that was not opened in it.
func unclosed(w []byte, open, closing byte) int {
	if i := bytes.IndexByte(w, closing); i >= 0 && bytes.IndexByte(w[:i], open) < 0 {
		return i
	}
	return len(w)
}

// emitPadded emits a value of n bytes with the blanks that pad it.
func (s *shaper) emitPadded(letter byte, n int) bool {
	width := s.padding(n)
	return s.emit(letter, width, max(n, -width))
}

// atPair is user@database, even if the user stood before.
func (s *shaper) atPair(n int) bool {
	s.seen[fieldUser], s.seen[fieldDatabase] = false, false
	at := bytes.LastIndexByte(s.rest[:n], '@')
	s.emit('u', 0, at)
	s.literal(1)
	return s.emit('d', 0, n-at-1)
}

// name gives a bare name the next of user, database, application and host. What
// stands before the time is no value but a word of the prefix.
func (s *shaper) name(n int) bool {
	if s.has('m') || s.has('t') || s.has('n') {
		if isProgram(s.rest[:n]) && !s.has('a') {
			return s.emitPadded('a', n)
		}
		for _, letter := range []byte("uda") {
			if !s.has(letter) {
				return s.emitPadded(letter, n)
			}
		}
	}
	s.literal(n)
	return true
}

// isProgram knows application names that are no names of users or databases.
func isProgram(w []byte) bool {
	switch string(w) {
	case "psql", "pgbench", "pg_dump", "pg_restore", "pg_basebackup", "PostgreSQL", "pgAdmin", "DBeaver", "walreceiver":
		return true
	}
	return false
}

// isRemote recognises %r: host(port).
func isRemote(w []byte) bool {
	open := bytes.IndexByte(w, '(')
	return open > 0 && w[len(w)-1] == ')' && digits(w[open+1:]) == len(w)-open-2
}

// isAddress recognises an IPv4 or IPv6 address.
func isAddress(w []byte) bool {
	dots, colons, hex := bytes.Count(w, []byte(".")), bytes.Count(w, []byte(":")), 0
	for _, c := range w {
		if c-'0' < 10 || c-'a' < 6 && colons > 0 {
			hex++
		}
	}
	return hex+dots+colons == len(w) && hex > 0 && (dots == 3 && colons == 0 || colons >= 2)
}
