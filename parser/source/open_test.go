package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/pgassay/pgassay/parser/record"
)

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func utf16Text(text string, little bool) string { return utf16Bare("\ufeff"+text, little) }

func utf16Bare(text string, little bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	return string(b)
}

func from(name string, r io.Reader) Input {
	return Input{Name: name, open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// read returns all of the only text of an input.
func read(t testing.TB, in Input) (text string, got Text) {
	t.Helper()
	err := in.Each(func(x *Text) error {
		rest, err := io.ReadAll(x)
		text = string(x.Head) + string(rest)
		got = *x
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text, got
}

func TestTextIsRecognisedByItsBytes(t *testing.T) {
	long := strings.Repeat("2026-11-30 14:17:31.150 UTC [7] LOG:  grün\r\n", 20_000)
	tests := []struct {
		name, data, want string
		start            int64
	}{
		{"plain", "a\nb", "a\nb", 0},
		{"empty", "", "", 0},
		{"longer than the head", long, long, 0},
		{"UTF-8 byte order mark", "\xef\xbb\xbfa\n", "a\n", 3},
		{"UTF-16 little endian", utf16Text("grün 🐘\r\n", true), "grün 🐘\r\n", 0},
		{"UTF-16 big endian", utf16Text("grün 🐘\r\n", false), "grün 🐘\r\n", 0},
		{"UTF-16 longer than the head", utf16Text(long, true), long, 0},
		{"UTF-16 little endian without a mark", utf16Bare("2026 grün 🐘\r\n", true), "2026 grün 🐘\r\n", 0},
		{"UTF-16 big endian without a mark", utf16Bare("2026 ОШИБКА: 42\r\n", false), "2026 ОШИБКА: 42\r\n", 0},
		{"two bytes", "\x00a", "a", 0},
		{"NUL bytes", "\x00\x00\x00\x01ab\x00\x00", "\x01ab", 0},
		{"gzip of gzip", gzipped(t, gzipped(t, "a\n")), "a\n", 0},
		{"gzip", gzipped(t, long), long, 0},
		{"gzip of several members", gzipped(t, "a\n") + gzipped(t, "") + gzipped(t, "b\n"), "a\nb\n", 0},
		{"gzip of UTF-16", gzipped(t, utf16Text("ü", true)), "ü", 0},
		{"gzip of nothing", gzipped(t, ""), "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.data), iotest.HalfReader(strings.NewReader(tt.data))} {
				text, got := read(t, from("x.log.gz", r))
				if text != tt.want {
					t.Errorf("got %.60q (%d bytes), want %.60q (%d)", text, len(text), tt.want, len(tt.want))
				}
				if _, damage := got.Damage(); got.Start != tt.start || damage != nil {
					t.Errorf("starts at %d with damage %v", got.Start, damage)
				}
				if got.EOF != (len(tt.want) < HeadSize) || len(got.Head) > HeadSize {
					t.Errorf("head of %d bytes, EOF %v", len(got.Head), got.EOF)
				}
			}
		})
	}
}

func TestBaseIsTheNameWithoutItsCompression(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"a.csv.gz", gzipped(t, "a"), "a.csv"},
		{"a.csv.gz", "not compressed", "a.csv.gz"},
		{"a.csv", gzipped(t, "a"), "a.csv"},
	} {
		if _, got := read(t, from(tt.name, strings.NewReader(tt.data))); got.Base != tt.want {
			t.Errorf("%s: base %q, want %q", tt.name, got.Base, tt.want)
		}
	}
}

func TestDamagedStreamGivesWhatCanBeRead(t *testing.T) {
	long := strings.Repeat("0123456789abcdef\n", 100_000)
	packed := gzipped(t, long)
	flipped := []byte(packed)
	flipped[len(flipped)-6] ^= 1
	tests := []struct {
		name, data string
		min        int // bytes of text that can be read
	}{
		{"cut in the middle", packed[:len(packed)/2], 1000},
		{"cut in the check sum", packed[:len(packed)-4], len(long)},
		{"cut in the header", packed[:5], 0},
		{"magic only", packed[:2], 0},
		{"wrong check sum", string(flipped), len(long)},
		{"garbage behind the stream", packed + "garbage", len(long)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, got := read(t, from("x", strings.NewReader(tt.data)))
			if len(text) < tt.min || !strings.HasPrefix(long, text) {
				t.Errorf("got %d bytes, want at least %d", len(text), tt.min)
			}
			if kind, damage := got.Damage(); damage == nil || kind != record.LossTruncated {
				t.Errorf("%s: %v", kind, damage)
			}
		})
	}
}

func TestFailureToReadIsAnError(t *testing.T) {
	broken := errors.New("input/output error")
	for name, start := range map[string]string{
		"at once":            "",
		"plain":              "a\n",
		"behind gzip magic":  "\x1f\x8b\x08",
		"inside gzip":        gzipped(t, strings.Repeat("a\n", 1000))[:30],
		"inside UTF-16":      utf16Text("abc", true),
		"behind the head":    strings.Repeat("a\n", HeadSize),
		"behind half a gzip": gzipped(t, "abc")[:12],
	} {
		t.Run(name, func(t *testing.T) {
			in := from("x.log", io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken)))
			err := in.Each(func(x *Text) error {
				_, err := io.Copy(io.Discard, x)
				return err
			})
			if !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte(gzipped(f, "a\nb\n")))
	f.Add([]byte(gzipped(f, "a\nb\n")[:20]))
	f.Add([]byte(utf16Text("aü", true)))
	f.Add([]byte("\xef\xbb\xbfa"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := from("x", bytes.NewReader(data))
		err := in.Each(func(x *Text) error {
			_, err := io.Copy(io.Discard, io.LimitReader(x, 1<<20))
			return err
		})
		if err != nil {
			t.Errorf("damage became an error: %v", err)
		}
	})
}
