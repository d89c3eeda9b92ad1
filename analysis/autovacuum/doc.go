// Package autovacuum is the arithmetic of autovacuum and of the visibility map:
// what starts a vacuum of a table, when the next one is due, which trigger
// started each that was seen, how fast the table stops being all-visible after
// it, and which setting of the table keeps that within what its queries
// tolerate.
//
// It reads the dataset.Model and decides nothing: signatures hold its figures
// against their limits. Rates are per second, sizes are pages of the server's
// block size, shares are 0..1. What the input does not tell is NaN, and a
// sentence says what was missing.
//
// Next stop: limit.go (triggers), decay.go (visibility), advice.go.
package autovacuum
