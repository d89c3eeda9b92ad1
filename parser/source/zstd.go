package source

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdWindow is the largest window accepted, in bytes: that of --ultra -22 and
// of --long. It is what the decoder keeps in memory.
const zstdWindow = 128 << 20

// zstdCodec reads Zstandard files (RFC 8878), of several frames too.
var zstdCodec = codec{
	name:   "zstd",
	suffix: ".zst",
	match: func(start []byte) bool {
		rest := pastSkippable(start)
		return startsWith("\x28\xb5\x2f\xfd")(rest) || len(rest) > 3 && startsWith("\x2a\x4d\x18")(rest[1:]) && rest[0]>>4 == 5
	},
	open: func(r *bufio.Reader) (io.ReadCloser, error) {
		d, err := zstd.NewReader(r, zstdOptions()...)
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	},
}

// zstdOptions let the decoder run beside its reader, one block ahead.
func zstdOptions() []zstd.DOption {
	return []zstd.DOption{zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderConcurrency(2)}
}
