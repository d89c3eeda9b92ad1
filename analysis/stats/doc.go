// Package stats holds the tests, fits and corrections that signatures hold
// their claims against. Every function is pure and deterministic: what it draws
// at random it draws with a fixed seed, or with the one it is given.
//
// Readings that are NaN or infinite are left out, together with their partners
// in parallel slices. Where nothing can be said (no readings, slices of
// different length, a constant where a spread is needed) numbers are NaN,
// never 0, and no function panics. Intervals are 95 % unless a parameter says
// otherwise; p-values are two-sided and uncorrected.
//
// Series are in order of time wherever a function looks at neighbours:
// Autocorrelation, EffectiveN, BlockLength, SlopeInterval, ChangePoints,
// TransitionEnd.
//
// It is the only package that imports gonum. Next stop: package signature.
package stats
