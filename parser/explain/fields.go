package explain

import "github.com/pgassay/pgassay/parser/record"

// assign sets the figure k of node from its text. A value that is no such
// figure leaves the field absent.
func assign(node *record.Node, k key, f field, text []byte) {
	switch f.kind {
	case kindBlocks:
		v, _, ok := fixed(text, 0)
		if !ok {
			return
		}
		*blocks(&node.Buffers, k) = v
	case kindCount:
		v, _, ok := fixed(text, 0)
		if !ok {
			return
		}
		*countField(node, k) = v
	case kindTime:
		v, _, ok := fixed(text, f.kind.digits())
		if !ok {
			return
		}
		*timeField(node, k) += record.Duration(v) // shared and local I/O share a field
	case kindRows:
		v, fraction, ok := fixed(text, f.kind.digits())
		if !ok {
			return
		}
		*rowsField(node, k) = record.Rows(v)
		if fraction && k == keyActualRows {
			node.Fields |= record.HasFractionalRows
		}
	case kindCost:
		v, ok := float(text)
		if !ok {
			return
		}
		*costField(node, k) = v
	case kindBool:
		if string(text) != "true" {
			return
		}
		node.ParallelAware = node.ParallelAware || k == keyParallelAware
	}
	node.Fields |= f.bit
}

// assignWorker sets the figure k of a worker; what a worker has no field for
// is left out.
func assignWorker(w *record.Worker, k key, f field, text []byte, names *intern) {
	switch k {
	case keySortMethod:
		w.SortMethod = names.string(text)
	case keySortSpaceType:
		w.SortSpaceType = names.string(text)
	case keySortSpaceUsed:
		w.SortSpaceKB, _, _ = fixed(text, 0)
	case keyActualStartupTime, keyActualTotalTime, keyActualRows, keyActualLoops:
		assignWorkerActual(w, k, f, text)
	default:
		if f.kind != kindBlocks {
			return
		}
		if v, _, ok := fixed(text, 0); ok {
			*blocks(&w.Buffers, k) = v
			w.Fields |= f.bit
		}
	}
}

func assignWorkerActual(w *record.Worker, k key, f field, text []byte) {
	v, fraction, ok := fixed(text, f.kind.digits())
	if !ok {
		return
	}
	w.Fields |= f.bit
	switch k {
	case keyActualStartupTime:
		w.ActualStartup = record.Duration(v)
	case keyActualTotalTime:
		w.ActualTotal = record.Duration(v)
	case keyActualLoops:
		w.ActualLoops = v
	default:
		w.ActualRows = record.Rows(v)
		if fraction {
			w.Fields |= record.HasFractionalRows
		}
	}
}

func textField(n *record.Node, k key) *string {
	switch k {
	case keyNodeType:
		return &n.NodeType
	case keyOperation:
		return &n.Operation
	case keyParentRelationship:
		return &n.ParentRelationship
	case keySubplanName:
		return &n.SubplanName
	case keyCTEName:
		return &n.CTEName
	case keySchema:
		return &n.SchemaName
	case keyRelationName:
		return &n.RelationName
	case keyAlias:
		return &n.Alias
	case keyIndexName:
		return &n.IndexName
	case keyFunctionName:
		return &n.FunctionName
	case keyJoinType:
		return &n.JoinType
	case keyStrategy:
		return &n.Strategy
	case keyPartialMode:
		return &n.PartialMode
	case keyScanDirection:
		return &n.ScanDirection
	default:
		return &n.CustomPlanProvider
	}
}

func countField(n *record.Node, k key) *int64 {
	switch k {
	case keyPlanWidth:
		return &n.PlanWidth
	case keyActualLoops:
		return &n.ActualLoops
	case keyRemovedFilter:
		return &n.RowsRemovedFilter
	case keyRemovedJoin:
		return &n.RowsRemovedJoin
	case keyRemovedRecheck:
		return &n.RowsRemovedRecheck
	case keyHeapFetches:
		return &n.HeapFetches
	case keyIndexSearches:
		return &n.IndexSearches
	case keyWorkersPlanned:
		return &n.WorkersPlanned
	case keyWorkersLaunched:
		return &n.WorkersLaunched
	case keyWALRecords:
		return &n.WALRecords
	case keyWALFPI:
		return &n.WALFPI
	default:
		return &n.WALBytes
	}
}

func timeField(n *record.Node, k key) *record.Duration {
	switch k {
	case keyActualStartupTime:
		return &n.ActualStartupTime
	case keyActualTotalTime:
		return &n.ActualTotalTime
	case keyIORead, keyLocalIORead:
		return &n.IOReadTime
	case keyIOWrite, keyLocalIOWrite:
		return &n.IOWriteTime
	case keyTempIORead:
		return &n.TempIOReadTime
	default:
		return &n.TempIOWriteTime
	}
}

func rowsField(n *record.Node, k key) *record.Rows {
	switch k {
	case keyActualRows:
		return &n.ActualRows
	case keyTuplesInserted:
		return &n.TuplesInserted
	case keyTuplesUpdated:
		return &n.TuplesUpdated
	case keyTuplesDeleted:
		return &n.TuplesDeleted
	default:
		return &n.ConflictingTuples
	}
}

func costField(n *record.Node, k key) *float64 {
	switch k {
	case keyStartupCost:
		return &n.StartupCost
	case keyTotalCost:
		return &n.TotalCost
	default:
		return &n.PlanRows
	}
}

func blocks(b *record.Buffers, k key) *int64 {
	switch k {
	case keySharedHit:
		return &b.SharedHit
	case keySharedRead:
		return &b.SharedRead
	case keySharedDirtied:
		return &b.SharedDirtied
	case keySharedWritten:
		return &b.SharedWritten
	case keyLocalHit:
		return &b.LocalHit
	case keyLocalRead:
		return &b.LocalRead
	case keyLocalDirtied:
		return &b.LocalDirtied
	case keyLocalWritten:
		return &b.LocalWritten
	case keyTempRead:
		return &b.TempRead
	default:
		return &b.TempWritten
	}
}
