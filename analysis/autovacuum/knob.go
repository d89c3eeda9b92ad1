package autovacuum

import (
	"strings"
)

// Knob is which trigger of a table is to be set.
type Knob string

// Knobs.
const (
	KnobNone     Knob = ""
	KnobDead     Knob = "dead rows"
	KnobInserted Knob = "inserted rows"
)

// Why is the reason for the knob, in a sentence.
func (k Knob) Why() string {
	switch k {
	case KnobDead:
		return "Deletes and updates make up much of the writes: dead rows reach their trigger first, and such a vacuum also frees their space."
	case KnobInserted:
		return "Nearly all writes are inserts: they leave no dead rows to wait for, so that only the trigger of inserted rows can bring a vacuum in time."
	}
	return ""
}

// Other says what the other knob would do instead, in a sentence.
func (k Knob) Other() string {
	switch k {
	case KnobDead:
		return "The insert settings can stay: inserted rows gather no faster, and an insert-triggered vacuum would walk the indexes all the same."
	case KnobInserted:
		return "Lowering autovacuum_vacuum_scale_factor would not help in time, and each vacuum that finds dead rows walks every index whole; " +
			"one that inserts started finds nothing to remove, walks none and reads only the pages that are not all-visible."
	}
	return ""
}

// SQL is the statement that sets a.Set for the table; "" if nothing is to be
// set. It takes a SHARE UPDATE EXCLUSIVE lock for a moment.
func (a *Advice) SQL() string {
	if len(a.Set) == 0 {
		return ""
	}
	parts := make([]string, len(a.Set))
	for i, p := range a.Set {
		parts[i] = p.String()
	}
	return "ALTER TABLE " + a.Relation.SQL() + " SET (" + strings.Join(parts, ", ") + ");"
}
