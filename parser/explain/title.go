package explain

import "github.com/pgassay/pgassay/parser/record"

// NodeTitle names a node as EXPLAIN's text does, without its figures:
// "Parallel Index Only Scan using queue_items_pkey on queue_items q".
func NodeTitle(n *record.Node) string { return typeText(n) + targetText(n) }

// NodeDetails are the lines that EXPLAIN's text prints below a node: conditions,
// keys, rows removed, buffers, I/O. The lines of its workers are not among them.
func NodeDetails(n *record.Node) []string { return nodeLines(n, false) }
