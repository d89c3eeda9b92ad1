package pglog

import "testing"

func TestHostIsTheClientWithoutItsPort(t *testing.T) {
	for from, want := range map[string]string{
		"10.0.0.1(5000)": "10.0.0.1", "10.0.0.1:5000": "10.0.0.1", "10.0.0.1": "10.0.0.1", "db.example(5000)": "db.example",
		"[local]": "[local]", "": "", "::1(50123)": "::1", "::1:50123": "::1", "::1": "::1", "fe80::1:2": "fe80::1:2",
		"2001:db8::7:40001": "2001:db8::7", "host:": "host:", ":5000": ":5000", "(5000)": "(5000)",
	} {
		if got := string(host([]byte(from))); got != want {
			t.Errorf("%q is host %q, want %q", from, got, want)
		}
	}
}
