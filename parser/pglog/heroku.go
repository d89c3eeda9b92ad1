package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// Heroku is what Heroku's logplex hands out for a Postgres add-on: a time,
// "app[postgres.501]:", the name of the database in brackets and the chunk's
// number, in either order. Log drains put a syslog header in front.
var Heroku = source.Format{
	Name:   "heroku",
	Doc:    "Heroku logplex and log drains of Heroku Postgres",
	Detect: detectHeroku,
}

func detectHeroku(h *source.Head) *source.Detection {
	u := newUnwrapper()
	c := new(carrier)
	for at, n := 0, 0; at < len(h.Data) && n < headerSearch; n++ {
		line, next := cutLine(h.Data, at)
		var got carried
		if readHeroku(u, line, &got); got.kind == carriesText {
			c = &carrier{units: lineUnits{readHeroku}, hasTime: true, hasPID: true}
			break
		}
		at = next
	}
	if c.units == nil {
		return nil
	}
	d := detectShipped(h, c)
	if d != nil && d.Reason == "" {
		d.Score++ // the syslog format reads the header too
	}
	return d
}

// readHeroku takes the header off a line; lines of other processes of the
// application are passed over.
func readHeroku(u *unwrapper, line []byte, c *carried) {
	var h syslogHeader
	if !u.header(line, bsdYears{}, &h) {
		c.kind = carriesDamage
		return
	}
	pid, ok := herokuProcess(h.tag, h.pid)
	if !ok {
		return
	}
	c.kind, c.time, c.pid, c.writer = carriesText, h.time, pid, h.pid
	text := bytes.TrimLeft(line[h.n:], " ")
	c.chunked(text)
	if label := herokuLabel(c.text); label > 0 {
		text, number, chunk := c.text[label:], c.number, c.chunk
		if c.chunked(text); c.chunk == 0 {
			c.number, c.chunk = number, chunk
		}
	}
	c.text = u.octal(c.text)
}

// herokuProcess is the process id in "postgres.501", "" if there is none; ok is
// false for other processes.
func herokuProcess(tag, process []byte) (pid []byte, ok bool) {
	if !bytes.HasPrefix(process, []byte("postgres")) || string(tag) != "app" && string(tag) != "heroku-postgres" {
		return nil, false
	}
	return bytes.TrimPrefix(process[len("postgres"):], []byte(".")), true
}

// herokuLabel is the length of "[DATABASE] " or of a name such as [CHARCOAL] at
// the start of text, 0 if there is none.
func herokuLabel(text []byte) int {
	body := bytes.TrimLeft(text, " ")
	blanks := len(text) - len(body)
	if len(body) == 0 || body[0] != '[' {
		return 0
	}
	i := 1
	for i < len(body) && (body[i]-'A' < 26 || body[i] == '_' || i > 1 && body[i]-'0' < 10) {
		i++
	}
	if i == 1 || i >= len(body) || body[i] != ']' {
		return 0
	}
	if i++; i < len(body) && body[i] == ' ' {
		i++
	}
	return blanks + i
}
