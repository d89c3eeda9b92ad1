package xlsx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"
)

// sortedZip is a zip archive whose parts stand in the order of their names. The
// library writes streamed sheets in the order of a map; here each part is
// compressed as it comes and kept until Close, so that memory holds the
// compressed parts only.
type sortedZip struct {
	w     io.Writer
	parts []*zipPart
}

// newSortedZip is what excelize.File.SetZipWriter asks for.
func newSortedZip(w io.Writer) excelize.ZipWriter { return &sortedZip{w: w} }

// Create implements excelize.ZipWriter; the part before is done.
func (z *sortedZip) Create(name string) (io.Writer, error) {
	p := &zipPart{name: name}
	f, err := flate.NewWriter(&p.packed, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	p.flate = f
	z.parts = append(z.parts, p)
	return p, nil
}

// AddFS implements excelize.ZipWriter. The library never calls it.
func (z *sortedZip) AddFS(fs.FS) error { return errors.ErrUnsupported }

// Close writes the archive. [Content_Types].xml comes first, as readers that
// look at the first part expect.
func (z *sortedZip) Close() error {
	slices.SortFunc(z.parts, func(a, b *zipPart) int { return strings.Compare(a.name, b.name) })
	out := zip.NewWriter(z.w)
	for _, p := range z.parts {
		if err := p.writeTo(out); err != nil {
			return fmt.Errorf("part %s: %w", p.name, err)
		}
	}
	return out.Close()
}

// zipPart is one compressed part.
type zipPart struct {
	name   string
	flate  *flate.Writer
	packed bytes.Buffer
	size   uint64
	sum    uint32
}

// Write implements io.Writer.
func (p *zipPart) Write(b []byte) (int, error) {
	p.size += uint64(len(b))
	p.sum = crc32.Update(p.sum, crc32.IEEETable, b)
	return p.flate.Write(b)
}

func (p *zipPart) writeTo(out *zip.Writer) error {
	if err := p.flate.Close(); err != nil {
		return err
	}
	w, err := out.CreateRaw(&zip.FileHeader{
		Name: p.name, Method: zip.Deflate, CRC32: p.sum,
		CompressedSize64: uint64(p.packed.Len()), UncompressedSize64: p.size,
	})
	if err != nil {
		return err
	}
	_, err = p.packed.WriteTo(w)
	p.packed = bytes.Buffer{}
	return err
}
