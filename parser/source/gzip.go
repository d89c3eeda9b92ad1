package source

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipCodec reads gzip files (RFC 1952), of several members too.
var gzipCodec = codec{
	name:   "gzip",
	suffix: ".gz",
	match:  startsWith("\x1f\x8b"),
	open:   func(r *bufio.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
}
