package record

// Statement is the identity of a query: what remains of its text when the
// values are taken away. Two Statements with the same Fingerprint are the same
// statement, whatever their pointers; their Normalized texts may differ in
// spelling, and the dataset shows the shortest, then the smallest.
type Statement struct {
	// Fingerprint is pg_query's fingerprint as 16 hexadecimal digits, or, when
	// Approximate, "~" and 16 hexadecimal digits over the tokens.
	Fingerprint string
	// Normalized is the text with constants replaced by $1, $2 … and
	// whitespace folded. A multi-row VALUES list is folded to its first row, as
	// the fingerprint does.
	Normalized string
	// Command is the tag in upper case: SELECT, INSERT, UPDATE, DELETE, MERGE,
	// BEGIN …; "" if unknown.
	Command string
	// Relations are the tables named by the statement, "schema.table" or
	// "table" as written, sorted, without duplicates, CTE names excluded.
	Relations []string
	// Target is the relation that an INSERT, UPDATE, DELETE or MERGE writes; "".
	Target string
	// Approximate marks a statement that pg_query could not or must not parse.
	Approximate bool
}
