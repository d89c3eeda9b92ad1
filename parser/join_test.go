package parser

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// lossKinds are the kinds of a run's losses.
func lossKinds(s seen) []record.LossKind {
	var kinds []record.LossKind
	for _, l := range s.Losses {
		kinds = append(kinds, l.Kind)
	}
	return kinds
}

func TestLogSplitAnywhereReadsAsOne(t *testing.T) {
	for _, quoted := range []bool{false, true} {
		r := rand.New(rand.NewPCG(3, 4))
		text := randomLog(r, 12, quoted)
		folder(t, map[string]string{"whole.log": text})
		want := run(t, Options{}, "whole.log").texts()
		first := strings.Index(text, "\n@") + 1
		last := strings.LastIndex(text, "\n@") - 1
		for at := first; at < last; at++ {
			// The names are in the wrong order: the entries' times decide.
			folder(t, map[string]string{"in/z": text[:at], "in/a": text[at:]})
			got := run(t, Options{Jobs: 1 + at%3, BlockSize: 1 + r.IntN(60)}, "in")
			if !slices.Equal(got.texts(), want) || len(got.Losses) > 0 {
				t.Fatalf("quoted %v, split at %d (%q | %q): losses %v, entries\n%q\nwant\n%q",
					quoted, at, text[max(0, at-10):at], text[at:at+10], got.Losses, got.texts(), want)
			}
		}
	}
}

func TestLogSplitIntoManyPiecesReadsAsOne(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		text := randomLog(r, 200, seed%2 == 0)
		files := map[string]string{}
		for from := 0; from < len(text); {
			to := min(from+300+r.IntN(500), len(text))
			if len(text)-to < 300 {
				to = len(text)
			}
			files[fmt.Sprintf("in/%d-%d", r.IntN(1000), from)] = text[from:to]
			from = to
		}
		folder(t, files)
		got := run(t, Options{BlockSize: 1 + r.IntN(200)}, "in")
		folder(t, map[string]string{"whole": text})
		if want := run(t, Options{}, "whole").texts(); !slices.Equal(got.texts(), want) || len(got.Losses) > 0 {
			t.Errorf("seed %d: losses %v, got %d entries, want %d", seed, got.Losses, len(got.texts()), len(want))
		}
	}
}

func TestJoinedEntryStandsWhereItBegan(t *testing.T) {
	folder(t, map[string]string{"a.log": "@1 one\n@2 two\n\tx", "b.log": "y\n\tz\n@3 three\n"})
	got := run(t, Options{}, ".")
	i := slices.IndexFunc(got.Executions, func(e record.Execution) bool { return strings.HasPrefix(e.Parameters, "@2") })
	e := got.Executions[i]
	if e.Parameters != "@2 two\n\txy\n\tz\n" || e.Pos != (record.Pos{File: "a.log", Line: 2, Offset: 7}) {
		t.Errorf("got %+v", e)
	}
	for i, want := range []FileReport{{Bytes: 16, Lines: 3, Entries: 2}, {Bytes: 14, Lines: 3, Entries: 1}} {
		f := got.Report.Files[i]
		if f.Bytes != want.Bytes || f.Lines != want.Lines || f.Entries != want.Entries {
			t.Errorf("%s: %d bytes, %d lines, %d entries; want %+v", f.Name, f.Bytes, f.Lines, f.Entries, want)
		}
	}
}

func TestOrphanThatContinuesNothingIsALoss(t *testing.T) {
	tests := map[string]map[string]string{
		"no file before it":       {"a.log": "\tx\n\ty\n@1 one\n"},
		"the only file is later":  {"a.log": "@5 five\n", "b.log": "\tx\n\ty\n@1 one\n"},
		"a file of other format":  {"a.log": "@0 \"zero\nx\"\n", "b.log": "\tx\n\ty\n@1 one\n"},
		"a file of other folder":  {"a/a.log": "@0 zero\n", "b/b.log": "\tx\n\ty\n@1 one\n"},
		"foreign lines":           {"a.log": "@0 zero\n", "b.log": "Starting\nup\n@1 one\n"},
		"an empty file before it": {"a.log": "", "b.log": "\tx\n\ty\n@1 one\n"},
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			folder(t, files)
			got := run(t, Options{}, ".")
			if kinds := lossKinds(got); !slices.Equal(kinds, []record.LossKind{record.LossLine}) || got.Losses[0].Count != 2 {
				t.Errorf("losses %+v", got.Losses)
			}
			for _, text := range got.texts() {
				if strings.Contains(text, "Starting") || strings.Contains(text, "\tx") {
					t.Errorf("the orphan was joined: %q", text)
				}
			}
		})
	}
}

func TestHeaderOfASnapshotIsNoOrphan(t *testing.T) {
	folder(t, map[string]string{"a.tsv": "relname\na\n", "b.tsv": "relname\nb\n"})
	if got := run(t, Options{}, "."); len(got.Losses) > 0 || len(got.Samples) != 2 {
		t.Errorf("losses %+v, %d samples", got.Losses, len(got.Samples))
	}
}

func TestPieceThatBeginsInsideAHugeEntryIsRecognised(t *testing.T) {
	plan := strings.Repeat("\tplan line\n", 60_000)
	folder(t, map[string]string{"a.log": "@1 one\n@2 plan\n" + plan[:300_000], "b.log": plan[300_000:] + "@3 three\n@4 four\n"})
	got := run(t, Options{}, ".")
	if len(got.Losses) > 0 || !slices.Equal(got.texts(), []string{"@1 one\n", "@2 plan\n" + plan, "@3 three\n", "@4 four\n"}) {
		t.Errorf("losses %+v, %d entries", got.Losses, len(got.Executions))
	}
}

// What opens a list or a table is no entry, and none that could not be read.
func TestOpeningOfAFileIsNoLoss(t *testing.T) {
	const message = `2026-03-02 08:00:01 UTC:10.2.3.4(4401):app@shop:[991]:LOG:  duration: 1.000 ms  statement: select 1`
	for name, text := range map[string]string{
		"a list of Cloud Logging": "[\n  {\n    \"textPayload\": \"" + message + "\",\n    \"timestamp\": \"2026-03-02T08:00:01Z\"\n  }\n]\n",
		"events of CloudWatch": "{\n    \"events\": [\n        {\n            \"timestamp\": 1772438401000,\n            \"message\": \"" + message +
			"\"\n        }\n    ],\n    \"searchedLogStreams\": [],\n    \"names\": [\"a\", \"b\"]\n}\n",
		"a table": "timestamp,message\n1772438401000," + message + "\n",
		"a list of CloudNativePG": "[\n{\"logger\":\"postgres\",\"msg\":\"record\",\"record\":{\"log_time\":\"2026-03-02 08:00:01 UTC\",\"process_id\":\"991\"," +
			"\"error_severity\":\"LOG\",\"message\":\"duration: 1.000 ms  statement: select 1\"}}\n]\n",
	} {
		folder(t, map[string]string{"in/a": text})
		got := run(t, Options{Formats: Formats}, "in")
		if len(got.Losses) > 0 || len(got.Executions) != 1 {
			t.Errorf("%s: losses %+v, %d executions", name, got.Losses, len(got.Executions))
		}
		if f := got.Report.Files[0]; f.Bytes != int64(len(text)) || f.Lines != int64(strings.Count(text, "\n")) {
			t.Errorf("%s: %d bytes, %d lines", name, f.Bytes, f.Lines)
		}
	}
}
