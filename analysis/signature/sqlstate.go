package signature

// conditionName is the name of a SQLSTATE, from PostgreSQL's errcodes.txt; of
// one that is not listed, the name of its class.
func conditionName(state string) string {
	for _, list := range [...][]sqlCondition{conditions(), conditionClasses()} {
		for _, c := range list {
			if len(state) == 5 && (state == c.state || state[:2] == c.state) {
				return c.name
			}
		}
	}
	return "error"
}

// sqlCondition is a SQLSTATE, or a class of two characters, and its name.
type sqlCondition struct{ state, name string }

func conditions() []sqlCondition {
	return []sqlCondition{
		{"08006", "connection failure"}, {"08P01", "protocol violation"},
		{"0A000", "feature not supported"},
		{"22001", "string data right truncation"}, {"22003", "numeric value out of range"}, {"22012", "division by zero"},
		{"22021", "character not in repertoire"}, {"22P02", "invalid text representation"},
		{"23502", "not null violation"}, {"23503", "foreign key violation"}, {uniqueViolation, "unique violation"},
		{"23514", "check violation"}, {"23P01", "exclusion violation"},
		{"25006", "read only sql transaction"}, {"25P02", "in failed sql transaction"}, {stateIdleInTransaction, "idle in transaction session timeout"},
		{stateTransactionTimeout, "transaction timeout"},
		{"26000", "invalid sql statement name"},
		{"28000", "invalid authorization specification"}, {"28P01", "invalid password"},
		{"3D000", "invalid catalog name"}, {"3F000", "invalid schema name"},
		{stateSerialization, "serialization failure"}, {stateDeadlock, "deadlock detected"},
		{"42501", "insufficient privilege"}, {"42601", "syntax error"}, {"42703", "undefined column"}, {"42704", "undefined object"},
		{"42883", "undefined function"}, {"42P01", "undefined table"}, {"42P05", "duplicate prepared statement"}, {"42P07", "duplicate table"},
		{"53100", "disk full"}, {"53200", "out of memory"}, {"53300", "too many connections"}, {"53400", "configuration limit exceeded"},
		{"54000", "program limit exceeded"}, {"55000", "object not in prerequisite state"}, {"55006", "object in use"}, {stateLockNotAvailable, "lock not available"},
		{stateCanceled, "query canceled"}, {stateAdminShutdown, "admin shutdown"}, {stateCrashShutdown, "crash shutdown"}, {stateCannotConnect, "cannot connect now"},
		{stateIdleSession, "idle session timeout"}, {"58030", "io error"}, {"P0001", "raise exception"}, {"XX001", "data corrupted"}, {"XX002", "index corrupted"},
	}
}

func conditionClasses() []sqlCondition {
	return []sqlCondition{
		{"08", "connection exception"}, {"22", "data exception"}, {"23", "integrity constraint violation"}, {"25", "invalid transaction state"},
		{"28", "invalid authorization"}, {"40", "transaction rollback"}, {"42", "syntax error or access rule violation"}, {"53", "insufficient resources"},
		{"54", "program limit exceeded"}, {"55", "object not in prerequisite state"}, {"57", "operator intervention"}, {"58", "system error"},
		{"P0", "PL/pgSQL error"}, {"XX", "internal error"},
	}
}

// SQLSTATEs that more than one signature speaks of.
const (
	stateSerialization      = "40001"
	stateDeadlock           = "40P01"
	stateLockNotAvailable   = "55P03"
	stateIdleInTransaction  = "25P03"
	stateTransactionTimeout = "25P04"
	stateCanceled           = "57014"
	stateAdminShutdown      = "57P01"
	stateCrashShutdown      = "57P02"
	stateCannotConnect      = "57P03"
	stateIdleSession        = "57P05"
)
