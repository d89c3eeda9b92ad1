// Package attribution says what explains a changed cost of one statement: it
// weighs every candidate of a series.Frame by the same rules.
//
// A size explains a cost if the equation of its mechanism holds: the slope's
// 95 % interval lies in the band around one buffer per page, and the level
// fits. Things that grow together correlate whatever the cause, so that no size
// is chosen by its correlation. Load is an effect of the cost where clients
// wait for their own statements: it is judged by what it adds to what explains
// the cost, never by its raw correlation. The clock explains only what nothing
// else does.
//
// Readings, not executions, are counted, and they are worth less where they
// follow each other (stats.EffectiveN).
//
// Next stop: package signature, whose findings show the answer.
package attribution
