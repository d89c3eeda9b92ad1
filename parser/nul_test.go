package parser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestLogWithNULBytesIsReadAndTheyAreCounted(t *testing.T) {
	hole := strings.Repeat("\x00", 4096)
	for name, text := range map[string]string{
		"before the log":  hole + "@1 one\n@2 two\n",
		"between entries": "@1 one\n" + hole + "@2 two\n",
		"in an entry":     "@1 o" + hole + "ne\n@2 two\n",
		"at the end":      "@1 one\n@2 two\n" + hole,
		"one":             "@1 one\n@2 t\x00wo\n",
	} {
		folder(t, map[string]string{"a.log": text})
		got := run(t, Options{}, ".")
		if !slices.Equal(got.texts(), []string{"@1 one\n", "@2 two\n"}) {
			t.Errorf("%s: entries %q", name, got.texts())
		}
		if kinds := lossKinds(got); !slices.Equal(kinds, []record.LossKind{record.LossLine}) || !strings.HasPrefix(got.Losses[0].Text, "NUL bytes") {
			t.Errorf("%s: losses %+v", name, got.Losses)
		}
	}
}

func TestNULBytesHaveTheirLineWhateverTheBlocks(t *testing.T) {
	text := ""
	for i := range 50 {
		text += fmt.Sprintf("@%d a%s\n\tb\n", i+1, strings.Repeat("x", 60))
		if i%5 == 4 {
			text += "\tc\x00\x00d\n"
		}
	}
	folder(t, map[string]string{"a.log": text})
	for _, size := range []int{1, 17, 100, 0} {
		got := run(t, Options{BlockSize: size}, ".")
		if len(got.Losses) != 10 {
			t.Fatalf("losses %+v", got.Losses)
		}
		for i, l := range got.Losses {
			if l.Pos.Line != int64(11*(i+1)) {
				t.Errorf("blocks of %d: loss %d at line %d", size, i, l.Pos.Line)
			}
		}
	}
}

func TestNULBytesOfNoLogAreBinary(t *testing.T) {
	folder(t, map[string]string{"a.bin": "some text\n\x00and more\n"})
	got := run(t, Options{}, ".")
	if len(got.Losses) != 1 || got.Losses[0].Kind != record.LossFile || got.Losses[0].Text != binary {
		t.Errorf("losses %+v", got.Losses)
	}
}
