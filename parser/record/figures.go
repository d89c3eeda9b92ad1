package record

// Figures are what a plan says as a whole, computed by explain.Summarize.
type Figures struct {
	// Shape identifies the tree: node types, relations, indexes and join types,
	// not costs, rows or conditions.
	Shape uint64
	// Rows is what the statement processed: for a write what its ModifyTable
	// wrote (from its child: actual rows × loops, or Tuples Inserted …), else
	// the root's actual rows × loops. Valid if HasRows.
	Rows    Rows
	RowsErr Rows // half width of the rounding interval of Rows
	HasRows bool
	IsWrite bool
	// Total is the root's buffers. Own is what the statement itself is charged
	// with: for a write ModifyTable's buffers exclusive of its children, else
	// Total. Valid if HasBuffers.
	Total, Own Buffers
	HasBuffers bool
	// HeapFetches sums the Index Only Scan nodes; IndexOnlyRows their rows ×
	// loops. Valid if HasHeapFetches.
	HeapFetches    int64
	IndexOnlyRows  Rows
	HasHeapFetches bool
	// BitmapBuffers sums the Bitmap Index Scan nodes, BitmapRows the row pointers
	// that they gave, BitmapScans their loops. Valid if HasBitmap.
	BitmapBuffers, BitmapScans int64
	BitmapRows                 Rows
	HasBitmap                  bool
	// Loops sums the actual loops of the nodes that read a table: how often the
	// statement began to read one, each parallel process for itself; an index
	// scan below a BitmapAnd or BitmapOr counts with its heap scan. Valid if
	// HasLoops: not of an INSERT of values, which reads none.
	Loops    int64
	HasLoops bool
	// Planning is EXPLAIN's "Planning Time". Valid if HasPlanning: auto_explain
	// does not log it.
	Planning    Duration
	HasPlanning bool
	IOReadTime  Duration // root; valid if HasIOTime
	IOWriteTime Duration
	HasIOTime   bool
	WALBytes    int64 // root; valid if HasWAL
	HasWAL      bool
}
