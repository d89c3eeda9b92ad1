package source

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pgassay/pgassay/parser/record"
)

func TestNULBytesAreLeftOutAndCounted(t *testing.T) {
	line := "2026-11-30 14:17:31.150 UTC [7] LOG:  x\n"
	hole := strings.Repeat("\x00", 5000)
	tests := []struct {
		name, data string
		lines      []int64 // of the runs
	}{
		{"none", strings.Repeat(line, 1000), nil},
		{"before the first line", hole + strings.Repeat(line, 100), []int64{1}},
		{"longer than the head", strings.Repeat(hole, 100) + strings.Repeat(line, 100), []int64{1}},
		{"between lines", strings.Repeat(line, 3) + hole + strings.Repeat(line, 2), []int64{4}},
		{"in a line, behind the head", strings.Repeat(line, 10_000) + "a" + hole + "b\n", []int64{10_001}},
		{"single ones", "a\x00b\nc\x00\x00d\n\x00", []int64{1, 2, 3}},
		{"nothing else", hole, []int64{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.ReplaceAll(tt.data, "\x00", "")
			for _, r := range []io.Reader{strings.NewReader(tt.data), iotest.HalfReader(strings.NewReader(tt.data))} {
				text, got := read(t, from("x.log", r))
				if text != want {
					t.Errorf("got %.60q (%d bytes), want %.60q (%d)", text, len(text), want, len(want))
				}
				got.nul.place([]byte(text), record.Pos{Line: 1})
				losses := got.NULs()
				if len(losses) != len(tt.lines) || got.Binary() {
					t.Fatalf("losses %+v, binary %v", losses, got.Binary())
				}
				for i, l := range losses {
					if l.Pos.File != "x.log" || l.Pos.Line != tt.lines[i] || l.Count != 1 {
						t.Errorf("loss %+v, want line %d", l, tt.lines[i])
					}
				}
			}
		})
	}
}

func TestManyRunsOfNULBytesAddUp(t *testing.T) {
	_, got := read(t, from("x.log", strings.NewReader(strings.Repeat(strings.Repeat("some text ", 100)+"\x00\n", 50))))
	losses, sum := got.NULs(), int64(0)
	for _, l := range losses {
		sum += l.Count
	}
	if len(losses) != maxNULs || sum != 50 || got.Binary() {
		t.Errorf("%d losses of %d runs, binary %v", len(losses), sum, got.Binary())
	}
}

func TestBinaryIsToldByItsControlCharacters(t *testing.T) {
	var noise strings.Builder
	for i := range uint32(4000) {
		sum := sha256.Sum256(binary.LittleEndian.AppendUint32(nil, i))
		noise.Write(sum[:])
	}
	for name, data := range map[string]string{
		"random":       noise.String(),
		"numbers":      strings.Repeat("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x03\x00>\x00\x01", 100),
		"zero strings": strings.Repeat("_init\x00libc.so.6\x00LOG:  x\x00", 100),
	} {
		if _, got := read(t, from("x", strings.NewReader(data))); !got.Binary() {
			t.Errorf("%s is taken for text", name)
		}
	}
}
