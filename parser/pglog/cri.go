package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// CRI is the log that Kubernetes' container runtimes write: "TIME stdout F
// text", with P instead of F where the line goes on in the next one.
var CRI = source.Format{
	Name:   "cri",
	Doc:    "container log of Kubernetes (CRI): TIME stdout F text",
	Detect: detectCRI,
}

func detectCRI(h *source.Head) *source.Detection {
	return detectLines(h, &carrier{units: lineUnits{readCRI}, hasTime: true})
}

// detectLines recognises a carrier of lines if it has one of the first lines.
func detectLines(h *source.Head, c *carrier) *source.Detection {
	u := newUnwrapper()
	for at, n := 0, 0; at < len(h.Data) && n < headerSearch; n++ {
		var got carried
		u.scratch = u.scratch[:0]
		at = c.units.next(u, h.Data, at, &got)
		if got.kind == carriesText {
			return detectShipped(h, c)
		}
	}
	return nil
}

func readCRI(u *unwrapper, line []byte, c *carried) {
	c.kind = carriesDamage
	text, n := u.isoTime(line)
	if n == 0 {
		return
	}
	k := cursor{line[n:]}
	if !k.lit(" stdout ") && !k.lit(" stderr ") {
		return
	}
	tags, ok := k.until(" ")
	if !ok {
		tags, k.b = k.b, nil
	}
	tags, _, _ = bytes.Cut(tags, []byte(":"))
	if string(tags) != "F" && string(tags) != "P" {
		return
	}
	c.kind, c.time, c.writer = carriesText, text, line[n+1:n+len(" stdout")]
	c.text, c.unended = k.b, string(tags) == "P"
}
