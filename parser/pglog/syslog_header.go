package pglog

import "bytes"

// syslogHeader is what syslog puts before a message.
type syslogHeader struct {
	time, tag, pid []byte
	n              int // length of the header
}

// header reads the header of a syslog line in any of its spellings: RFC 5424
// with or without the length in front, RFC 3339 times as rsyslog writes them,
// BSD times, and those of journalctl. false if the line has none.
func (u *unwrapper) header(line []byte, years bsdYears, h *syslogHeader) bool {
	*h = syslogHeader{}
	at := 0
	if n := digits(line); n > 0 && n < 8 && n+1 < len(line) && line[n] == ' ' && line[n+1] == '<' {
		at = n + 1
	}
	at += priority(line[at:])
	if at > 0 && bytes.HasPrefix(line[at:], []byte("1 ")) {
		return u.header5424(line, at+2, h)
	}
	n := u.headerTime(line[at:], years, h)
	if n == 0 {
		return false
	}
	return h.tagged(line, at+n)
}

// priority is the length of "<134>" at the start of b, 0 if there is none.
func priority(b []byte) int {
	if len(b) == 0 || b[0] != '<' {
		return 0
	}
	n := digits(b[1:])
	if n == 0 || n > 3 || n+1 >= len(b) || b[n+1] != '>' {
		return 0
	}
	return n + 2
}

// headerTime reads the time and the blank behind it, and answers their length.
func (u *unwrapper) headerTime(b []byte, years bsdYears, h *syslogHeader) int {
	text, n := u.isoTime(b)
	if n == 0 {
		text, n = u.bsdTime(b, years)
	}
	if n == 0 {
		text, n = weekdayTime(b)
	}
	if n == 0 || n >= len(b) || b[n] != ' ' {
		return 0
	}
	h.time = text
	return n + 1
}

// weekdayTime reads "Mon 2026-03-02 08:00:01 UTC" of journalctl -o short-full.
func weekdayTime(b []byte) (text []byte, n int) {
	if len(b) < 24 || b[3] != ' ' || b[0]-'A' >= 26 {
		return nil, 0
	}
	n, zone := timeLength(b[4:])
	if n == 0 || zone == n {
		return nil, 0
	}
	return b[4 : 4+n], 4 + n
}

// tagged reads "host tag[pid]: " or "tag[pid]: " at offset at.
func (h *syslogHeader) tagged(line []byte, at int) bool {
	for range 2 {
		if end := h.tagAt(line, at); end > 0 {
			h.n = end
			return true
		}
		i := bytes.IndexByte(line[at:], ' ')
		if i <= 0 {
			return false
		}
		at += i + 1
	}
	return false
}

// tagAt reads "tag[pid]:" and one blank, and answers the offset behind; 0 if
// there is none. A severity is no tag.
func (h *syslogHeader) tagAt(line []byte, at int) int {
	i := at
	for i < len(line) && isTag(line[i]) {
		i++
	}
	if i == at || line[at]-'0' < 10 || i == len(line) {
		return 0
	}
	h.tag, h.pid = line[at:i], nil
	if line[i] == '[' {
		end := bytes.IndexByte(line[i:], ']')
		if end < 0 {
			return 0
		}
		h.pid = line[i+1 : i+end]
		i += end + 1
	}
	if i >= len(line) || line[i] != ':' {
		return 0
	}
	if _, _, n := readLabel(line[at:]); n > 0 {
		return 0
	}
	if i++; i < len(line) && line[i] == ' ' {
		i++
	}
	return i
}

func isTag(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '-' || c == '_' || c == '.' || c == '/' || c == '@'
}

// header5424 reads what follows the version: time, host, application, process
// id, message id and structured data.
func (u *unwrapper) header5424(line []byte, at int, h *syslogHeader) bool {
	var words [5][]byte
	for i := range words {
		end := bytes.IndexByte(line[at:], ' ')
		if end < 0 {
			return false
		}
		words[i] = line[at : at+end]
		at += end + 1
	}
	if text, n := u.isoTime(words[0]); n > 0 {
		h.time = text
	}
	h.tag = words[2]
	if string(words[3]) != "-" {
		h.pid = words[3]
	}
	end := structuredData(line[at:])
	if end < 0 {
		return false
	}
	at += end
	if at < len(line) && line[at] == ' ' {
		at++
	}
	if bytes.HasPrefix(line[at:], byteOrderMark) {
		at += len(byteOrderMark)
	}
	h.n = at
	return true
}

// structuredData is the length of "-" or of elements in brackets, whose values
// may hold brackets behind a backslash; -1 if one does not end. An
// element begins with a name, which PostgreSQL's own "[3-1]" does not.
func structuredData(b []byte) int {
	if len(b) > 0 && b[0] == '-' {
		return 1
	}
	at := 0 // Heroku leaves it out
	for at+1 < len(b) && b[at] == '[' && b[at+1]-'0' >= 10 {
		i := at + 1
		for i < len(b) && b[i] != ']' {
			if b[i] == '\\' {
				i++
			}
			i++
		}
		if i >= len(b) {
			return -1
		}
		at = i + 1
	}
	return at
}
