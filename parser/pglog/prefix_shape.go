package pglog

import (
	"bytes"
	"strconv"
	"strings"
)

// shaper writes the log_line_prefix that would have printed a text. What a
// single line cannot tell is decided by the scores over many lines.
type shaper struct {
	rest   []byte
	out    strings.Builder
	seen   [fieldCount]bool
	greedy bool // values of key=value may hold blanks and brackets
}

// padding is the width of a value of n bytes that blanks fill up to the next
// separator, as %-10u prints it; 0 if there is none.
func (s *shaper) padding(n int) int {
	rest := s.rest[n:]
	blanks := len(rest) - len(bytes.TrimLeft(rest, " "))
	if blanks > 0 && blanks < len(rest) && strings.IndexByte("|,;])", rest[blanks]) >= 0 || blanks > 3 {
		return -(n + blanks)
	}
	return 0
}

// padded recognises a number with blanks before it, as %5l prints it.
func (s *shaper) padded() bool {
	number := bytes.TrimLeft(s.rest, " ")
	blanks, n := len(s.rest)-len(number), digits(number)
	if blanks < 2 || n == 0 || n < len(number) && strings.IndexByte("|,;:] ", number[n]) < 0 {
		return false
	}
	return s.emit(s.numberLetter(n), blanks+n, blanks+n)
}

// shapeOf is the likely log_line_prefix behind text, which stands before the
// label of a line.
func shapeOf(text []byte, greedy bool) string {
	s := &shaper{rest: text, greedy: greedy}
	for len(s.rest) > 0 && s.out.Len() < maxPrefix {
		if !s.time() && !s.bracket() && !s.padded() && !s.pair() && !s.word() {
			s.literal(1)
		}
	}
	return s.out.String()
}

// emit writes an escape, or the text itself if that escape was used already.
func (s *shaper) emit(letter byte, width, n int) bool {
	field := strings.IndexByte(escapes, letter)
	if s.seen[field] {
		s.literal(n)
		return true
	}
	s.seen[field] = true
	s.out.WriteByte('%')
	if width != 0 {
		s.out.WriteString(strconv.Itoa(width))
	}
	s.out.WriteByte(letter)
	s.rest = s.rest[n:]
	return true
}

func (s *shaper) literal(n int) {
	for _, c := range s.rest[:n] {
		if c == '%' {
			s.out.WriteByte('%')
		}
		s.out.WriteByte(c)
	}
	s.rest = s.rest[n:]
}

func (s *shaper) has(letter byte) bool { return s.seen[strings.IndexByte(escapes, letter)] }

// time recognises the values that only one or two escapes can print.
func (s *shaper) time() bool {
	if n, zone := timeLength(s.rest); n > 0 {
		switch {
		case bytes.IndexByte(s.rest[:zone], '.') > 0:
			return s.emit('m', 0, n)
		case s.has('m') || s.has('t'):
			return s.emit('s', 0, n)
		}
		return s.emit('t', 0, n)
	}
	if n := pairLength(s.rest, '.', digits); n >= 13 && n <= 15 && s.rest[n-4] == '.' {
		return s.emit('n', 0, n)
	}
	if n := pairLength(s.rest, '.', hexDigits); n > 8 && s.rest[8] == '.' {
		return s.emit('c', 0, n)
	}
	return false
}

// bracket recognises [pid], [  pid], [line-1], [pid-line] and [value].
func (s *shaper) bracket() bool {
	if s.rest[0] != '[' {
		return false
	}
	end := bytes.IndexByte(s.rest, ']')
	if end < 0 {
		return false
	}
	inner := s.rest[1:end]
	number := bytes.TrimLeft(inner, " ")
	switch width := 0; {
	case string(inner) == "unknown" || string(inner) == "local":
		return false
	case len(number) > 0 && digits(number) == len(number):
		if len(inner) > len(number) {
			width = len(inner)
		}
		s.literal(1)
		return s.emit(s.numberLetter(len(number)), width, len(inner))
	case pairLength(inner, '-', digits) == len(inner):
		s.literal(1)
		if s.has('p') {
			s.emit('l', 0, digits(inner))
			s.literal(len(inner) - digits(inner))
			return true
		}
		s.emit('p', 0, digits(inner))
		s.literal(1)
		return s.emit('l', 0, digits(s.rest))
	}
	s.literal(1)
	return true
}

// numberLetter says what a bare number is, by what came before it.
func (s *shaper) numberLetter(length int) byte {
	switch {
	case length > 10:
		return 'Q'
	case !s.has('p'):
		return 'p'
	case !s.has('l'):
		return 'l'
	}
	return 'x'
}

// keyLetter is the escape behind a name that people give its value; 0 if the
// name tells none.
func keyLetter(key []byte) byte {
	if len(key) == 1 {
		if strings.IndexByte(escapes, key[0]) >= 0 {
			return key[0]
		}
		return 0
	}
	switch strings.ToLower(string(key)) {
	case "user", "usr", "username", "user_name", "role":
		return 'u'
	case "db", "database", "dbname", "datname", "database_name":
		return 'd'
	case "app", "application", "appname", "application_name", "program":
		return 'a'
	case "host", "client", "client_addr", "ip", "from", "addr":
		return 'h'
	case "remote", "remote_host", "conn", "connection_from", "connection_source", "peer":
		return 'r'
	case "pid", "process", "process_id", "proc":
		return 'p'
	case "ppid", "leader", "leader_pid":
		return 'P'
	case "line", "line_num", "ln", "num", "log_line", "session_line_num":
		return 'l'
	case "sid", "sess", "session", "session_id":
		return 'c'
	case "start", "session_start", "backend_start", "proc_start_time":
		return 's'
	case "vxid", "vtx", "vtxid", "vtid", "virtual_transaction_id":
		return 'v'
	case "xid", "tx", "txid", "tid", "txn", "trx", "transaction_id":
		return 'x'
	case "state", "sqlstate", "err", "code", "error", "sql_state_code", "sql_error_code":
		return 'e'
	case "cmd", "tag", "command", "command_tag", "ps":
		return 'i'
	case "backend", "type", "backend_type", "btype":
		return 'b'
	case "qid", "query_id", "queryid":
		return 'Q'
	case "local", "local_addr":
		return 'L'
	}
	return 0
}

// pair recognises key=value. A key that tells no escape is part of the prefix,
// and so is its value, unless the value tells.
func (s *shaper) pair() bool {
	n := keyLength(s.rest)
	if n == 0 {
		return s.quotedPair()
	}
	letter := keyLetter(s.rest[:n])
	s.literal(n + 1)
	if letter == 0 {
		if len(s.rest) > 0 && !s.time() {
			s.literal(len(s.value()))
		}
		return true
	}
	if len(s.rest) > 0 && s.rest[0] == '[' && !isBracketed(s.rest) {
		s.literal(1)
	}
	value := s.value()
	if letter == 'h' && bytes.IndexByte(value, '(') > 0 {
		letter = 'r'
	}
	if strings.IndexByte(freeEscapes, letter) >= 0 {
		return s.emit(letter, 0, len(value))
	}
	if n := valueLength(letter, s.rest); n >= 0 {
		return s.emit(letter, 0, n)
	}
	return len(s.rest) == 0 || s.time() || s.word()
}

// quotedPair recognises key="value", also with blanks around "=", and key = value
// as Heroku prints them.
func (s *shaper) quotedPair() bool {
	n := identifierLength(s.rest)
	if n == 0 {
		return false
	}
	k := cursor{s.rest[n:]}
	if blanks := k.lit(" "); !k.lit("=") || k.lit(" ") != blanks {
		return false
	}
	letter := keyLetter(s.rest[:n])
	if !k.lit(`"`) {
		if letter == 0 || valueLength(letter, k.b) < 0 {
			return false
		}
		s.literal(len(s.rest) - len(k.b))
		return s.emit(letter, 0, valueLength(letter, s.rest))
	}
	end := bytes.IndexByte(k.b, '"')
	if end < 0 {
		return false
	}
	s.literal(len(s.rest) - len(k.b))
	switch {
	case letter != 0 && (strings.IndexByte(freeEscapes, letter) >= 0 || valueLength(letter, s.rest[:end]) == end):
		s.emit(letter, 0, end)
	case end == 0 || !s.time():
		s.literal(end)
	}
	return true
}

// isBracketed recognises the values that PostgreSQL itself prints in brackets.
func isBracketed(b []byte) bool {
	for _, v := range [...]string{"[unknown]", "[local]", "[none]"} {
		if bytes.HasPrefix(b, []byte(v)) {
			return true
		}
	}
	return false
}

// keyLength is the length of the identifier before "=" at the start of b.
func keyLength(b []byte) int {
	i := identifierLength(b)
	if i < len(b) && b[i] == '=' && !bytes.HasPrefix(b[i+1:], []byte(`"`)) {
		return i
	}
	return 0
}

func identifierLength(b []byte) int {
	i := 0
	for i < len(b) && (b[i]-'a' < 26 || b[i]-'A' < 26 || b[i] == '_') {
		i++
	}
	return i
}

// value is the value of a pair: up to the blank or comma before the next pair
// and, unless greedy, up to the first separator.
func (s *shaper) value() []byte {
	end := len(bytes.TrimRight(s.rest, " :|>,;-"))
	for i := 0; i < end; i++ {
		if isSeparator(s.rest[i]) && (!s.greedy || i+1 < len(s.rest) && keyLength(s.rest[i+1:]) > 0) {
			end = i
		}
	}
	value := s.rest[:end]
	if n, _ := timeLength(value); n > 0 {
		return value[:n]
	}
	if end > 0 && value[end-1] == ']' && bytes.IndexByte(value, '[') < 0 {
		value = value[:end-1]
	}
	return value
}

func isSeparator(c byte) bool {
	return c == ' ' || c == ',' || c == ';' || c == '|'
}
