package parser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// Pieces of bytes, some of which hold no start of an entry, read as one log.
func TestPiecesWithoutAnEntryAreJoined(t *testing.T) {
	var lines, objects strings.Builder
	for i := range 40 {
		long := strings.Repeat("x", 30)
		if i == 12 || i == 25 {
			long = strings.Repeat("y", 2000)
		}
		fmt.Fprintf(&lines, "@%d a\n\t%s\n\tz\n", i+1, long)
		fmt.Fprintf(&objects, `{"timestamp":"2026-11-30 14:41:%02d.881 UTC","pid":7,"error_severity":"LOG",`+
			`"message":"duration: 1.000 ms  statement: select '%s'"}`+"\n", i, long)
	}
	for name, text := range map[string]string{"lines": lines.String(), "jsonlog": objects.String()} {
		opt := Options{}
		if name == "jsonlog" {
			opt.Formats = Formats
		}
		folder(t, map[string]string{"whole": text})
		want := run(t, opt, "whole")
		for _, size := range []int{310, 400, 777} {
			files, from := map[string]string{}, 0
			for ; from+2*size < len(text); from += size {
				files[fmt.Sprintf("in/log.%03d", from/size)] = text[from : from+size]
			}
			files[fmt.Sprintf("in/log.%03d", from/size)] = text[from:]
			folder(t, files)
			got := run(t, opt, "in")
			if len(got.Executions) != 40 || !slices.Equal(got.texts(), want.texts()) || len(got.Losses) > 0 {
				t.Errorf("%s, pieces of %d: %d entries; %d losses", name, size, len(got.texts()), len(got.Losses))
			}
			sum := int64(0)
			for _, f := range got.Report.Files {
				sum += f.Bytes
			}
			if sum != int64(len(text)) {
				t.Errorf("%s, pieces of %d: %d of %d bytes", name, size, sum, len(text))
			}
		}
	}
}

func TestStrangeFileBetweenLogsIsALoss(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"other names":       {"in/log.1": "@1 one\n@2 tw", "in/log.1-notes": "x\n", "in/log.2": "o\n@3 three\n"},
		"no piece before":   {"in/log.1": "x\n", "in/log.2": "o\n@3 three\n@4 four\n"},
		"no piece after":    {"in/log.1": "@1 one\n@2 two\n", "in/log.2": "x\n"},
		"the log has ended": {"in/log.1": "@1 one\n@2 two\n", "in/log.2": "Notes\n", "in/log.3": "@3 three\n@4 four\n"},
	} {
		folder(t, files)
		got := run(t, Options{}, "in")
		if kinds := lossKinds(got); !slices.Contains(kinds, record.LossFile) {
			t.Errorf("%s: losses %+v", name, got.Losses)
		}
	}
}
