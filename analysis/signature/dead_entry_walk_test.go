package signature

import "testing"

func TestDeadEntryWalkSaysWhatItLacks(t *testing.T) {
	(&hygiene{t: t}).lacks(deadEntryWalk, "no plans with buffers")
}
