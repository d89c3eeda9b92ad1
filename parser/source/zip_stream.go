package source

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// Signatures of a zip file (APPNOTE 4.3).
const (
	zipLocal     = "PK\x03\x04"
	zipSpan      = "PK\x07\x08" // before the first, of an archive once split
	zipDirectory = "PK\x01\x02"
	zipEnd       = "PK\x05\x06"
	zipEnd64     = "PK\x06\x06"
	zipExtra     = "PK\x06\x08"
)

// zipHeader is the length of a local header without its name and extra field.
const zipHeader = 30

// zipSizesBehind is the flag of members whose sizes follow them.
const zipSizesBehind = 8

// zipBehind is the most that can follow such a member.
const zipBehind = 24

// zipStream lists a zip file from one local header to the next, for archives
// that come as a stream or whose directory was cut off. Check sums are not
// verified.
type zipStream struct {
	r         *bufio.Reader
	directory error

	left       io.Reader     // what the present member may still hold
	data       io.ReadCloser // the present member
	descriptor bool          // it is followed by its sizes
	behind     bool          // which are not known before
}

// newZipStream begins at the first byte of an archive; directory is what is
// wrong with its directory, nil if that was not looked at.
func newZipStream(r *bufio.Reader, directory error) *zipStream {
	if start, _ := r.Peek(len(zipSpan)); string(start) == zipSpan {
		_, _ = r.Discard(len(zipSpan)) // it was peeked at
	}
	return &zipStream{r: r, directory: directory}
}

var errZipSizes = errors.New("a member whose size stands behind it can only be read from a zip file of its own, with a sound directory")

func (z *zipStream) next() (member, error) {
	if err := z.leave(); err != nil {
		return member{}, err
	}
	start, err := z.r.Peek(4)
	if err != nil {
		return member{}, unexpected(err)
	}
	switch string(start) {
	case zipLocal:
		return z.local()
	case zipDirectory, zipEnd, zipEnd64, zipExtra:
		if z.directory != nil {
			return member{}, z.directory
		}
		return member{}, io.EOF
	}
	return member{}, errors.New("no header of a member where one should stand")
}

// leave reads to the end of the present member.
func (z *zipStream) leave() error {
	if z.data == nil {
		return nil
	}
	var err error
	if z.behind {
		_, err = io.Copy(io.Discard, z.data)
	} else {
		_, err = io.Copy(io.Discard, z.left)
	}
	z.data.Close()
	z.data = nil
	if err != nil || !z.descriptor {
		return err
	}
	after, _ := z.r.Peek(zipBehind + len(zipLocal))
	for at := 0; at <= min(zipBehind, len(after)-4); at += 4 {
		if s := string(after[at : at+4]); s == zipLocal || s == zipDirectory || s == zipEnd || s == zipExtra {
			_, err := z.r.Discard(at)
			return err
		}
	}
	return io.ErrUnexpectedEOF
}

// local reads a local header.
func (z *zipStream) local() (member, error) {
	var h [zipHeader]byte
	if _, err := io.ReadFull(z.r, h[:]); err != nil {
		return member{}, unexpected(err)
	}
	short := func(at int) uint16 { return binary.LittleEndian.Uint16(h[at:]) }
	names := make([]byte, int(short(26))+int(short(28)))
	if _, err := io.ReadFull(z.r, names); err != nil {
		return member{}, unexpected(err)
	}
	name, extra := string(names[:short(26)]), names[short(26):]
	flags, method := short(6), short(8)
	packed, unpacked := int64(binary.LittleEndian.Uint32(h[18:])), int64(binary.LittleEndian.Uint32(h[22:]))
	if packed == 1<<32-1 || unpacked == 1<<32-1 {
		packed = zip64Size(extra, unpacked == 1<<32-1)
	}
	z.descriptor = flags&zipSizesBehind != 0
	z.behind = z.descriptor && packed == 0
	m := member{name: name, file: !strings.HasSuffix(name, "/"), refuse: zipRefusal(flags, method)}
	if packed < 0 || z.behind && m.file && (method != zip.Deflate || m.refuse != "") {
		return member{}, errZipSizes
	}
	z.left = io.LimitReader(z.r, packed)
	switch {
	case !m.file || m.refuse != "":
		z.data = io.NopCloser(strings.NewReader(""))
		return m, nil
	case z.behind:
		z.data = zipMethods(method)(z.r)
	default:
		z.data = zipMethods(method)(bufio.NewReaderSize(sized{z.left.(*io.LimitedReader)}, readSize))
	}
	m.data = io.NopCloser(z.data)
	return m, nil
}

// zip64Size is the packed size in an extra field (APPNOTE 4.5.3); -1 if absent.
func zip64Size(extra []byte, unpackedToo bool) int64 {
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if n > len(extra) {
			break
		}
		at := 0
		if unpackedToo {
			at = 8
		}
		if id == 1 && n >= at+8 {
			return int64(binary.LittleEndian.Uint64(extra[at:]))
		}
		extra = extra[n:]
	}
	return -1
}

// sized is packed data of a known size: where the archive ends before it, that
// is no proper end.
type sized struct{ *io.LimitedReader }

// Read implements io.Reader.
func (s sized) Read(p []byte) (int, error) {
	n, err := s.LimitedReader.Read(p)
	if err == io.EOF && s.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
