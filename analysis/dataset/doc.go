// Package dataset folds records into what the signatures read: statements
// with their executions, relations and indexes over time, sessions, the
// completeness of the logging.
//
// A Dataset is filled by Fold in any order and joined by Merge; both commute,
// so that neither the order of the files nor their number shows in the result.
// Build then sorts, pairs the plan and the duration line of one execution, and
// answers a Model that never changes again. Servers splits what is of several
// servers before that.
//
// Counters of snapshots are cumulative: Model.Breaks names every point at which
// they end, or at which a size or mark changes for a reason of its own, and
// Delta is a difference that crosses none.
//
// Next stop: package signature, which reads the Model.
package dataset
