package analysis

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func eventsWith(counts map[record.EventKind]int) []record.Event {
	var out []record.Event
	for t := 0; len(counts) > 0; t++ {
		for k := range record.EventRecovery + 1 {
			if counts[k] > 0 {
				counts[k]--
				out = append(out, record.Event{Kind: k, LogTime: record.Time(t)})
			} else {
				delete(counts, k)
			}
		}
	}
	return out
}

func TestRareEventsSurviveAStorm(t *testing.T) {
	all := eventsWith(map[record.EventKind]int{
		record.EventLockWait: 5000, record.EventTempFile: 3000, record.EventCrash: 1, record.EventConnection: 9000, record.EventBenign: 10,
	})
	kept, left := eventsOf(all, 1001)
	count := map[record.EventKind]int{}
	for i := range kept {
		count[kept[i].Kind]++
		if i > 0 && kept[i].LogTime < kept[i-1].LogTime {
			t.Fatal("not in time")
		}
	}
	if count[record.EventCrash] != 1 || count[record.EventLockWait] != 500 || count[record.EventTempFile] != 500 || len(kept) != 1001 {
		t.Errorf("%v", count)
	}
	if left != 8001-1001 {
		t.Errorf("%d left out", left)
	}
	for i := len(kept) - 1; i >= 0; i-- {
		if kept[i].Kind == record.EventLockWait {
			if kept[i].LogTime < 4980 {
				t.Errorf("the last lock wait kept is %d of 5000", kept[i].LogTime)
			}
			break
		}
	}
}

func TestAllEventsOfInterestAreKeptBelowTheLimit(t *testing.T) {
	kept, left := eventsOf(eventsWith(map[record.EventKind]int{record.EventError: 7, record.EventOther: 3, record.EventReload: 1}), maxEvents)
	if len(kept) != 8 || left != 0 {
		t.Errorf("%d kept, %d left out", len(kept), left)
	}
	if kept, left := eventsOf(nil, maxEvents); kept != nil || left != 0 {
		t.Errorf("%d kept, %d left out", len(kept), left)
	}
}

func TestAnonymousEventsAndTriggersHaveNoName(t *testing.T) {
	r := &Result{
		Relations: []RelationRow{{Name: "crm.secretary"}},
		Events: []record.Event{{
			Kind: record.EventError, UserName: "alice", Database: "payroll", Application: "ledgerd", Object: `relation "secretary"`,
			Text:      `duplicate key value violates unique constraint "secretary_pkey"`,
			Statement: &record.Statement{Fingerprint: "f1", Normalized: "SELECT wage FROM crm.secretary WHERE name = 'Bob'", Command: "SELECT", Relations: []string{"crm.secretary"}},
		}},
		Triggers: []Trigger{{Relation: "crm.secretary", Note: "autovacuum is off"}},
	}
	out := Anonymize(r, Names{Databases: []string{"payroll"}, Users: []string{"alice"}, Applications: []string{"ledgerd"}})
	e := out.Events[0]
	text := strings.Join([]string{e.UserName, e.Database, e.Application, e.Object, e.Text, e.Statement.Normalized, e.Statement.Relations[0], out.Triggers[0].Relation}, "\n")
	for _, secret := range []string{"secretary", "alice", "payroll", "ledgerd", "wage", "Bob", "crm"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in\n%s", secret, text)
		}
	}
	if e.Statement.Fingerprint != "f1" || out.Triggers[0].Note != "autovacuum is off" {
		t.Errorf("%+v, %+v", e.Statement, out.Triggers[0])
	}
}
