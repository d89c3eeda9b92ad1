package explain

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// YAML reads files of EXPLAIN (FORMAT YAML) output: one or more plans, also as
// auto_explain prints them.
var YAML = source.Format{
	Name:   "explain-yaml",
	Doc:    "EXPLAIN (FORMAT YAML) output, one or many plans",
	Detect: detectYAML,
}

func detectYAML(h *source.Head) *source.Detection {
	for line := range bytes.Lines(bytes.TrimPrefix(h.Data, bom)) {
		text := bytes.TrimSpace(line)
		switch {
		case len(text) == 0 || text[0] == '#' || isDocumentMark(text):
		case isYAMLStart(text):
			return whole(h, 90, "", readYAML)
		default:
			return nil
		}
	}
	return nil
}

// isYAMLStart tells the first line of a plan: "- Plan:", or without the hyphen,
// or with the key that auto_explain prints before.
func isYAMLStart(text []byte) bool {
	text, _ = cutDash(text)
	key, value, ok := cutYAMLKey(text)
	if !ok {
		return false
	}
	switch string(unquoteKey(key)) {
	case "Plan":
		return len(value) == 0
	case "Query Text":
		return len(value) > 0 && value[0] == '"'
	}
	return false
}

func readYAML(r *reader) {
	for r.offset < len(r.block) {
		if !isYAMLStart(r.thisLine()) {
			r.nextLine()
			continue
		}
		plan, n, err := r.parser.YAML(r.block[r.offset:], r.options())
		if err != nil {
			r.lose(err)
			r.moveTo(r.offset + n)
			r.nextLine()
			continue
		}
		r.add(plan)
		r.moveTo(r.offset + max(n, 1))
	}
}

// nextLine moves to the line that follows.
func (r *reader) nextLine() {
	if i := bytes.IndexByte(r.block[r.offset:], '\n'); i >= 0 {
		r.moveTo(r.offset + i + 1)
		return
	}
	r.moveTo(len(r.block))
}
