package dataset

import "testing"

func TestMajorIsOfVersionsOnly(t *testing.T) {
	for version, want := range map[string]string{
		"15.20 (Debian 15.20-0+deb12u1)": "15", "19beta1": "19", "18rc1": "18", "9.6.24": "9.6", "17": "17",
		"": "", "NaN": "", "Infinity": "", "1e308": "", "9223372036854775807": "", "-1": "", "abc": "",
	} {
		if got := major(version); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}
