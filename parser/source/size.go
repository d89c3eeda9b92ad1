package source

import (
	"os"
	"path/filepath"
)

// Size is the size of the input in bytes, compressed as it is; false if that is
// not known, as of standard input.
func (in Input) Size() (int64, bool) {
	if in.Name == Stdin {
		return 0, false
	}
	info, err := os.Stat(filepath.FromSlash(in.Name))
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// Taken is how many bytes of the input, compressed as it is, were read for what
// the text gave so far.
func (t *Text) Taken() int64 { return t.o.raw.n }
