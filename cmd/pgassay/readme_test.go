package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestREADMEShowsWhatIsPrinted holds the README to the program. What stands
// between "<!-- pgassay ARG... -->" and "<!-- end -->" is the output of that
// command, or, in a code block, as many of its first lines as the block has.
// With -update it is rewritten.
func TestREADMEShowsWhatIsPrinted(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- pgassay ", "<!-- end -->\n"
	parts := strings.Split(string(text), begin)
	if len(parts) < 3 {
		t.Fatalf("README.md shows %d outputs", len(parts)-1)
	}
	for i, part := range parts[1:] {
		command, rest, ok := strings.Cut(part, " -->\n")
		shown, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("README.md: no end of %q", command)
		}
		printed := firstLines(outputOf(t, strings.Fields(command)), shown)
		if !*update {
			same(t, command, printed, shown)
		}
		parts[i+1] = command + " -->\n" + printed + end + after
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(strings.Join(parts, begin)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func outputOf(t *testing.T, args []string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := Main(args, nil, &stdout, &stderr, nil); code != exitDone {
		t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
	}
	return stdout.String()
}

// firstLines cuts output to the length of a code block, if shown is one.
func firstLines(output, shown string) string {
	const fence = "```\n"
	body, ok := strings.CutPrefix(shown, fence)
	if !ok {
		return output
	}
	lines := strings.SplitAfter(output, "\n")
	n := min(strings.Count(strings.TrimSuffix(body, fence), "\n"), len(lines))
	return fence + strings.Join(lines[:n], "") + fence
}
