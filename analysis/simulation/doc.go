// Package simulation makes what a server under a known load would have logged
// and counted, as records: inserts by clients that wait for their own
// statements, indexes that grow, vacuums, rebuilds, snapshots. What is true of
// a Workload is known, so that a verdict on it can be held against the truth.
//
// It is used by the calibration (analysis/stats/calibrate) and by tests; the
// binary does not hold it. A Workload with the same Seed makes the same records.
//
// Next stop: workload.go, then analysis/stats/calibrate.
package simulation
