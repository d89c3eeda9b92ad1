package record

import (
	"strconv"
)

// Pos is the place of a fact in the input: the file as the user named it, the
// line (1 for the first) and the byte offset of the entry's first byte, both
// after decompression. The zero Pos means "no place".
type Pos struct {
	File   string
	Line   int64
	Offset int64
}

// IsZero reports whether the place is unknown.
func (p Pos) IsZero() bool { return p.File == "" }

// String is "file:line", or "-" for the zero Pos.
func (p Pos) String() string {
	if p.IsZero() {
		return "-"
	}
	return p.File + ":" + strconv.FormatInt(p.Line, 10)
}
