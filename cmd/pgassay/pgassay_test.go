package main

import (
	"strings"
	"testing"
)

func TestColourFollowsTerminalAndWishes(t *testing.T) {
	for _, c := range []struct {
		mode, noColor, term string
		terminal, want      bool
	}{
		{colorAuto, "", "xterm", true, true},
		{colorAuto, "", "xterm", false, false},
		{colorAuto, "1", "xterm", true, false},
		{colorAuto, "", "dumb", true, false},
		{colorAlways, "1", "dumb", false, true},
		{colorNever, "", "xterm", true, false},
	} {
		env := &environment{variables: []string{"NO_COLOR=x", "NO_COLOR=" + c.noColor, "TERM=" + c.term}}
		if got := env.color(c.mode, c.terminal); got != c.want {
			t.Errorf("%+v: colour %v", c, got)
		}
	}
}

func TestHangKeepsToTheWidth(t *testing.T) {
	for _, c := range []struct{ lead, text, want string }{
		{"", "one two three four", "  one two\n  three\n  four\n"},
		{"x", "one", "x one\n"},
		{"long lead", "one", "long lead\n  one\n"},
		{"x", "", "x\n"},
		{"", "incomprehensibly", "  incomprehensibly\n"},
	} {
		var b strings.Builder
		hang(&b, c.lead, 2, 10, c.text)
		if b.String() != c.want {
			t.Errorf("%q, %q: %q, want %q", c.lead, c.text, b.String(), c.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"PGA101", "PGA102", 1}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
