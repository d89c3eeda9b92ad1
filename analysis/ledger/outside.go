package ledger

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Outside is time of the execution that the root does not contain.
type Outside struct {
	What  string
	Kind  OutsideKind
	Time  float64 // ms
	Node  int     // of OutsideCTE; −1 otherwise
	Calls int64   // of OutsideTrigger
	// IsAssumed marks a trigger that may as well have fired before: EXPLAIN does
	// not tell, and its time fits both inside the tree and outside.
	IsAssumed bool
}

// OutsideKind is what the time was spent on.
type OutsideKind uint8

// Kinds: a data-modifying CTE that nobody reads runs after the tree, AFTER
// triggers and serialization (17 and later) stand beside it, and the rest is the
// start and stop of the executor, JIT compilation included. A rest below 0 is
// timing skew.
const (
	OutsideCTE OutsideKind = iota + 1
	OutsideTrigger
	OutsideSerialization
	OutsideRest
)

// spentOutside finds the parts of the execution beyond the root.
func (l *Ledger) spentOutside(logged record.Duration) {
	if !l.Timed {
		return
	}
	switch {
	case l.Plan.HasExecution:
		l.Execution, l.HasExecution = l.Plan.ExecutionTime.Milliseconds(), true
	case logged > 0:
		l.Execution, l.HasExecution = logged.Milliseconds(), true
	}
	for i := range l.Nodes {
		if o := &l.Nodes[i]; o.Outside {
			l.add(Outside{What: l.Plan.Nodes[i].SubplanName, Kind: OutsideCTE, Time: o.Inclusive, Node: i})
		}
	}
	if ms, ok := serialization(l.Plan.Extra); ok {
		l.add(Outside{What: "serialization", Kind: OutsideSerialization, Time: ms, Node: -1})
	}
	if !l.HasExecution {
		return
	}
	rest := l.triggers(l.Execution - l.Root - l.outside())
	l.add(Outside{What: "executor start and stop", Kind: OutsideRest, Time: rest, Node: -1})
}

func (l *Ledger) add(o Outside) { l.Outside = append(l.Outside, o) }

func (l *Ledger) outside() float64 {
	sum := 0.0
	for i := range l.Outside {
		sum += l.Outside[i].Time
	}
	return sum
}

// printed is what two printed times may differ by, in ms.
const printed = 0.01

// triggers tells AFTER triggers, which take time beyond the root, from BEFORE
// triggers, which take theirs inside ModifyTable: the longest first, each where
// there is room for it. Constraints always fire AFTER. It returns what is left
// of beyond.
func (l *Ledger) triggers(beyond float64) float64 {
	inside := 0.0
	for i := range l.Plan.Nodes {
		if l.Plan.Nodes[i].NodeType == "ModifyTable" {
			inside += l.Nodes[i].Shown + l.Nodes[i].Tolerance
		}
	}
	for _, i := range l.triggersByTime() {
		t := &l.Plan.Triggers[i]
		ms := t.Time.Milliseconds()
		constraint := t.Constraint != "" || strings.HasPrefix(t.Name, "RI_ConstraintTrigger")
		fitsInside, fitsBeyond := ms <= inside+printed, ms <= beyond+printed
		if !constraint && fitsInside && !fitsBeyond {
			inside -= ms
			continue
		}
		beyond -= ms
		l.add(Outside{
			What: triggerText(t), Kind: OutsideTrigger, Time: ms, Node: -1, Calls: t.Calls,
			IsAssumed: !constraint && fitsInside && ms > printed,
		})
	}
	return beyond
}

// triggersByTime are the indexes of the plan's triggers, constraints first, then
// the longest.
func (l *Ledger) triggersByTime() []int {
	list := l.Plan.Triggers
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		if list[i].Constraint != "" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(list[b].Time, list[a].Time))
	})
	return order
}

func triggerText(t *record.Trigger) string {
	name := t.Name
	if t.Constraint != "" {
		name = t.Constraint
	}
	if t.Relation != "" {
		name += " on " + t.Relation
	}
	return "trigger " + name
}

// serialization is the time in ms that 17 and later print with SERIALIZE: as an
// object, or as "time=0.207 ms  output=113kB  format=text".
func serialization(extra []record.KeyValue) (float64, bool) {
	for _, kv := range extra {
		if kv.Key != "Serialization" {
			continue
		}
		var o struct{ Time *float64 }
		if json.Unmarshal([]byte(kv.Value), &o) == nil && o.Time != nil {
			return *o.Time, true
		}
		_, text, ok := strings.Cut(kv.Value, "time=")
		text, _, _ = strings.Cut(text, " ")
		ms, err := strconv.ParseFloat(text, 64)
		return ms, ok && err == nil
	}
	return 0, false
}
