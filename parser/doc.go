// Package parser reads files into records: it recognises the format of each
// input and streams what the format's package makes of it, block by block and
// in a fixed order, on all processors.
//
// The way of one file is: source (open, decompress, cut into whole entries) →
// the Parse of its format (pglog, explain, pgstat) on a pool of workers → the
// caller's fold, one batch after the other.
//
// Next stop: source, for how bytes become blocks, or analysis, which folds the
// batches.
package parser
