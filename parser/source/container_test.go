package source

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pgassay/pgassay/parser/record"
)

// Containers of plain.log, written by the tools that users have: bzip2, xz,
// zstd, lz4, GNU tar, Info-ZIP and Python's zipfile.
const containers = "testdata/containers"

func container(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(containers, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// found is one text of an input.
type found struct {
	name, base, text string
	kind             record.LossKind
	damage           string
}

func (f found) String() string {
	s := fmt.Sprintf("%s (%s): %d bytes", f.name, f.base, len(f.text))
	if f.damage != "" {
		s += fmt.Sprintf(", %s: %s", f.kind, f.damage)
	}
	return s
}

// all reads every text of an input to its end.
func all(t testing.TB, in Input) []found {
	t.Helper()
	var out []found
	err := in.Each(func(x *Text) error {
		rest, err := io.ReadAll(x)
		f := found{name: x.Name, base: x.Base, text: string(x.Head) + string(rest)}
		kind, damage := x.Damage()
		if damage != nil {
			f.kind, f.damage = kind, damage.Error()
		}
		out = append(out, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// onDisk is a file that can be read out of order.
func onDisk(t testing.TB, name string, data []byte) Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return Input{Name: name, open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

func want(t *testing.T, got []found, want ...string) {
	t.Helper()
	var lines []string
	for _, f := range got {
		lines = append(lines, f.String())
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestCompressedFilesOfCommonTools(t *testing.T) {
	plain := string(container(t, "plain.log"))
	for _, name := range []string{
		"log.bz2", "streams.bz2", "log.xz", "blocks.xz", "streams.xz", "log.zst", "frames.zst", "log.lz4", "legacy.lz4", "frames.lz4",
	} {
		t.Run(name, func(t *testing.T) {
			data := container(t, name)
			for _, r := range []io.Reader{bytes.NewReader(data), iotest.HalfReader(bytes.NewReader(data))} {
				text, got := read(t, from("postgresql.log"+filepath.Ext(name), r))
				if _, damage := got.Damage(); text != plain || damage != nil || got.Base != "postgresql.log" {
					t.Errorf("base %q, %d bytes of %d, damage %v", got.Base, len(text), len(plain), damage)
				}
			}
		})
	}
}

func TestCompressedFileCutAnywhereGivesItsBeginning(t *testing.T) {
	plain := string(container(t, "plain.log"))
	for _, name := range []string{"log.bz2", "blocks.xz", "frames.zst", "frames.lz4"} {
		t.Run(name, func(t *testing.T) {
			data := container(t, name)
			for n := 12; n < len(data); n += 97 {
				text, got := read(t, from("x", bytes.NewReader(data[:n])))
				if !strings.HasPrefix(plain, text) {
					t.Fatalf("cut at %d: the text is not a beginning", n)
				}
				if kind, damage := got.Damage(); (damage == nil || kind != record.LossTruncated) && text != plain && !strings.HasPrefix(name, "frames") {
					t.Errorf("cut at %d: %d bytes of %d, %s: %v", n, len(text), len(plain), kind, damage)
				}
			}
		})
	}
}

func TestSkippableFramesBelongToWhatFollows(t *testing.T) {
	plain := string(container(t, "plain.log"))
	skip := "\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"
	for _, name := range []string{"log.zst", "log.lz4"} {
		text, got := read(t, from("x", strings.NewReader(skip+string(container(t, name)))))
		if _, damage := got.Damage(); text != plain || damage != nil {
			t.Errorf("%s: %d bytes of %d, damage %v", name, len(text), len(plain), damage)
		}
	}
}

func TestArchivesGiveTheirFiles(t *testing.T) {
	tests := []struct {
		name string
		want []string
	}{
		{"log.tar.gz", []string{"log.tar.gz!day/a.log (log.tar.gz!day/a.log): 14368 bytes", "log.tar.gz!day/sub/b.log (log.tar.gz!day/sub/b.log): 2352 bytes"}},
		{"v7.tar.xz", []string{"v7.tar.xz!day/a.log (v7.tar.xz!day/a.log): 14368 bytes", "v7.tar.xz!day/sub/b.log (v7.tar.xz!day/sub/b.log): 2352 bytes"}},
		{"log.zip", []string{"log.zip!day/a.log (log.zip!day/a.log): 14368 bytes", "log.zip!day/link.log (log.zip!day/link.log): 14368 bytes", "log.zip!day/sub/b.log (log.zip!day/sub/b.log): 2352 bytes"}},
		{"stream.zip", []string{"stream.zip!- (stream.zip!-): 14368 bytes"}},
		{"gz-in.zip", []string{"gz-in.zip!day/a.log.gz (gz-in.zip!day/a.log): 14368 bytes"}},
		{"encrypted.zip", []string{
			"encrypted.zip!a.log (encrypted.zip!a.log): 0 bytes, unrecognised file: zip: encrypted: unpack it with its password and hand over what is in it",
			"encrypted.zip!sub/b.log (encrypted.zip!sub/b.log): 2352 bytes",
		}},
		{"methods.zip", []string{
			"methods.zip!bzip2.log (methods.zip!bzip2.log): 14368 bytes",
			"methods.zip!etc/deflate.log (methods.zip!etc/deflate.log): 14368 bytes",
			"methods.zip!lzma.log (methods.zip!lzma.log): 0 bytes, unrecognised file: zip: compressed with zip method 14, which is not supported: unpack it first",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := container(t, tt.name)
			file := all(t, onDisk(t, tt.name, data))
			want(t, file, tt.want...)
			stream := all(t, from(tt.name, bytes.NewReader(data)))
			if strings.HasSuffix(tt.name, ".zip") {
				slices.SortFunc(stream, func(a, b found) int { return strings.Compare(a.name, b.name) })
			}
			want(t, stream, tt.want...)
		})
	}
}

func TestMembersOfOneNameAreToldApart(t *testing.T) {
	want(t, all(t, from("x.tar", bytes.NewReader(tarOf(t, "a.log", "old\n", "./a.log", "newer\n")))),
		"x.tar!a.log (x.tar!a.log): 4 bytes", "x.tar!a.log (2) (x.tar!a.log (2)): 6 bytes")
}

func TestMembersLeadNowhereElse(t *testing.T) {
	data := tarOf(t, "../../etc/passwd", "x\n", "/abs/a.log", "x\n", `c:\logs\b.log`, "x\n", "a/../../../c.log", "x\n", ".ssh/id", "x\n", "..", "x\n")
	want(t, all(t, from("x.tar", bytes.NewReader(data))),
		"x.tar!etc/passwd (x.tar!etc/passwd): 2 bytes", "x.tar!abs/a.log (x.tar!abs/a.log): 2 bytes",
		"x.tar!c:/logs/b.log (x.tar!c:/logs/b.log): 2 bytes", "x.tar!c.log (x.tar!c.log): 2 bytes")
}

func TestArchivesInArchives(t *testing.T) {
	inner := tarOf(t, "a.log.gz", gzipped(t, "a\n"), "b.log", "b\n")
	data := zipOf(t, "logs/inner.tar.gz", gzipped(t, string(inner)), "c.log", "c\n")
	expected := []string{
		"o.zip!c.log (o.zip!c.log): 2 bytes",
		"o.zip!logs/inner.tar.gz!a.log.gz (o.zip!logs/inner.tar.gz!a.log): 2 bytes",
		"o.zip!logs/inner.tar.gz!b.log (o.zip!logs/inner.tar.gz!b.log): 2 bytes",
	}
	want(t, all(t, onDisk(t, "o.zip", data)), expected...)
	outer := gzipped(t, string(tarOf(t, "o.zip", string(data))))
	for i := range expected {
		expected[i] = strings.ReplaceAll(expected[i], "o.zip", "x.tgz!o.zip")
	}
	want(t, all(t, from("x.tgz", strings.NewReader(outer))), expected[1], expected[2], expected[0])
}

func TestContainersDeclinedByName(t *testing.T) {
	for _, magic := range []string{"7z\xbc\xaf\x27\x1c\x00\x04", "Rar!\x1a\x07\x01\x00", "LZIP\x01", "\x1f\x9d\x90"} {
		got := all(t, from("x", strings.NewReader(magic+"…")))
		if len(got) != 1 || got[0].kind != record.LossFile || !strings.Contains(got[0].damage, "unpack it first") {
			t.Errorf("%q: %v", magic, got)
		}
	}
}

func TestArchiveWithoutFilesSaysSo(t *testing.T) {
	for name, data := range map[string][]byte{"x.zip": zipOf(t), "x.tar": tarOf(t, "README", "x\n", "dir/", "")} {
		for _, in := range []Input{from(name, bytes.NewReader(data)), onDisk(t, name, data)} {
			got := all(t, in)
			if len(got) != 1 || got[0].name != name || got[0].kind != record.LossFile {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}

func TestFolderOfAText(t *testing.T) {
	for name, want := range map[string]string{
		"a.log": ".", "logs/a.log": "logs", "x.tar!a.log": "x.tar!.", "d/x.tar!b/a.log": "d/x.tar!b", "x.zip!y.tar!a": "x.zip!y.tar!.",
	} {
		if got := Folder(name); got != want {
			t.Errorf("%s lies in %q, want %q", name, got, want)
		}
	}
}
