package autovacuum

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// set makes a model of a server with settings, and a table with options.
func set(version string, settings map[string]string, reloptions string) (*dataset.Model, *dataset.Relation) {
	m := &dataset.Model{Server: version, Settings: map[string][]dataset.Setting{}}
	for name, value := range settings {
		m.Settings[name] = []dataset.Setting{{Time: at(0), Value: value}}
	}
	return m, &dataset.Relation{Name: "public.t", Points: []dataset.TablePoint{{Time: at(0), Reloptions: reloptions}}}
}

func TestThrottleInForce(t *testing.T) {
	for name, c := range map[string]struct {
		version, reloptions string
		settings            map[string]string
		delay, limit, miss  float64
	}{
		"defaults of 13":       {"13.4", "", nil, 2, 200, 10},
		"defaults of 18":       {"18.1", "", nil, 2, 200, 2},
		"-1 is that of VACUUM": {"15.0", "", map[string]string{"autovacuum_vacuum_cost_delay": "-1", "vacuum_cost_delay": "7", "vacuum_cost_limit": "400"}, 7, 400, 2},
		"the table's options":  {"15.0", "{autovacuum_vacuum_cost_delay=0,autovacuum_vacuum_cost_limit=1000}", map[string]string{"autovacuum_vacuum_cost_delay": "2"}, 0, 1000, 2},
	} {
		m, r := set(c.version, c.settings, c.reloptions)
		if x := ThrottleAt(m, r, at(10)); x.Delay.Value != c.delay || x.Limit.Value != c.limit || x.Miss.Value != c.miss {
			t.Errorf("%s: %v, %v, miss %v", name, x.Delay, x.Limit, x.Miss.Value)
		}
	}
}

// A vacuum of a real server of version 18, whose line tells the delay: naps are a
// little longer than asked for.
func TestSleepAgainstMeasuredDelay(t *testing.T) {
	m, r := set("18.4", nil, "")
	v := record.Vacuum{BufferHits: record.Some(15032), BufferMisses: record.Some(3192), BufferDirtied: record.Some(3791), Elapsed: 1910 * record.Millisecond, HasElapsed: true}
	computed, measured, ok := ThrottleAt(m, r, at(0)).Sleep(&v)
	if !ok || measured || computed < 0.97 || computed > 0.98 {
		t.Errorf("%v s (measured %v), want 97,236 of cost in naps of 2 ms for 200", computed, measured)
	}
	v.HasDelay, v.DelayTime = true, 1727713
	told, measured, _ := ThrottleAt(m, r, at(0)).Sleep(&v)
	if !measured || told < computed || told > 2*computed {
		t.Errorf("%v s told, %v computed", told, computed)
	}
	v = record.Vacuum{BufferHits: record.Some(1e9), BufferMisses: record.Some(0), BufferDirtied: record.Some(0), Elapsed: record.Second, HasElapsed: true}
	if s, _, _ := ThrottleAt(m, r, at(0)).Sleep(&v); s != 1 {
		t.Errorf("slept %v s of one", s)
	}
	if _, _, ok := ThrottleAt(m, r, at(0)).Sleep(&record.Vacuum{}); ok {
		t.Error("sleep without buffers")
	}
}

// 400,000 dead items on 4,325 pages with 1 MB: three passes on real servers of 13
// and 15, one on 18.
func TestPassesByMemory(t *testing.T) {
	v := record.Vacuum{DeadItems: record.Some(400_000), DeadItemPages: record.Some(4325), TuplesRemoved: record.Some(400_000)}
	for version, passes := range map[string]float64{"13.2": 3, "15.18": 3, "16.1": 3, "17.0": 1, "18.4": 1} {
		m, r := set(version, map[string]string{"autovacuum_work_mem": "1024"}, "")
		if got := MemoryAt(m, r, at(0)).Passes(&v); got != passes {
			t.Errorf("%s: %v passes, want %v", version, got, passes)
		}
	}
	m, r := set("15.0", map[string]string{"autovacuum_work_mem": "-1", "maintenance_work_mem": "4194304"}, "")
	x := MemoryAt(m, r, at(0))
	if x.Bytes != 1<<30 || x.Set.Name != "maintenance_work_mem" {
		t.Errorf("%v of %v: up to 16 vacuum uses 1 GB at most", x.Bytes, x.Set)
	}
	v.DeadItems = record.Some(400_000_000)
	if x.Holds(&v) || x.Passes(&v) != 3 {
		t.Errorf("holds %v, %v passes, want 2.4 GB of items in 1 GB", x.Holds(&v), x.Passes(&v))
	}
}
