package sqltext

import (
	"strings"
	"testing"
)

func addSeeds(f *testing.F) {
	for _, text := range strings.Split(readFile(f, "statements.sql"), "\n") {
		f.Add([]byte(text))
	}
	for _, block := range sameBlocks(f) {
		f.Add([]byte(strings.Join(block, ";")))
	}
	f.Add([]byte("values ((1),(2) in (array[[1,2],values(1),(2)]), $$'$$, u&\"x\" U&'' E'\\' -- \x00"))
}

// FuzzCanonical: what does not need the C parser never panics, is bounded, and
// is a function of the canonical text.
func FuzzCanonical(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		s := canonical(nil, text)
		if len(s) > maxCanonical+64 || len(s) > 8*len(text) {
			t.Fatalf("%d bytes of text became %d", len(text), len(s))
		}
		if n := len(render(s)); n > maxNormalized {
			t.Fatalf("normalized text has %d bytes", n)
		}
		safe(s)
		command(s)
		tokenFingerprint(s)
		guessRelations(s)
		replaceParams(s, asName)
	})
}

// FuzzStatement goes through the C parser.
func FuzzStatement(f *testing.F) {
	addSeeds(f)
	in := NewInterner(100)
	f.Fuzz(func(t *testing.T, text []byte) {
		st := in.Statement(text)
		if st == nil || st.Fingerprint == "" || (st.Fingerprint[0] == '~') != st.Approximate {
			t.Fatalf("%+v", st)
		}
	})
}
