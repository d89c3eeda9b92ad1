package explain

import (
	"bytes"
	"errors"

	"github.com/pgassay/pgassay/parser/source"
)

// XML reads files of EXPLAIN (FORMAT XML) output: one or more documents, each
// with one or more queries.
var XML = source.Format{
	Name:   "explain-xml",
	Doc:    "EXPLAIN (FORMAT XML) output, one or many plans",
	Detect: detectXML,
}

func detectXML(h *source.Head) *source.Detection {
	data := bytes.TrimSpace(bytes.TrimPrefix(h.Data, bom))
	if len(data) == 0 || data[0] != '<' {
		return nil
	}
	_, _, err := NewParser().XML(data, Options{})
	switch {
	case err == nil:
		return whole(h, 90, "", readXML)
	case isForeign(err):
		return foreign(err)
	default:
		return nil
	}
}

func readXML(r *reader) {
	r.mend(breaks[1:2])
	for {
		i := nextElement(r.block[r.offset:])
		if i < 0 {
			return
		}
		r.moveTo(r.offset + i)
		rest := r.block[r.offset:]
		plan, n, err := r.parser.XML(rest, r.options())
		if err != nil || plan.Truncated {
			if end := nextDocument(rest); end < len(rest) && end <= n { // it ran into the next one
				plan, n, err = r.parser.XML(rest[:end], r.options())
			}
		}
		if err == nil {
			r.add(plan)
			r.moveTo(r.offset + n)
			continue
		}
		if !errors.Is(err, ErrNoPlan) || n > 0 {
			r.lose(err)
		}
		r.moveTo(r.offset + max(n, 1))
	}
}

// nextDocument is where a document begins behind the one that data begins with;
// the end of data if none does.
func nextDocument(data []byte) int {
	own := max(0, bytes.Index(data, []byte("<explain"))) // behind <?xml
	return own + nextLine(data[own:], "<explain", "<?xml")
}

// nextElement finds the next opening tag that a plan may begin with, −1 if
// there is none.
func nextElement(data []byte) int {
	for offset := 0; ; {
		i := bytes.IndexByte(data[offset:], '<')
		if i < 0 {
			return -1
		}
		offset += i
		if isXMLStart(data[offset:]) {
			return offset
		}
		offset++
	}
}

// isXMLStart tells the start of a document, of EXPLAIN's or of a plan.
func isXMLStart(text []byte) bool {
	for _, tag := range [...]string{"<explain", "<Query>", "<?xml", "<Plan>", "<ShowPlanXML"} {
		if bytes.HasPrefix(text, []byte(tag)) {
			return true
		}
	}
	return false
}
