package source

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// benchText is about 32 MiB of entries of about 2 kB, as auto_explain writes
// them.
func benchText() string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for b.Len() < 32<<20 {
		fmt.Fprintf(&b, "#2026-11-30 14:17:31.150 UTC [%d] LOG:  duration: %d.%03d ms  plan:\n",
			r.IntN(1e5), r.IntN(100), r.IntN(1000))
		for range 60 {
			fmt.Fprintf(&b, "\t      \"Shared Hit Blocks\": %d,\n", r.IntN(1e5))
		}
	}
	return b.String()
}

func benchmarkBlocks(b *testing.B, data string, size int) {
	c := NewCutter(0, 0)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		err := from("x", strings.NewReader(data)).Each(func(x *Text) error {
			blocks, err := c.Cut(x, hashLog(), 0)
			if err != nil {
				return err
			}
			defer blocks.Close()
			for {
				blk, err := blocks.Next()
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
				blk.Release()
			}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBlocksPlain(b *testing.B) {
	text := benchText()
	benchmarkBlocks(b, text, len(text))
}

func BenchmarkBlocksGzip(b *testing.B) {
	text := benchText()
	benchmarkBlocks(b, gzipped(b, text), len(text))
}

// packed is text as w packs it.
func packed(b *testing.B, text string, writer func(io.Writer) (io.WriteCloser, error)) string {
	b.Helper()
	var out strings.Builder
	w, err := writer(&out)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	return out.String()
}

func BenchmarkBlocksZstd(b *testing.B) {
	text := benchText()
	data := packed(b, text, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	benchmarkBlocks(b, data, len(text))
}

func BenchmarkBlocksLZ4(b *testing.B) {
	text := benchText()
	data := packed(b, text, func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil })
	benchmarkBlocks(b, data, len(text))
}

func BenchmarkBlocksXZ(b *testing.B) {
	text := benchText()[:8<<20]
	data := packed(b, text, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
	benchmarkBlocks(b, data, len(text))
}

// BenchmarkBlocksBzip2 reads many small streams: the standard library does not
// write bzip2.
func BenchmarkBlocksBzip2(b *testing.B) {
	const streams = 300
	size := streams * len(container(b, "plain.log"))
	benchmarkBlocks(b, strings.Repeat(string(container(b, "log.bz2")), streams), size)
}

func BenchmarkBlocksZip(b *testing.B) {
	text := benchText()
	benchmarkBlocks(b, string(zipOf(b, "a.log", text)), len(text))
}

func BenchmarkBlocksTarGzip(b *testing.B) {
	text := benchText()
	benchmarkBlocks(b, gzipped(b, string(tarOf(b, "a.log", text))), len(text))
}
