package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// named is the output of docker compose logs or kubectl logs --prefix without
// times: the name of a container stands before each line, also before further
// lines of a message. names are those of servers; lines of other containers are
// passed over.
type named struct{ names [][]byte }

// detectNamed is nil unless a name stands before further lines, or lines of
// another container: what stands before the first line of messages alone is part
// of log_line_prefix.
func detectNamed(h *source.Head) *source.Detection {
	n := new(named)
	if !n.look(h.Data) {
		return nil
	}
	return detectShipped(h, &carrier{units: lineUnits{n.read}})
}

// look finds the names. A tenth of the lines may have none: what compose itself
// says.
func (n *named) look(data []byte) bool {
	all, without, further := 0, 0, false
	for at := 0; at < len(data); {
		line, next := cutLine(data, at)
		at = next
		if len(line) == 0 {
			continue
		}
		all++
		text, name := containerName(line)
		if name == nil {
			if without++; line[0] == '\t' {
				return false
			}
			continue
		}
		further = further || len(text) > 0 && (text[0] == '\t' || text[0] == '{')
		switch {
		case n.ours(name):
		case findLabel(text) < 0 && !bytes.HasPrefix(text, []byte("{")):
			further = further || next < len(data)
		case len(n.names) < maxTags:
			n.names = append(n.names, bytes.Clone(name))
		}
	}
	return further && 10*without <= all && len(n.names) > 0
}

func (n *named) ours(name []byte) bool {
	for _, known := range n.names {
		if bytes.Equal(known, name) {
			return true
		}
	}
	return false
}

// read takes the name off. A server that the head did not show is told by its
// first message.
func (n *named) read(u *unwrapper, line []byte, c *carried) {
	text, name := containerName(line)
	switch {
	case name == nil:
		c.kind = carriesDamage
	case n.ours(name) || u.writers[string(name)] != nil || findLabel(text) >= 0:
		c.kind, c.text, c.writer = carriesText, text, name
	}
}
