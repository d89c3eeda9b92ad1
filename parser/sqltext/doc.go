// Package sqltext gives query texts their identity: a fingerprint, a
// normalized text, the command and the relations. It is the only package that
// talks to pg_query.
//
// A text is first brought into a canonical form (canonical.go): constants lose
// their values, comments and layout go, long lists are folded. Texts with the
// same canonical form are one class; the class is looked up without
// allocation, and everything else is computed once per class and from the
// canonical form only, so that which text came first never shows.
//
// Next stop: interner.go.
package sqltext
