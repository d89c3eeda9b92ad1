package main

import (
	"fmt"
	"sort"
	"strings"
)

// runs prints false alarms on runs without a cause, and power, event and
// coverage on walks.
func (t *table) runs(o options) {
	t.title(fmt.Sprintf("Verdicts of all signatures on %d simulated runs without a cause", o.runs))
	verdicts := each(o.runs, o.jobs, func(i int) verdict {
		w, _ := null(o.seed, i)
		return judge(w)
	})
	alarms, byKind := 0, map[string]int{}
	for i, v := range verdicts {
		if v.falseAlarm() {
			_, name := null(o.seed, i)
			alarms++
			byKind[name]++
			fmt.Fprintf(t.out, "    run %d, %s: %s\n", i, name, v.says())
		}
	}
	kinds := nullKinds()
	for k, kind := range kinds {
		t.told(kind.name, byKind[kind.name], (o.runs-k+len(kinds)-1)/len(kinds))
	}
	t.row("false alarms: a page walk, or anything above info", alarms, o.runs, 0, o.runs*8/100)
	t.walks(o)
}

// says names what was found.
func (v verdict) says() string {
	ids := append([]string(nil), v.alarms...)
	if v.walk != nil {
		ids = append(ids, fmt.Sprintf("PGA101 %s, %s", v.walk.Confidence, v.walk.Title))
	}
	sort.Strings(ids)
	return strings.Join(ids, "; ")
}

// walks prints what is found of runs with a walk.
func (t *table) walks(o options) {
	t.title(fmt.Sprintf("Page walk (PGA101) on %d simulated walks of one buffer per page", o.runs))
	verdicts := each(o.runs, o.jobs, func(i int) verdict { return judge(walk(o.seed, i)) })
	found, event, fitted, covered := 0, 0, 0, 0
	for i, v := range verdicts {
		w := walk(o.seed, i)
		if !v.finds(&w) {
			continue
		}
		found++
		if v.dates(&w) {
			event++
		}
		if slope := v.slope(); slope != nil {
			fitted++
			if slope[0] <= w.Walks[0].Slope && w.Walks[0].Slope <= slope[1] {
				covered++
			}
		}
	}
	t.row("power: found, on its index", found, o.runs, nineTenths(o.runs), o.runs)
	t.row("event: begun by its vacuum", event, found, nineTenths(found), found)
	t.row("coverage: the 95 % interval of the slope holds it", covered, fitted, nineTenths(fitted), fitted)
}

// nineTenths is the least count that counts as 90 %: of fewer runs than the
// calibration asks for, what chance may leave of it.
func nineTenths(n int) int {
	if n < 150 {
		return atLeast(n, 0.9)
	}
	return (9*n + 9) / 10
}

// power prints how often a walk is found by readings of the size and
// executions between two of them.
func (t *table) power(o options) {
	executions := []int{3, 10, 30, 100}
	n := max(5, o.runs/4)
	t.title(fmt.Sprintf("Power by readings of the index size on either side of the vacuum, and executions between two (%d walks each, %% found)", n))
	fmt.Fprintf(t.out, "  %10s", "")
	for _, e := range executions {
		fmt.Fprintf(t.out, "%8d", e)
	}
	fmt.Fprintln(t.out)
	for _, sizes := range []int{6, 10, 15, 20, 30, 50, 100} {
		fmt.Fprintf(t.out, "  %10d", sizes)
		for _, e := range executions {
			found := count(n, o.jobs, func(i int) bool {
				w := readings(walk(o.seed, i), sizes, e)
				return judge(w).finds(&w)
			})
			fmt.Fprintf(t.out, "%8.0f", 100*float64(found)/float64(n))
		}
		fmt.Fprintln(t.out)
	}
}
