package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// timeoutFloor and timeoutDefault bound the timeout that is advised, in
// seconds: at least the floor, and the default where the usual time between
// vacuums is unknown.
const (
	timeoutFloor   = 60
	timeoutDefault = 300
)

func (b *blockage) actions(m *dataset.Model) ([]finding.Action, []string) {
	not := []string{
		"lower vacuum thresholds, or more autovacuum workers: the vacuums run, and may remove nothing",
		"VACUUM FULL, CLUSTER or REINDEX: they copy the rows that may not be removed, under an exclusive lock",
	}
	switch {
	case b.Holder == nil:
		return b.search(), not
	case b.Holder.isStandby():
		return []finding.Action{
			{Do: "On the standby " + b.Holder.name() + " end the oldest query (pg_stat_activity order by xact_start), and bound its length with statement_timeout.",
				Cost: "that query fails"},
			{Do: "alter system set hot_standby_feedback = off", SQL: true,
				Cost: "on the standby, then reload; its long queries may then be cancelled by replay (max_standby_streaming_delay)"},
		}, not
	case b.Holder.BackendType == preparedTransaction:
		return b.endPrepared(), not
	case b.Holder.BackendType == replicationSlot:
		return b.releaseSlot(), not
	}
	var out []finding.Action
	if !b.over() {
		out = append(out, b.terminate())
	}
	return append(out, b.bound(m), finding.Action{
		Do: "Run long reports on a standby without hot_standby_feedback, or in short transactions of their own.", Cost: "a standby's long queries may be cancelled by replay"}), not
}

func (b *blockage) terminate() finding.Action {
	h := b.Holder
	return finding.Action{SQL: true,
		Do:   fmt.Sprintf("select pg_terminate_backend(%d) from pg_stat_activity where pid = %d and xact_start = '%s'", h.PID, h.PID, timestamp(h.XactStart)),
		Cost: "rolls back that transaction and closes its connection: what it has not committed is lost, and " + h.name() + " gets an error; the condition protects another session with the same pid"}
}

// bound advises the timeout that would have ended the transaction: for the
// role if only this application uses it, else for the application's
// connections.
func (b *blockage) bound(m *dataset.Model) finding.Action {
	h := b.Holder
	seconds := max(timeoutFloor, b.interval(b.span()))
	if b.interval(b.span()) == 0 {
		seconds = timeoutDefault
	}
	name, cost := "idle_in_transaction_session_timeout", "sessions that wait longer inside a transaction lose their connection"
	if h.State == "active" {
		name, cost = "statement_timeout", "longer statements of it are cancelled; on 17 and later transaction_timeout bounds the whole transaction"
	}
	if h.User != "" && !roleIsShared(m, h.User, h.Application) {
		return finding.Action{SQL: true, Do: fmt.Sprintf("alter role %s set %s = '%ds'", sqltext.QuoteIdent(h.User), name, seconds), Cost: cost + "; holds for new sessions"}
	}
	return finding.Action{Do: fmt.Sprintf("Give the connections of %s options='-c %s=%ds': its role serves other applications too.", h.name(), name, seconds), Cost: cost}
}

// roleIsShared reports whether other applications use the role too, by sampled
// sessions and by connections in the log that tell their application.
func roleIsShared(m *dataset.Model, role, application string) bool {
	for i := range m.Activity {
		if a := &m.Activity[i]; a.User == role && a.Application != application {
			return true
		}
	}
	for i := range m.Events {
		if e := &m.Events[i]; e.Kind == record.EventConnection && e.UserName == role && e.Application != "" && e.Application != application {
			return true
		}
	}
	return false
}

// search lists where a holder hides that pg_stat_activity did not show.
func (b *blockage) search() []finding.Action {
	const read = "reads a catalog only"
	return []finding.Action{
		{SQL: true, Cost: read, Do: "select pid, application_name, state, xact_start, backend_xid, backend_xmin from pg_stat_activity " +
			"where backend_xid is not null or backend_xmin is not null order by greatest(age(backend_xid), age(backend_xmin)) desc"},
		{SQL: true, Cost: "an abandoned slot is dropped with pg_drop_replication_slot; its consumer must then be built anew",
			Do: "select slot_name, active, age(xmin), age(catalog_xmin) from pg_replication_slots order by greatest(age(xmin), age(catalog_xmin)) desc nulls last"},
		{SQL: true, Cost: "end it with rollback prepared 'gid': its changes are lost",
			Do: "select gid, prepared, owner, database, age(transaction) from pg_prepared_xacts order by prepared"},
		{SQL: true, Cost: read, Do: "select application_name, age(backend_xmin) from pg_stat_replication"},
	}
}

func (b *blockage) verify() []string {
	return []string{
		fmt.Sprintf("vacuum (verbose) %s; says 0 are dead but not yet removable", b.Relations[0].Relation.SQL()),
		"select max(greatest(age(backend_xid), age(backend_xmin))) from pg_stat_activity; stays below the transactions of one vacuum interval",
	}
}

func (b *blockage) endPrepared() []finding.Action {
	gid := sqltext.QuoteLiteral(b.Holder.name())
	return []finding.Action{
		{SQL: true, Do: "rollback prepared " + gid,
			Cost: "what it changed is lost; commit prepared " + gid + " keeps it: ask the transaction manager which of the two it decided; run it as the owner or a superuser, in database " + b.Holder.Database},
		{Do: "Let the transaction manager end its prepared transactions after a crash, or set max_prepared_transactions = 0 if nothing uses them.",
			Cost: "a restart for the setting"},
	}
}

func (b *blockage) releaseSlot() []finding.Action {
	h := b.Holder
	drop := finding.Action{SQL: true, Do: "select pg_drop_replication_slot(" + sqltext.QuoteLiteral(h.name()) + ")",
		Cost: "only if its consumer is gone for good: it must then be built anew; the slot's WAL is freed too"}
	if h.State == "active" {
		return []finding.Action{
			{Do: "On the standby that uses the slot " + h.name() + " end the oldest query (pg_stat_activity order by xact_start), and bound its length with statement_timeout.",
				Cost: "that query fails"},
			{SQL: true, Do: "alter system set hot_standby_feedback = off",
				Cost: "on the standby, then reload; its long queries may then be cancelled by replay (max_standby_streaming_delay)"},
		}
	}
	return []finding.Action{
		{Do: "Start the consumer of the slot " + h.name() + " again: it sends a new xmin.", Cost: "it first reads the WAL that was kept for it"},
		drop,
	}
}
