package analysis

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// maxEvents bounds Result.Events.
const maxEvents = 20_000

// ofInterest reports whether a reader wants to see the event beside the
// findings: connections come with every request, and the rest says nothing.
func ofInterest(k record.EventKind) bool {
	switch k {
	case record.EventOther, record.EventBenign, record.EventConnection, record.EventDisconnection, record.EventConnectionReady:
		return false
	}
	return true
}

// eventsOf are the events of interest by time, at most limit, and how many were
// left out. Rare kinds are kept whole, so that a storm of lock waits hides no
// crash; of the others an even part over time is.
func eventsOf(events []record.Event, limit int) (kept []record.Event, leftOut int64) {
	count := map[record.EventKind]int{}
	total := 0
	for i := range events {
		if k := events[i].Kind; ofInterest(k) {
			count[k]++
			total++
		}
	}
	quota := quotas(count, limit)
	seen := map[record.EventKind]int{}
	for i := range events {
		k := events[i].Kind
		if !ofInterest(k) {
			continue
		}
		// The part before this one and with it: it is kept where that grows.
		before := seen[k] * quota[k] / count[k]
		seen[k]++
		if seen[k]*quota[k]/count[k] > before {
			kept = append(kept, events[i])
		}
	}
	return kept, int64(total - len(kept))
}

// quotas shares limit among the kinds: each gets the same, and what the rarer
// ones do not need falls to the others.
func quotas(count map[record.EventKind]int, limit int) map[record.EventKind]int {
	kinds := make([]record.EventKind, 0, len(count))
	for k := range count {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b record.EventKind) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
	})
	quota := make(map[record.EventKind]int, len(kinds))
	for i, k := range kinds {
		quota[k] = min(count[k], limit/(len(kinds)-i))
		limit -= quota[k]
	}
	return quota
}

// eventRule is how the texts of events, their statements and of triggers are made
// anonymous; nil for other owners.
func eventRule(owner reflect.Type, field string) rewrite {
	switch owner {
	case reflect.TypeFor[record.Event]():
		switch field {
		case "Session", "SQLState":
			return kept
		case "UserName", "Database", "Application":
			return (*dictionary).name
		}
		return (*dictionary).prose
	case reflect.TypeFor[record.Statement]():
		switch field {
		case "Normalized":
			return (*dictionary).sql
		case "Fingerprint", "Command":
			return kept
		}
		return (*dictionary).name
	case reflect.TypeFor[Trigger]():
		if field == "Relation" {
			return (*dictionary).name
		}
		return (*dictionary).advice
	}
	return nil
}
