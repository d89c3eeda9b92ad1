// Package onset says when a cost changed, after what, and what stood still
// meanwhile.
//
// Happenings lists what happened to the server and its tables: vacuums,
// analyzes, rebuilds, settings, restarts, flips of plans, deploys. Find tests a
// series at each of them first (one hypothesis each, corrected together) and
// searches for change points only in what is left. Explain chooses the happening
// that a change followed: by mechanism first, by nearness second, and never one
// that came after the change. Controls measures what should not have moved.
//
// Next stop: package signature, which turns the answers into findings.
package onset
