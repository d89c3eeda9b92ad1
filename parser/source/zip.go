package source

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// zipArchive reads zip files: by their directory if the archive is a file of
// its own and sound, else from one member to the next.
var zipArchive = archive{
	name:  "zip",
	match: startsWith(zipLocal, zipEnd, zipSpan+zipLocal),
	open:  openZip,
}

// zipEncrypted is the flag of encrypted members (APPNOTE 4.4.4).
const zipEncrypted = 1

// zipMethods decompress what zip files hold, by the number of the method
// (APPNOTE 4.4.5).
func zipMethods(method uint16) func(io.Reader) io.ReadCloser {
	switch method {
	case zip.Store:
		return io.NopCloser
	case zip.Deflate:
		return flate.NewReader
	case 12:
		return zipCodec(bzip2Codec)
	case 93:
		return zstd.ZipDecompressor(zstdOptions()...)
	case 95:
		return zipCodec(xzCodec)
	}
	return nil
}

func zipCodec(c codec) func(io.Reader) io.ReadCloser {
	return func(r io.Reader) io.ReadCloser {
		rc, err := c.open(bufio.NewReader(r))
		if err != nil {
			return failed{err}
		}
		return rc
	}
}

// failed is a stream that could not be opened.
type failed struct{ err error }

// Read implements io.Reader.
func (f failed) Read([]byte) (int, error) { return 0, f.err }

// Close implements io.Closer.
func (f failed) Close() error { return nil }

// zipRefusal says why a member cannot be read, "" if it can.
func zipRefusal(flags, method uint16) string {
	switch {
	case flags&zipEncrypted != 0:
		return "encrypted: unpack it with its password and hand over what is in it"
	case zipMethods(method) == nil:
		return fmt.Sprintf("compressed with zip method %d, which is not supported: unpack it first", method)
	}
	return ""
}

func openZip(o *opening, p place, r *bufio.Reader) (members, error) {
	if p.depth > 0 || o.raw.at == nil {
		return newZipStream(r, nil), nil
	}
	z, err := zip.NewReader(o.raw, o.raw.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		if o.raw.err != nil {
			return nil, o.raw.err
		}
		file := io.NewSectionReader(o.raw, 0, o.raw.size)
		return newZipStream(bufio.NewReaderSize(file, readSize), err), nil
	}
	for _, method := range []uint16{zip.Deflate, 12, 93, 95} {
		z.RegisterDecompressor(method, zipMethods(method))
	}
	files := slices.Clone(z.File)
	slices.SortStableFunc(files, func(a, b *zip.File) int { return strings.Compare(memberPath(a.Name), memberPath(b.Name)) })
	return &zipFiles{files: files}, nil
}

// zipFiles lists a zip file by its directory, sorted by name.
type zipFiles struct{ files []*zip.File }

func (z *zipFiles) next() (member, error) {
	if len(z.files) == 0 {
		return member{}, io.EOF
	}
	f := z.files[0]
	z.files = z.files[1:]
	m := member{name: f.Name, file: isZipFile(f.Mode()), refuse: zipRefusal(f.Flags, f.Method)}
	if !m.file || m.refuse != "" {
		return m, nil
	}
	data, err := f.Open()
	if err != nil {
		data = failed{err}
	}
	m.data = data
	return m, nil
}

// isZipFile is true of what has data. zip marks what it read from a pipe as one.
func isZipFile(mode fs.FileMode) bool { return mode&(fs.ModeDir|fs.ModeSymlink) == 0 }
