package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// PgBouncer recognises the log of pgbouncer, in order to decline it by name.
var PgBouncer = source.Format{
	Name:   "pgbouncer",
	Doc:    "log of pgbouncer: recognised and not read",
	Detect: detectPgBouncer,
}

func detectPgBouncer(h *source.Head) *source.Detection {
	ours, all := 0, 0
	for at := 0; at < len(h.Data) && all < headerSearch; {
		line, next := cutLine(h.Data, at)
		at = next
		if len(line) == 0 {
			continue
		}
		all++
		if bouncerLine(line) {
			ours++
		}
	}
	if ours == 0 || 2*ours < all {
		return nil
	}
	return &source.Detection{Score: 99, Reason: "a log of pgbouncer, not of PostgreSQL: give the server's log"}
}

// bouncerLine recognises "2026-03-02 08:00:01.100 UTC [501] LOG C-0x55…: …":
// one blank and no colon behind the level. A syslog header may stand in front.
func bouncerLine(line []byte) bool {
	var h syslogHeader
	if u := newUnwrapper(); u.header(line, bsdYears{}, &h) {
		if string(h.tag) != "pgbouncer" {
			return false
		}
		return bouncerLevel(line[h.n:])
	}
	n, _ := timeLength(line)
	if n == 0 {
		return false
	}
	k := cursor{bytes.TrimLeft(line[n:], " ")}
	bracket := k.lit("[")
	if _, ok := k.int(); !ok || bracket && !k.lit("]") || !k.lit(" ") {
		return false
	}
	return bouncerLevel(k.b)
}

func bouncerLevel(text []byte) bool {
	for _, level := range [...]string{"LOG ", "WARNING ", "ERROR ", "FATAL ", "NOISE ", "DEBUG ", "INFO "} {
		if bytes.HasPrefix(text, []byte(level)) {
			return true
		}
	}
	return false
}
