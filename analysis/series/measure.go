package series

import "github.com/pgassay/pgassay/analysis/dataset"

// executionMeasures are the costs of a statement and its own work.
func executionMeasures() []measure {
	calls := func(d *dataset.Diff) float64 { return float64(d.Calls) }
	rows := func(d *dataset.Diff) float64 { return float64(d.Rows) }
	return []measure{
		{BuffersPerRow, true, buffersPerRow, func(d *dataset.Diff) (float64, float64) { return float64(d.Buffers()), rows(d) }},
		{BuffersPerExecution, true, withBuffers(func(e *dataset.Execution) int64 { return e.Figures.Total.Shared() }),
			func(d *dataset.Diff) (float64, float64) { return float64(d.Buffers()), calls(d) }},
		{TimePerRow, true, timePerRow, func(d *dataset.Diff) (float64, float64) { return d.ExecTime, rows(d) }},
		{TimePerExecution, true, timePerExecution, func(d *dataset.Diff) (float64, float64) { return d.ExecTime, calls(d) }},
		{RowsPerExecution, false, rowsPerExecution, func(d *dataset.Diff) (float64, float64) { return rows(d), calls(d) }},
		{ReadsPerExecution, false, withBuffers(func(e *dataset.Execution) int64 { return e.Figures.Total.SharedRead }),
			func(d *dataset.Diff) (float64, float64) { return float64(d.Read), calls(d) }},
		{DirtiedPerExecution, false, withBuffers(func(e *dataset.Execution) int64 { return e.Figures.Total.SharedDirtied }),
			func(d *dataset.Diff) (float64, float64) { return float64(d.Dirtied), calls(d) }},
		{WrittenPerExecution, false, withBuffers(func(e *dataset.Execution) int64 { return e.Figures.Total.SharedWritten }),
			func(d *dataset.Diff) (float64, float64) { return float64(d.Written), calls(d) }},
		{TempPerExecution, false, withBuffers(func(e *dataset.Execution) int64 { return e.Figures.Total.TempRead + e.Figures.Total.TempWritten }),
			func(d *dataset.Diff) (float64, float64) { return float64(d.TempRead + d.TempWritten), calls(d) }},
		{IOTimePerExecution, false, ioTime, nil},
		{HeapFetchesPerRow, false, heapFetches, nil},
		{LoopsPerExecution, false, loops, nil},
		{PlanningTime, false, planning, func(d *dataset.Diff) (float64, float64) { return d.PlanTime, float64(d.Plans) }},
		{WALPerExecution, false, walBytes, func(d *dataset.Diff) (float64, float64) { return float64(d.WALBytes), calls(d) }},
		{Concurrency, false, func(e *dataset.Execution) (float64, float64) {
			if e.ServerTime() == 0 {
				return 0, 0
			}
			return float64(e.Concurrency), 1
		}, nil},
	}
}

// buffersPerRow is what the statement itself is charged with: of a write
// without the query that feeds it.
func buffersPerRow(e *dataset.Execution) (float64, float64) {
	f := e.Figures
	if f == nil || !f.HasBuffers || !f.HasRows {
		return 0, 0
	}
	return float64(f.Own.Shared()), f.Rows.Float()
}

// timePerRow is over executions that return rows: empty ones would turn a mix
// into a cost.
func timePerRow(e *dataset.Execution) (float64, float64) {
	if e.Figures == nil || !e.Figures.HasRows {
		return 0, 0
	}
	return e.Duration.Milliseconds(), e.Figures.Rows.Float()
}

func timePerExecution(e *dataset.Execution) (float64, float64) {
	if !e.HasDuration && e.PlanDuration == 0 {
		return 0, 0
	}
	return e.Duration.Milliseconds(), 1
}

func rowsPerExecution(e *dataset.Execution) (float64, float64) {
	if e.Figures == nil || !e.Figures.HasRows {
		return 0, 0
	}
	return e.Figures.Rows.Float(), 1
}

func withBuffers(blocks func(*dataset.Execution) int64) func(*dataset.Execution) (float64, float64) {
	return func(e *dataset.Execution) (float64, float64) {
		if e.Figures == nil || !e.Figures.HasBuffers {
			return 0, 0
		}
		return float64(blocks(e)), 1
	}
}

func ioTime(e *dataset.Execution) (float64, float64) {
	if e.Figures == nil || !e.Figures.HasIOTime {
		return 0, 0
	}
	return (e.Figures.IOReadTime + e.Figures.IOWriteTime).Milliseconds(), 1
}

func heapFetches(e *dataset.Execution) (float64, float64) {
	f := e.Figures
	if f == nil || !f.HasHeapFetches {
		return 0, 0
	}
	return float64(f.HeapFetches), f.IndexOnlyRows.Float()
}

func loops(e *dataset.Execution) (float64, float64) {
	if e.Figures == nil || !e.Figures.HasLoops {
		return 0, 0
	}
	return float64(e.Figures.Loops), 1
}

// planning is over the executions whose planning the log tells.
func planning(e *dataset.Execution) (float64, float64) {
	if t, ok := e.Planning(); ok {
		return t.Milliseconds(), 1
	}
	return 0, 0
}

func walBytes(e *dataset.Execution) (float64, float64) {
	if e.Figures == nil || !e.Figures.HasWAL {
		return 0, 0
	}
	return float64(e.Figures.WALBytes), 1
}
