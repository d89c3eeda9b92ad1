package parser

import "github.com/pgassay/pgassay/parser/record"

// KindCount is how many entries, or rows, of one kind a file holds.
type KindCount struct {
	Kind  string // in the plural: "plans", "vacuums", "lock waits"
	Count int64
}

// maxKinds is more than there are kinds of any record.
const maxKinds = 64

// kinds counts the records of a file by kind.
type kinds struct {
	executions [maxKinds]int64
	vacuums    [maxKinds]int64
	events     [maxKinds]int64
	samples    int64
}

func (k *kinds) add(b *record.Batch) {
	for i := range b.Executions {
		k.executions[min(b.Executions[i].Kind, maxKinds-1)]++
	}
	for i := range b.Vacuums {
		k.vacuums[min(b.Vacuums[i].Kind, maxKinds-1)]++
	}
	for i := range b.Events {
		k.events[min(b.Events[i].Kind, maxKinds-1)]++
	}
	k.samples += int64(len(b.Samples))
}

// list is the kinds that were met, in the order of their declaration.
func (k *kinds) list() []KindCount {
	var out []KindCount
	for kind, n := range k.executions {
		out = addKind(out, nameOfExecution(record.ExecutionKind(kind)), n)
	}
	out = addKind(out, "vacuums", k.vacuums[record.KindVacuum])
	out = addKind(out, "analyzes", k.vacuums[record.KindAnalyze])
	for kind, n := range k.events {
		out = addKind(out, nameOfEvent(record.EventKind(kind)), n)
	}
	return addKind(out, "snapshot rows", k.samples)
}

func addKind(list []KindCount, kind string, n int64) []KindCount {
	if n == 0 {
		return list
	}
	for i := range list {
		if list[i].Kind == kind {
			list[i].Count += n
			return list
		}
	}
	return append(list, KindCount{kind, n})
}

// nameOfExecution is the kind in the plural.
func nameOfExecution(k record.ExecutionKind) string {
	switch k {
	case record.ExecPlan:
		return "plans"
	case record.ExecStatement, record.ExecExecute, record.ExecFetch:
		return "durations"
	case record.ExecParse:
		return "parse steps"
	case record.ExecBind:
		return "bind steps"
	case record.ExecDuration:
		return "durations without statement"
	case record.ExecText:
		return "statements without duration"
	case record.ExecExplain:
		return "EXPLAIN plans"
	}
	return "other executions"
}

// nameOfEvent is the kind in the plural.
func nameOfEvent(k record.EventKind) string {
	switch k {
	case record.EventServerStart:
		return "server starts"
	case record.EventReady:
		return "server ready"
	case record.EventShutdown:
		return "shutdown requests"
	case record.EventCrash:
		return "crashes"
	case record.EventReload:
		return "configuration reloads"
	case record.EventParameterChanged:
		return "parameter changes"
	case record.EventConnection:
		return "connections"
	case record.EventDisconnection:
		return "disconnections"
	case record.EventCheckpointStart:
		return "checkpoint starts"
	case record.EventCheckpoint:
		return "checkpoints"
	case record.EventLockWait:
		return "lock waits"
	case record.EventLockAcquired:
		return "locks acquired after a wait"
	case record.EventDeadlock:
		return "deadlocks"
	case record.EventTempFile:
		return "temporary files"
	case record.EventVacuumSkipped:
		return "skipped vacuums"
	case record.EventError:
		return "errors"
	case record.EventLogDestination:
		return "changes of log destination"
	case record.EventWarning:
		return "warnings"
	case record.EventLockFailed:
		return "failed locks"
	case record.EventConnectionReady:
		return "connections ready"
	case record.EventRecovery:
		return "recovery messages"
	case record.EventCheckpointsFrequent:
		return "warnings of frequent checkpoints"
	case record.EventBuildNotice, record.EventNotice:
		return "notices of index builds"
	case record.EventHeading:
		return "headings"
	case record.EventCommand:
		return "command tags"
	case record.EventSize:
		return "sizes"
	case record.EventBenign:
		return "entries of no interest"
	}
	return "other events"
}
