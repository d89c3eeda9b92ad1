package signature

import "github.com/pgassay/pgassay/analysis/finding"

var hnswVacuumSlow = &Signature{
	ID: "PGA601", Name: "hnsw-vacuum-slow", Max: finding.Warning,
	Felt: "A vacuum of a table with vectors runs for hours, and the server is busy meanwhile",
	What: "A vacuum spends its time in repairing the graph of an HNSW index: it accesses many times more buffers than table and indexes have pages.",
	Why: "An HNSW index cannot just drop a dead element: each element that pointed to it gets new neighbours, found by a search of the graph, thousands of buffers at a time. " +
		"The cost goes with the dead elements and their neighbours, not with the size of the table. The autovacuum worker is busy for that long, dead rows pile up meanwhile, and other tables wait for a worker.",
	Fix: "When a large part of the rows was deleted, REINDEX INDEX CONCURRENTLY before the vacuum: a new graph has nothing to repair. " +
		"Else let dead rows gather and remove them in fewer passes, at quiet hours.",
	Verify: "Hits and misses of the next vacuum line are near the pages of table and indexes, or its elapsed time is short enough.",
	Needs:  []Need{needVacuum},
	Silent: []string{
		"vacuums shorter than a minute", "vacuums that remove nothing from the index", "tables of which several indexes may do it (PGA207)",
		"slow inserts after the vacuum: that is the page walk (PGA101)",
	},
	Thresholds: anomalyLimits(),
	Detect:     func(p *Pass) { p.detectVacuumAnomaly((*vacuumAnomaly).isGraph) },
}
