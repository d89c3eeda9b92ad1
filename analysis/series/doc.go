// Package series lays what a statement costs and what may explain it on one
// clock: a Frame has one row for each independent reading, and a column for
// each measure.
//
// Sizes are known at snapshots, so that all executions between two of them are
// one reading; where no size is known a Frame falls back to equal parts of the
// time. What the log does not tell of a statement comes from differences of
// pg_stat_statements. What no input tells is NaN, never 0.
//
// Frames are read from a dataset.Model alone: the order and the number of the
// input's files do not show in them. They have at most MaxReadings rows.
//
// Next stop: package attribution, which asks what explains the cost.
package series
