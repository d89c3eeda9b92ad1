// Package dataset folds records into what the signatures read: statements
// with their executions, relations and indexes over time, sessions, the
// completeness of the logging.
//
// A Dataset is filled by Fold in any order and joined by Merge; both commute,
// so that neither the order of the files nor their number shows in the result.
// Build then sorts, pairs the plan and the duration line of one execution, and
// answers a Model that never changes again.
//
// Next stop: package signature, which reads the Model.
package dataset
