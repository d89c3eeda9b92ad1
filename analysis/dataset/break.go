package dataset

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// BreakKind says what happened to counters, sizes or a server between two
// captures.
type BreakKind uint8

// Kinds of breaks. What each does to OIDs, files, counters and marks was
// measured on PostgreSQL 12 to 18.
const (
	// BreakReset is pg_stat_reset: every counter of the database is 0.
	BreakReset BreakKind = iota + 1
	// BreakTableReset is pg_stat_reset_single_table_counters, which leaves the
	// counters of the table's indexes.
	BreakTableReset
	// BreakCrash is a crash, kill -9 of a backend or immediate stop: every
	// counter is 0.
	BreakCrash
	// BreakLost is a reset or a crash: the input does not tell which.
	BreakLost
	// BreakRecreated is a relation of that name with another OID.
	BreakRecreated
	// BreakRestart is a new postmaster; the counters go on.
	BreakRestart
	// BreakPromotion is the end of a recovery: the counters of writes and
	// vacuums begin to be maintained.
	BreakPromotion
	// BreakDemotion is a server that is in recovery and was not before.
	BreakDemotion
	// BreakRewrite is VACUUM FULL, CLUSTER or a rewriting ALTER TABLE: another
	// file, without a mark of a vacuum. The counters go on; n_dead_tup stays as
	// it was.
	BreakRewrite
	// BreakTruncate is TRUNCATE: another file, empty. The counters go on.
	BreakTruncate
	// BreakReindex is REINDEX of an index.
	BreakReindex
	// BreakReindexConcurrently is another index of the same name, to which
	// REINDEX CONCURRENTLY has handed the counters.
	BreakReindexConcurrently
	// BreakVisible is an ANALYZE that refreshed relallvisible: its change is not
	// what a vacuum did.
	BreakVisible
	// BreakStatements is a reset of pg_stat_statements.
	BreakStatements
)

// String names the kind as a report writes it.
func (k BreakKind) String() string {
	return [...]string{"", "statistics reset", "statistics of one table reset", "crash", "statistics reset or crash", "dropped and created again",
		"restart", "promotion", "became a standby", "rewritten", "truncated", "reindexed", "reindexed concurrently",
		"relallvisible refreshed by analyze", "pg_stat_statements reset"}[k]
}

// EndsCounters reports whether cumulative counters do not go on across it.
func (k BreakKind) EndsCounters() bool { return k <= BreakRecreated || k == BreakDemotion }

// Break is a point that a difference or rate may not cross, or whose cause is
// not what it looks like.
type Break struct {
	Kind      BreakKind
	After, By record.Time // it happened in [After, By]; the same where the moment is known
	Pos       record.Pos  // of what shows it
	Database  string      // "" for the main one, or for the whole server
	Relation  string      // Relation.Name; "" for a whole database or server
	Index     string      // Index.Name; "" for all but an index
	Server    bool        // it concerns every database
	Known     string      // by what it is known
}

// What says what happened to what, without the time: "public.t truncated".
func (b *Break) What() string {
	switch {
	case b.Kind == BreakTableReset && b.Relation != "":
		return "statistics of " + b.Relation + " reset"
	case b.Index != "":
		return b.Index + " " + b.Kind.String()
	case b.Relation != "":
		return b.Relation + " " + b.Kind.String()
	case b.Database != "":
		return b.Kind.String() + " in database " + b.Database
	}
	return b.Kind.String()
}

// within reports whether b lies between two captures.
func (b *Break) within(from, to record.Time) bool {
	if b.After == b.By {
		return from < b.By && b.By <= to
	}
	return from < b.By && to > b.After
}

// of reports whether b concerns the relation.
func (b *Break) of(r *Relation) bool {
	return b.Server || b.Database == r.Database && (b.Relation == "" || b.Relation == r.Name)
}

func sortBreaks(bs []Break) {
	slices.SortStableFunc(bs, func(x, y Break) int {
		return cmp.Or(cmp.Compare(x.By, y.By), cmp.Compare(x.After, y.After), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Database, y.Database),
			cmp.Compare(x.Relation, y.Relation), cmp.Compare(x.Index, y.Index), posOrder(x.Pos, y.Pos))
	})
}

// timedPairs visits the neighbours of a series, whose points without a time are
// its last.
func timedPairs[T any](points []T, time func(*T) record.Time, visit func(a, b *T)) {
	for i := 1; i < len(points) && time(&points[i]).Known(); i++ {
		visit(&points[i-1], &points[i])
	}
}

func wentBack(a, b record.Count) bool { return a.Known && b.Known && b.N < a.N }

// grew reports whether a counter went on from above 0: it was not set to 0.
func keptOn(a, b record.Count) bool { return a.Known && b.Known && a.N > 0 && b.N >= a.N }
