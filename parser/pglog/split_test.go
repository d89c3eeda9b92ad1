package pglog

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// readTwo reads a file that was cut at an offset as the parser does: each half
// is recognised alone, the second with the prefix of the first at hand, and the
// head of the second is joined to the last entry of the first if something
// speaks for it. ok is false if a half alone is not recognised.
func readTwo(f source.Format, data []byte, at int) (facts []string, ok bool) {
	first, second := data[:at], data[at:]
	a := f.Detect(headOf(first))
	if a == nil || a.Reason != "" {
		return nil, false
	}
	h := headOf(second)
	h.Prefixes = []string{a.Prefix}
	b := f.Detect(h)
	if b == nil || b.Reason != "" {
		return nil, false
	}
	first = first[a.Begin(first):]
	tail := first[lastCut(a, first):]
	begin := b.Begin(second)
	orphan := second[:begin]
	batch := new(record.Batch)
	a.Parse(first[:len(first)-len(tail)], record.Pos{File: "sample", Line: 1}, batch)
	if begin > 0 && joins(a, tail, orphan) {
		tail = slices.Concat(tail, orphan)
	}
	a.Parse(tail, record.Pos{File: "sample", Line: 1}, batch)
	b.Parse(second[begin:], record.Pos{File: "sample", Line: 1}, batch)
	return factsOf(batch), true
}

// lastCut is where the last entry begins.
func lastCut(d *source.Detection, data []byte) int {
	at := 0
	for at < len(data) {
		n := d.Cut(data[at:])
		if n == 0 || n == len(data)-at {
			break
		}
		at += n
	}
	return at
}

func joins(d *source.Detection, tail, orphan []byte) bool {
	alone := new(record.Batch)
	d.Parse(tail, record.Pos{File: "sample", Line: 1}, alone)
	for _, l := range alone.Losses {
		if l.Kind != record.LossTime && l.Kind != record.LossPrefix {
			return true
		}
	}
	return !bytes.HasSuffix(tail, []byte("\n")) || orphan[0] == '\t' || orphan[0] == ' ' || d.GoesOn != nil && d.GoesOn(orphan)
}

// A log cut in two anywhere, as rotation and split do, says the same.
func TestTwoHalvesAreTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, f := range map[string]source.Format{
		"pg18-pg.log": Stderr, "pg18-extra.log": Stderr, "pg12-pg.log": Stderr, "shop.log": Stderr,
		"pg18-pg.csv": CSVLog, "localized.csv": CSVLog, "pg18-pg.json": JSONLog,
	} {
		checkHalves(t, r, name, f, readSample(t, name), 12)
	}
	for _, w := range carriers {
		if !strings.Contains(w.name, "newest first") && !strings.Contains(w.name, "one line") && !strings.Contains(w.name, "csv") {
			data, _ := shipSample(t, w)
			checkHalves(t, r, w.name, w.format, data, 6)
		}
	}
}

func checkHalves(t *testing.T, r *rand.Rand, name string, f source.Format, data []byte, times int) {
	d := f.Detect(headOf(data))
	want := strings.Join(factsOf(parseCut(d, data, len(data))), "\n")
	read := 0
	for range times {
		at := 1 + r.IntN(len(data)-1)
		got, ok := readTwo(f, data, at)
		if !ok {
			continue
		}
		read++
		if g := strings.Join(got, "\n"); g != want {
			t.Errorf("%s cut at %d: %s", name, at, firstDifference(want, g))
		}
	}
	if read < times/2 {
		t.Errorf("%s: only %d of %d cuts left two logs", name, read, times)
	}
}
