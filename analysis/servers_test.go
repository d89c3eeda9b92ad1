package analysis

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// claims are the findings as ID and subject, sorted.
func claims(t *testing.T, paths ...string) []string {
	t.Helper()
	r, err := Run(context.Background(), paths, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		out = append(out, f.ID+" "+f.Severity.String()+" "+f.Subject.String())
		if server := f.Subject.Server; server != "" && !strings.HasPrefix(f.Title, server+": ") {
			t.Errorf("%s of %s is entitled %q", f.ID, server, f.Title)
		}
	}
	slices.Sort(out)
	return out
}

func TestTwoServersTogetherSayWhatEachSays(t *testing.T) {
	a, b := filepath.Join("..", "samples", "vacuum-pinned"), filepath.Join("..", "samples", "vacuum-sawtooth")
	want := slices.Concat(claims(t, a), claims(t, b))
	slices.Sort(want)
	if got := claims(t, a, b); !slices.Equal(got, want) {
		t.Errorf("together\n got %q\nwant %q", got, want)
	}
}
