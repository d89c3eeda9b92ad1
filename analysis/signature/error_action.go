package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// errorActions say where to look for the cause of a SQLSTATE, most specific
// first.
func errorActions(state string, e *record.Event) []finding.Action {
	class := state
	if len(state) == 5 {
		class = state[:2]
	}
	switch state {
	case stateSerialization:
		return []finding.Action{{Do: "Try the transaction again after a short random wait; keep it short; where the order of reads does not matter, use read committed.",
			Cost: "a transaction under read committed may see what others commit meanwhile"}}
	case "25P02":
		return []finding.Action{{Do: "Look at the error before this one in the same sessions: these only say that its transaction was not rolled back. Roll back on the first error.", Cost: "no change to the database"}}
	case uniqueViolation:
		return []finding.Action{{Do: "If a second insert is legitimate, write insert … on conflict do nothing, or do update; else find the job that sends rows twice.",
			Cost: "each violation costs a dead row and a transaction id; on conflict costs neither for rows that exist"}}
	case "53100":
		return []finding.Action{{SQL: true, Do: "select slot_name, pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots order by restart_lsn",
			Cost: "reads a view; a slot that nobody consumes keeps WAL: drop it with pg_drop_replication_slot"},
			{Do: "Free or add disk space: temporary files (PGA504), logs, WAL held by slots or by archiving that fails. Delete nothing in pg_wal.", Cost: "no change to the database"}}
	case "53200":
		return []finding.Action{{Do: "Lower work_mem or the number of connections, or add memory; if the message says shared memory, raise max_locks_per_transaction (a restart).", Cost: "smaller work_mem spills to disk (PGA304)"}}
	case "53300":
		return []finding.Action{{SQL: true, Do: "select application_name, state, count(*) from pg_stat_activity group by 1, 2 order by 3 desc",
			Cost: "reads a view; then pool the connections: a higher max_connections costs memory and a restart"}}
	}
	switch class {
	case "42":
		return []finding.Action{{Do: "Compare what was deployed with the schema: a migration that has not run, has run too early, or a search_path that differs. " + quoteMessage(e), Cost: "no change to the database"}}
	case "23":
		return []finding.Action{{Do: "Find the rows that break the constraint in the application: the DETAIL of each error names them. " + quoteMessage(e), Cost: "no change to the database"}}
	case "28":
		return []finding.Action{{Do: "Check the credentials that were changed, pg_hba.conf and where the connections come from: a burst of refused logins is a wrong configuration or an attack.", Cost: "no change to the database"}}
	case "XX", "58":
		return []finding.Action{{Do: "Take a backup of the data directory, look at the disk and the kernel log, and check with pg_amcheck before anything else.", Cost: "pg_amcheck reads the relations it checks"}}
	}
	return []finding.Action{{Do: "Find the statement in the application and what changed before the first of these errors. " + quoteMessage(e), Cost: "no change to the database"}}
}

func quoteMessage(e *record.Event) string {
	return fmt.Sprintf("The first says: %s.", shorten(e.Text, 120))
}
