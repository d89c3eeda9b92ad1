package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
)

// remedy names what to do about the use of the added time, and what to collect
// where the input does not tell it.
func (d *slowdown) remedy(f *finding.Finding, where string) {
	if c := d.Change.Cause; c != nil {
		f.Actions = append(f.Actions, undo(c, d.event()))
	}
	switch {
	case where == "":
		f.Actions = append(f.Actions, finding.Action{Do: "Sample pg_stat_activity every few seconds with captured_at, and set track_io_timing = on: then the added time is split into waits, I/O and CPU.",
			Cost: "track_io_timing costs two clock readings for each block that is read"})
	case where == "CPU":
		f.Actions = append(f.Actions, finding.Action{Do: "Look at the processors of the host since " + clock(d.began()) + ": other processes, a lower clock, steal time of a virtual machine, more active backends than cores.",
			Cost: "none"})
	case where == "Lock waits":
		f.Actions = append(f.Actions, finding.Action{SQL: true, Do: "SELECT pid, pg_blocking_pids(pid), wait_event_type, wait_event, query FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0;",
			Cost: "none; end the transaction that stands at the head, not those that wait"})
	case where == "I/O" || strings.HasPrefix(where, "IO"):
		f.Actions = append(f.Actions, finding.Action{Do: "Compare the latency of the storage and the blocks read before and after " + clock(d.began()) + ": more reads for as many buffers mean a colder cache, as many reads that take longer a slower disk.",
			Cost: "none"})
	default:
		f.Actions = append(f.Actions, finding.Action{Do: "Look up the wait events of " + where + " in pg_stat_activity while the statement runs: they name what is short.", Cost: "none"})
	}
	f.WillNotHelp = []string{"An index or another plan: the statement does the same work as before.", "VACUUM or REINDEX: it reads as many buffers as before."}
	if !(d.Buffers.ratio() > 0) {
		f.WillNotHelp = nil
		f.Actions = append(f.Actions, finding.Action{Do: "Log buffers (auto_explain.log_analyze and log_buffers, or snapshots of pg_stat_statements): without them more work is not ruled out.",
			Cost: "log_analyze times every node; auto_explain.log_timing = off keeps it cheap"})
	}
	f.Verify = []string{fmt.Sprintf("The median is near %s ms again, at the same load.", num(d.Time.First))}
	if n := len(d.Also); n > 0 {
		var names []string
		for _, o := range d.Also[:min(n, 5)] {
			names = append(names, fmt.Sprintf("%s (%s)", shorten(o.Statement.Normalized, 60), times(o.Time.ratio())))
		}
		f.Notes = append(f.Notes, "Slowed down at the same time: "+strings.Join(names, "; ")+".")
	}
}

// undo is what reverses the happening, which text names, or how to tell whether it was the cause.
func undo(c *onset.Explanation, text string) finding.Action {
	switch c.Kind {
	case onset.SettingChange:
		return finding.Action{Do: "Set back what was changed (" + text + ") and compare.", Cost: "a reload; some parameters need a restart"}
	case onset.NewApplication, onset.NewStatement, onset.UserMark:
		return finding.Action{Do: "Look at what was deployed at " + clock(c.End) + " (" + text + "): what else it runs on the same server.", Cost: "none"}
	}
	return finding.Action{Do: "Compare the server before and after " + text + ": its settings, its host, and what the cache held.", Cost: "none"}
}
