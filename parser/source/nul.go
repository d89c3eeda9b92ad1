package source

import (
	"bytes"
	"io"

	"github.com/pgassay/pgassay/parser/record"
)

// maxNULs is how many runs of NUL bytes of a text keep their place.
const maxNULs = 20

// nulReader leaves out NUL bytes: truncating a log that is being written, a
// crash, and a full disk leave runs of them, and no encoding but UTF-16, which
// is decoded before, has any.
type nulReader struct {
	r      io.Reader
	offset int64 // of the next byte, in what is handed on
	inside bool  // the byte before was NUL
	runs   []record.Pos
	placed int   // of runs, have their line
	more   int64 // runs without a place
}

func (n *nulReader) Read(p []byte) (int, error) {
	for {
		got, err := n.r.Read(p)
		kept := n.without(p[:got])
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// without moves what is no NUL to the start of p.
func (n *nulReader) without(p []byte) int {
	kept := 0
	for at := 0; at < len(p); {
		end := bytes.IndexByte(p[at:], 0)
		if end < 0 {
			end = len(p)
		} else {
			end += at
		}
		if end > at {
			if kept < at {
				copy(p[kept:], p[at:end])
			}
			n.offset += int64(end - at)
			kept += end - at
			n.inside = false
		}
		if end < len(p) && !n.inside {
			n.run()
		}
		for at = end; at < len(p) && p[at] == 0; at++ {
		}
	}
	return kept
}

func (n *nulReader) run() {
	n.inside = true
	if len(n.runs) == maxNULs {
		n.more++
		return
	}
	n.runs = append(n.runs, record.Pos{Line: 1, Offset: n.offset})
}

// place finds the lines of the runs in or right behind data, which stands at pos.
// Lines are not counted while reading: that would cost a second look at each
// byte.
func (n *nulReader) place(data []byte, pos record.Pos) {
	for ; n.placed < len(n.runs); n.placed++ {
		r := &n.runs[n.placed]
		at := r.Offset - pos.Offset
		if at > int64(len(data)) {
			return
		}
		r.Line = pos.Line + int64(bytes.Count(data[:max(at, 0)], []byte{'\n'}))
	}
}

// NULs are the runs of NUL bytes so far, as losses; the text is without them.
func (t *Text) NULs() []record.Loss {
	if t.nul == nil {
		return nil
	}
	list := make([]record.Loss, len(t.nul.runs))
	for i, p := range t.nul.runs {
		p.File = t.Name
		list[i] = record.Loss{Pos: p, Kind: record.LossLine, Text: "NUL bytes, as a truncated or crashed log leaves them", Count: 1}
	}
	if n := len(list); n > 0 {
		list[n-1].Count += t.nul.more
	}
	return list
}

// HasNULs reports whether NUL bytes stood in what was read so far.
func (t *Text) HasNULs() bool { return t.nul != nil && len(t.nul.runs) > 0 }

// Binary reports whether the head is of no text: of a text with NUL bytes in it,
// they are few runs, and other control characters are rare.
func (t *Text) Binary() bool {
	if !t.HasNULs() {
		return false
	}
	strange := int64(len(t.nul.runs)) + t.nul.more
	for _, c := range t.Head {
		if c < ' ' && bytes.IndexByte(textControls, c) < 0 || c == 0x7f {
			strange++
		}
	}
	return strange > 4+int64(len(t.Head))/strangeShare
}

// strangeShare is how many bytes of a text there are for each that no text has.
const strangeShare = 200

// textControls are the control characters that texts have, the escape of colours
// among them.
var textControls = []byte("\t\n\v\f\r\x1b")
