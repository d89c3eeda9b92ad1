package source

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
)

// codec is one kind of compression. It is recognised by the first bytes, never
// by the name: logs are renamed by those who send them.
type codec struct {
	name   string
	suffix string // of file names, taken away for Head.Name
	match  func(start []byte) bool
	// open begins to decompress. What it returns is closed before r is.
	open func(r *bufio.Reader) (io.ReadCloser, error)
}

var codecs = []codec{gzipCodec, zstdCodec, bzip2Codec, xzCodec, lz4Codec}

// archive is one kind of container of several files.
type archive struct {
	name  string
	match func(start []byte) bool
	// open begins to list the members. r stands at the archive's first byte.
	open func(o *opening, p place, r *bufio.Reader) (members, error)
}

var archives = []archive{zipArchive, tarArchive}

// members lists what an archive holds.
type members interface {
	// next returns the next member, which is valid until the call after it, or
	// io.EOF. Any other error ends the list: what follows cannot be read.
	next() (member, error)
}

// member is one entry of an archive.
type member struct {
	name   string        // as the archive has it
	file   bool          // a regular file
	refuse string        // why it cannot be read, "" if it can
	data   io.ReadCloser // nil if refused or no file
}

// refusals are containers that are recognised in order to be declined by name.
var refusals = []struct{ magic, name string }{
	{"7z\xbc\xaf\x27\x1c", "7z archive"},
	{"Rar!\x1a\x07", "rar archive"},
	{"LZIP", "lzip file"},
	{"\x1f\x9d", "file of compress (.Z)"},
	{"\x5d\x00\x00", "lzma file"},
}

// startsWith matches any of several first bytes.
func startsWith(magics ...string) func([]byte) bool {
	return func(start []byte) bool {
		for _, m := range magics {
			if strings.HasPrefix(string(start[:min(len(start), len(m))]), m) {
				return true
			}
		}
		return false
	}
}

// pastSkippable is start without the skippable frames that zstd and lz4 files
// may begin with; both formats share them (0x184D2A50 to 0x184D2A5F).
func pastSkippable(start []byte) []byte {
	for len(start) >= 8 && binary.LittleEndian.Uint32(start)&^0xF == 0x184D2A50 {
		size := int64(binary.LittleEndian.Uint32(start[4:]))
		if size > int64(len(start)-8) {
			break
		}
		start = start[8+size:]
	}
	return start
}
