package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pgassay/pgassay/parser/record"
)

// tarOf packs names and texts in turn; a name that ends with a slash is a folder.
func tarOf(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		h := &tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}
		if strings.HasSuffix(files[i], "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zipOf packs names and texts in turn, sizes behind the members.
func zipOf(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// small are limits that tests can reach.
func small() limits {
	return limits{grace: 1 << 20, ratio: 100, member: 4 << 20, total: 6 << 20, members: 5, depth: 3}
}

func limited(in Input, l limits) Input {
	in.limits = l
	return in
}

func total(got []found) int {
	n := 0
	for _, f := range got {
		n += len(f.text)
	}
	return n
}

func TestBombsAreCut(t *testing.T) {
	zeros := strings.Repeat("\n", 3<<20)
	noise := func(n int) string { // hardly to be compressed
		var b strings.Builder
		for x := uint32(1); b.Len() < n; {
			x = x*1664525 + 1013904223
			fmt.Fprintf(&b, "%08x\n", x)
		}
		return b.String()
	}
	var parts []string
	for i := range 4 {
		parts = append(parts, fmt.Sprint(i, ".log"), zeros)
	}
	tests := []struct {
		name string
		data []byte
		says string
		max  int
	}{
		{"ratio of gzip", []byte(gzipped(t, zeros)), "100 times", 2 << 20},
		{"ratio of gzip in gzip", []byte(gzipped(t, gzipped(t, zeros+zeros))), "100 times", 2 << 20},
		{"ratio of a member", zipOf(t, "a.log", zeros), "100 times", 2 << 20},
		{"ratio of all members", []byte(gzipped(t, string(tarOf(t, parts...)))), "100 times", 2 << 20},
		{"size of a member", []byte(gzipped(t, noise(5<<20))), "4 MiB", 5 << 20},
		{"size of all", zipOf(t, "a.log", noise(2<<20), "b.log", noise(3<<20), "c.log", noise(2<<20)), "6 MiB", 7 << 20},
		{"members", tarOf(t, "1", "a", "2", "a", "3", "a", "4", "a", "5", "a", "6", "a", "7", "a"), "more than 5 files", 5},
		{"depth", []byte(gzipped(t, gzipped(t, gzipped(t, gzipped(t, "a"))))), "inside each other", 0},
		{"depth of archives", tarOf(t, "x", string(tarOf(t, "x", string(tarOf(t, "x", string(tarOf(t, "x", "a"))))))), "inside each other", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range []Input{from("x", bytes.NewReader(tt.data)), onDisk(t, "x", tt.data)} {
				got := all(t, limited(in, small()))
				last := got[len(got)-1]
				if last.kind != record.LossCap || !strings.Contains(last.damage, tt.says) || total(got) > tt.max {
					t.Errorf("%d bytes of %v", total(got), got)
				}
			}
		})
	}
}

func TestMemberBeyondItsLimitSparesTheOthers(t *testing.T) {
	l := small()
	l.member, l.grace = 1000, 1<<30
	got := all(t, limited(from("x.tar", bytes.NewReader(tarOf(t, "a", strings.Repeat("a\n", 2000), "b", "b\n"))), l))
	if len(got) != 2 || got[0].kind != record.LossCap || got[1].text != "b\n" || got[1].damage != "" {
		t.Errorf("%v", got)
	}
}

// TestMembersThatShareData has a directory of many members at one place, which
// unpacks to far more than the archive can hold.
func TestMembersThatShareData(t *testing.T) {
	one := zipOf(t, "a.log", strings.Repeat("0123456789abcde\n", 1000))
	directory := bytes.Index(one, []byte(zipDirectory))
	end := bytes.Index(one, []byte(zipEnd))
	entry := one[directory:end]
	const n = 60_000
	var b bytes.Buffer
	b.Write(one[:directory])
	for range n {
		b.Write(entry)
	}
	tail := bytes.Clone(one[end:])
	for _, at := range []int{8, 10} {
		tail[at], tail[at+1] = byte(n&0xff), byte(n>>8)
	}
	size := n * len(entry)
	for i := range 4 {
		tail[12+i] = byte(size >> (8 * i))
	}
	b.Write(tail)
	l := small()
	l.members, l.total = n, 1<<40
	got := all(t, limited(onDisk(t, "x.zip", b.Bytes()), l))
	if last := got[len(got)-1]; last.kind != record.LossCap || total(got) > l.ratioOf(b.Len()) {
		t.Errorf("%d texts, %d bytes, last %v", len(got), total(got), last)
	}
}

func (l limits) ratioOf(size int) int { return max(int(l.grace), int(l.ratio)*size) + 1<<20 }

func TestMemoryThatAFileAsksForIsBounded(t *testing.T) {
	for _, name := range []string{"dictionary.xz", "window.zst"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := all(t, from(name, bytes.NewReader(container(t, name))))
		runtime.ReadMemStats(&after)
		if len(got) != 1 || got[0].kind != record.LossCap {
			t.Errorf("%s: %v", name, got)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("%s: %d MiB allocated", name, n>>20)
		}
	}
}

func TestBlockBehindAnotherAsksForMemoryToo(t *testing.T) {
	// The dictionary's size is the last byte before the padding of the header
	// of the second block; its check sum is not looked at before.
	data := container(t, "blocks.xz")
	g := &xzGuard{r: bufioOf(data), next: (*xzGuard).stream}
	at, blocks := 0, 0
	for blocks < 2 {
		for g.pass == 0 {
			if err := g.next(g); err != nil {
				t.Fatal(err)
			}
			if g.length == 0 && g.pass > 12 {
				blocks++
			}
		}
		if blocks < 2 {
			at += g.pass
			if _, err := g.r.Discard(g.pass); err != nil {
				t.Fatal(err)
			}
			g.pass = 0
		}
	}
	header := data[at:]
	i := bytes.Index(header[:24], []byte{0x21, 1})
	if i < 0 {
		t.Fatalf("no filter in %x", header[:24])
	}
	header[i+2] = 40
	_, err := io.ReadAll(&xzGuard{r: bufioOf(data), next: (*xzGuard).stream})
	var limit capError
	if !errors.As(err, &limit) {
		t.Errorf("a dictionary of 4 GiB gives %v", err)
	}
}

func TestXZGuardHandsAllThrough(t *testing.T) {
	for _, name := range []string{"log.xz", "blocks.xz", "streams.xz", "v7.tar.xz"} {
		data := container(t, name)
		g := &xzGuard{r: bufioOf(data), next: (*xzGuard).stream}
		if err := iotest.TestReader(g, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
