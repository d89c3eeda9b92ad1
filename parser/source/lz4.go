package source

import (
	"bufio"
	"io"

	"github.com/pierrec/lz4/v4"
)

// lz4Codec reads lz4 frames, of several frames and of the legacy format too.
var lz4Codec = codec{
	name:   "lz4",
	suffix: ".lz4",
	match: func(start []byte) bool {
		return startsWith("\x04\x22\x4d\x18", "\x02\x21\x4c\x18")(pastSkippable(start))
	},
	open: func(r *bufio.Reader) (io.ReadCloser, error) { return io.NopCloser(lz4.NewReader(r)), nil },
}
