package xlsx

import (
	"math"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/internal/fixture"
)

// rich is the incident with plans, events, triggers and a baseline as well.
func rich() *analysis.Result {
	r := fixture.Incident()
	insert := &record.Statement{Fingerprint: "a1b2c3d4e5f60718", Normalized: "INSERT INTO items (payload) VALUES ($1)", Command: "INSERT"}
	at := func(seconds int64) record.Time { return r.From.Add(record.Duration(seconds) * record.Second) }
	r.Events = []record.Event{
		{LogTime: at(1), Kind: record.EventServerStart, Text: "15.20", ProcessID: 41, Pos: record.Pos{File: "postgresql.log.gz", Line: 3}},
		{LogTime: at(30), Kind: record.EventLockWait, Object: "relation 16422 of database 5", Text: "ShareLock", Duration: 1000123,
			ProcessID: 4711, UserName: "app", Database: "shop", Application: "worker", Session: "656aef10.1267", Statement: insert},
		{LogTime: at(60), Kind: record.EventTempFile, Count: 1 << 30, Text: "=1+1", Pos: record.Pos{File: "postgresql.log.gz", Line: 90}},
		{LogTime: record.NoTime, Kind: record.EventError, Text: "division by zero", SQLState: "22012"},
	}
	r.EventsLeftOut = 12_345
	last := analysis.TriggerPoint{Time: at(300), Dead: 300, Limit: 1000}
	worst := analysis.TriggerPoint{Time: at(200), Dead: 1500, Limit: 1000}
	r.Triggers = []analysis.Trigger{
		{Relation: "public.items", Last: last, Worst: worst, Vacuums: []record.Time{at(250)}, Points: []analysis.TriggerPoint{
			{Time: at(0), Dead: 10, Limit: math.NaN()}, {Time: at(100), Dead: 700, Limit: 1000}, worst, last,
		}},
		{Relation: "public.unknown", Last: analysis.TriggerPoint{Dead: 1, Limit: math.NaN()}, Worst: analysis.TriggerPoint{Dead: 1, Limit: math.NaN()}},
	}
	r.Plans = []analysis.PlanExample{{
		Fingerprint: "a1b2c3d4e5f60718", Statement: insert.Normalized, Executions: 3543, Which: "slowest", Time: at(280),
		Duration: 56449, Pos: record.Pos{File: "postgresql.log.gz", Line: 200_000}, Plan: plan(),
	}}
	return r
}

// plan is an insert from a scan that was never executed beyond its first row;
// its second node tells no buffers.
func plan() *record.Plan {
	const all = record.HasCosts | record.HasActual | record.HasTiming
	return &record.Plan{Nodes: []record.Node{
		{Parent: -1, Fields: all | record.HasBuffers, NodeType: "ModifyTable", Operation: "Insert", SchemaName: "public", RelationName: "items",
			ActualTotalTime: 50_000, ActualLoops: 1, Buffers: record.Buffers{SharedHit: 9000, SharedRead: 20}},
		{Parent: 0, Depth: 1, ParentRelationship: "Outer", Fields: all, NodeType: "Seq Scan", RelationName: "staging",
			PlanRows: 10, ActualTotalTime: 1_000, ActualRows: record.WholeRows(100), ActualLoops: 1, RowsRemovedFilter: 7,
			Extra: []record.KeyValue{{Key: "Filter", Value: "(payload = '=cmd'::text)"}}},
	}}
}
