package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pgassay/pgassay/parser/record"
)

func bufioOf(data []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(data)) }

// TestArchiveCutAnywhereGivesWhatWasRead cuts archives at many places: what
// comes is a beginning of what is in them, and the cut is told exactly once.
func TestArchiveCutAnywhereGivesWhatWasRead(t *testing.T) {
	for _, name := range []string{"log.tar.gz", "v7.tar.xz", "log.zip", "stream.zip", "gz-in.zip"} {
		t.Run(name, func(t *testing.T) {
			data := container(t, name)
			texts := map[string]string{}
			for _, f := range all(t, onDisk(t, name, data)) {
				texts[f.name] = f.text
			}
			for n := 400; n < len(data)-22; n += 211 {
				for _, in := range []Input{from(name, bytes.NewReader(data[:n])), onDisk(t, name, data[:n])} {
					cuts := 0
					for _, f := range all(t, in) {
						if f.damage != "" {
							cuts++
						}
						if f.damage != "" && f.kind != record.LossTruncated && f.kind != record.LossFile {
							t.Errorf("cut at %d: %v", n, f)
						}
						if !strings.HasPrefix(texts[f.name], f.text) {
							t.Errorf("cut at %d: %s is no beginning", n, f.name)
						}
					}
					if cuts == 0 && !inDirectory(name, data, n) || cuts > 1 {
						t.Errorf("cut at %d: told %d times", n, cuts)
					}
				}
			}
		})
	}
}

// inDirectory is true where a stream of a zip file is cut behind its members.
func inDirectory(name string, data []byte, n int) bool {
	return strings.HasSuffix(name, ".zip") && n >= bytes.Index(data, []byte(zipDirectory))+4
}

func TestUnreadMembersArePassedOver(t *testing.T) {
	for _, name := range []string{"log.tar.gz", "log.zip", "stream.zip", "methods.zip"} {
		var names []string
		err := from(name, bytes.NewReader(container(t, name))).Each(func(x *Text) error {
			names = append(names, x.Name)
			return nil
		})
		if err != nil || len(names) != len(all(t, onDisk(t, name, container(t, name)))) {
			t.Errorf("%s: %q, %v", name, names, err)
		}
	}
}

func TestWrongCheckSumOfAMemberIsDamage(t *testing.T) {
	data := slices.Clone(container(t, "log.zip"))
	at := bytes.Index(data, []byte(zipDirectory))
	data[at+16] ^= 1 // CRC-32 in the directory
	damaged := 0
	for _, f := range all(t, onDisk(t, "log.zip", data)) {
		if f.damage != "" {
			damaged++
		}
	}
	if damaged > 1 { // 0 where the first entry is a folder
		t.Errorf("%d members damaged", damaged)
	}
}

func TestFailureToReadAnArchiveIsAnError(t *testing.T) {
	broken := errors.New("input/output error")
	for _, name := range []string{"log.tar.gz", "log.zip", "log.xz", "log.zst", "log.bz2", "log.lz4"} {
		data := container(t, name)
		r := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(broken))
		err := from(name, r).Each(func(x *Text) error {
			_, err := io.Copy(io.Discard, x)
			return err
		})
		if !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestErrorOfTheVisitorStops(t *testing.T) {
	stop := errors.New("stop")
	for _, name := range []string{"log.tar.gz", "log.zip"} {
		n := 0
		err := from(name, bytes.NewReader(container(t, name))).Each(func(*Text) error { n++; return stop })
		if !errors.Is(err, stop) || n != 1 {
			t.Errorf("%s: %v after %d", name, err, n)
		}
	}
}

// TestDamagedBytesAreNoError changes bytes of each kind of container at random.
func TestDamagedBytesAreNoError(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range seeds {
		whole := container(t, name)
		for range 25 {
			data := bytes.Clone(whole)
			for range 1 + r.IntN(3) {
				data[r.IntN(len(data))] = byte(r.IntN(256))
			}
			for _, in := range []Input{from(name, bytes.NewReader(data)), onDisk(t, name, data)} {
				all(t, limited(in, small()))
			}
		}
	}
}

var seeds = []string{
	"log.tar.gz", "v7.tar.xz", "log.zip", "stream.zip", "gz-in.zip", "encrypted.zip", "methods.zip",
	"log.bz2", "blocks.xz", "streams.xz", "frames.zst", "frames.lz4", "legacy.lz4", "dictionary.xz",
}

func FuzzContainers(f *testing.F) {
	for _, name := range seeds {
		f.Add(container(f, name))
	}
	f.Add(tarOf(f, "a", "x", "../b", "y"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, in := range []Input{from("x", bytes.NewReader(data)), onDisk(t, "x", data)} {
			in.limits = small()
			if got := all(t, in); total(got) > 8<<20 {
				t.Errorf("%d bytes", total(got))
			}
		}
	})
}
