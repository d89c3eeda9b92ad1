package source

import (
	"bufio"
	"compress/bzip2"
	"io"
)

// bzip2Codec reads bzip2 files, of several streams too (pbzip2 writes those).
var bzip2Codec = codec{
	name:   "bzip2",
	suffix: ".bz2",
	match: func(start []byte) bool {
		return len(start) >= 10 && string(start[:3]) == "BZh" && start[3] >= '1' && start[3] <= '9' &&
			startsWith("1AY&SY", "\x17rE8P\x90")(start[4:])
	},
	open: func(r *bufio.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil },
}
