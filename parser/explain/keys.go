package explain

import "github.com/pgassay/pgassay/parser/record"

// key is an EXPLAIN key that has a meaning of its own.
type key uint8

// kind says how the value of a key is read.
type kind uint8

const (
	kindExtra kind = iota // no field of its own
	kindText
	kindCount
	kindTime // milliseconds
	kindRows
	kindCost // number that need not be an integer
	kindBool
	kindBlocks // block count, of a node, a worker or the planning
	kindNested // objects and lists
)

// digits is the number of decimals kept of a number.
func (k kind) digits() int {
	switch k {
	case kindTime:
		return 3 // milliseconds in, microseconds out
	case kindRows:
		return 2
	default:
		return 0
	}
}

const (
	keyUnknown key = iota
	keyNodeType
	keyOperation
	keyParentRelationship
	keySubplanName
	keyCTEName
	keySchema
	keyRelationName
	keyAlias
	keyIndexName
	keyFunctionName
	keyJoinType
	keyStrategy
	keyPartialMode
	keyScanDirection
	keyCustomPlanProvider
	keyParallelAware
	keyDisabled
	keyStartupCost
	keyTotalCost
	keyPlanRows
	keyPlanWidth
	keyActualStartupTime
	keyActualTotalTime
	keyActualRows
	keyActualLoops
	keyRemovedFilter
	keyRemovedJoin
	keyRemovedRecheck
	keyHeapFetches
	keyIndexSearches
	keyWorkersPlanned
	keyWorkersLaunched
	keySharedHit
	keySharedRead
	keySharedDirtied
	keySharedWritten
	keyLocalHit
	keyLocalRead
	keyLocalDirtied
	keyLocalWritten
	keyTempRead
	keyTempWritten
	keyIORead
	keyIOWrite
	keyLocalIORead
	keyLocalIOWrite
	keyTempIORead
	keyTempIOWrite
	keyWALRecords
	keyWALFPI
	keyWALBytes
	keyTuplesInserted
	keyTuplesUpdated
	keyTuplesDeleted
	keyConflictingTuples
	keyWorkerNumber
	keySortMethod
	keySortSpaceUsed
	keySortSpaceType
	keyPlans
	keyWorkers
	keyPlan
	keyQueryText
	keyQueryParameters
	keyQueryIdentifier
	keyPlanning
	keyPlanningTime
	keyExecutionTime
	keyTriggers
	keySettings
	keyTriggerName
	keyConstraintName
	keyTriggerRelation
	keyTriggerTime
	keyTriggerCalls
	keyWrapper // what tools put around a plan
	numKeys
)

// field is how a key of a node is read and the group of figures it reports.
type field struct {
	kind kind
	bit  record.Fields
}

var fields = [numKeys]field{
	keyNodeType:           {kindText, 0},
	keyOperation:          {kindText, 0},
	keyParentRelationship: {kindText, 0},
	keySubplanName:        {kindText, 0},
	keyCTEName:            {kindText, 0},
	keySchema:             {kindText, 0},
	keyRelationName:       {kindText, 0},
	keyAlias:              {kindText, 0},
	keyIndexName:          {kindText, 0},
	keyFunctionName:       {kindText, 0},
	keyJoinType:           {kindText, 0},
	keyStrategy:           {kindText, 0},
	keyPartialMode:        {kindText, 0},
	keyScanDirection:      {kindText, 0},
	keyCustomPlanProvider: {kindText, 0},
	keyParallelAware:      {kindBool, 0},
	keyDisabled:           {kindBool, record.HasDisabled},
	keyStartupCost:        {kindCost, record.HasCosts},
	keyTotalCost:          {kindCost, record.HasCosts},
	keyPlanRows:           {kindCost, record.HasCosts},
	keyPlanWidth:          {kindCount, record.HasCosts},
	keyActualStartupTime:  {kindTime, record.HasTiming},
	keyActualTotalTime:    {kindTime, record.HasTiming},
	keyActualRows:         {kindRows, record.HasActual},
	keyActualLoops:        {kindCount, record.HasActual},
	keyRemovedFilter:      {kindCount, 0},
	keyRemovedJoin:        {kindCount, 0},
	keyRemovedRecheck:     {kindCount, 0},
	keyHeapFetches:        {kindCount, record.HasHeapFetches},
	keyIndexSearches:      {kindCount, record.HasIndexSearches},
	keyWorkersPlanned:     {kindCount, 0},
	keyWorkersLaunched:    {kindCount, 0},
	keySharedHit:          {kindBlocks, record.HasBuffers},
	keySharedRead:         {kindBlocks, record.HasBuffers},
	keySharedDirtied:      {kindBlocks, record.HasBuffers},
	keySharedWritten:      {kindBlocks, record.HasBuffers},
	keyLocalHit:           {kindBlocks, record.HasBuffers},
	keyLocalRead:          {kindBlocks, record.HasBuffers},
	keyLocalDirtied:       {kindBlocks, record.HasBuffers},
	keyLocalWritten:       {kindBlocks, record.HasBuffers},
	keyTempRead:           {kindBlocks, record.HasBuffers},
	keyTempWritten:        {kindBlocks, record.HasBuffers},
	keyIORead:             {kindTime, record.HasIOTime},
	keyIOWrite:            {kindTime, record.HasIOTime},
	keyLocalIORead:        {kindTime, record.HasIOTime},
	keyLocalIOWrite:       {kindTime, record.HasIOTime},
	keyTempIORead:         {kindTime, record.HasIOTime},
	keyTempIOWrite:        {kindTime, record.HasIOTime},
	keyWALRecords:         {kindCount, record.HasWAL},
	keyWALFPI:             {kindCount, record.HasWAL},
	keyWALBytes:           {kindCount, record.HasWAL},
	keyTuplesInserted:     {kindRows, record.HasTuples},
	keyTuplesUpdated:      {kindRows, record.HasTuples},
	keyTuplesDeleted:      {kindRows, record.HasTuples},
	keyConflictingTuples:  {kindRows, record.HasTuples},
	keyPlans:              {kindNested, 0},
	keyWorkers:            {kindNested, 0},
}

// names maps the keys as JSON prints them, in all versions from 9.6 on. Text
// uses the same names where it prints a figure on a line of its own.
var names = map[string]key{
	"Node Type":                     keyNodeType,
	"Operation":                     keyOperation,
	"Parent Relationship":           keyParentRelationship,
	"Subplan Name":                  keySubplanName,
	"CTE Name":                      keyCTEName,
	"Schema":                        keySchema,
	"Relation Name":                 keyRelationName,
	"Alias":                         keyAlias,
	"Index Name":                    keyIndexName,
	"Function Name":                 keyFunctionName,
	"Table Function Name":           keyFunctionName,
	"Join Type":                     keyJoinType,
	"Strategy":                      keyStrategy,
	"Partial Mode":                  keyPartialMode,
	"Scan Direction":                keyScanDirection,
	"Custom Plan Provider":          keyCustomPlanProvider,
	"Parallel Aware":                keyParallelAware,
	"Disabled":                      keyDisabled,
	"Startup Cost":                  keyStartupCost,
	"Total Cost":                    keyTotalCost,
	"Plan Rows":                     keyPlanRows,
	"Plan Width":                    keyPlanWidth,
	"Actual Startup Time":           keyActualStartupTime,
	"Actual Total Time":             keyActualTotalTime,
	"Actual Rows":                   keyActualRows,
	"Actual Loops":                  keyActualLoops,
	"Rows Removed by Filter":        keyRemovedFilter,
	"Rows Removed by Join Filter":   keyRemovedJoin,
	"Rows Removed by Index Recheck": keyRemovedRecheck,
	"Heap Fetches":                  keyHeapFetches,
	"Index Searches":                keyIndexSearches,
	"Workers Planned":               keyWorkersPlanned,
	"Workers Launched":              keyWorkersLaunched,
	"Shared Hit Blocks":             keySharedHit,
	"Shared Read Blocks":            keySharedRead,
	"Shared Dirtied Blocks":         keySharedDirtied,
	"Shared Written Blocks":         keySharedWritten,
	"Local Hit Blocks":              keyLocalHit,
	"Local Read Blocks":             keyLocalRead,
	"Local Dirtied Blocks":          keyLocalDirtied,
	"Local Written Blocks":          keyLocalWritten,
	"Temp Read Blocks":              keyTempRead,
	"Temp Written Blocks":           keyTempWritten,
	"I/O Read Time":                 keyIORead, // up to 16
	"Shared I/O Read Time":          keyIORead, // from 17
	"I/O Write Time":                keyIOWrite,
	"Shared I/O Write Time":         keyIOWrite,
	"Local I/O Read Time":           keyLocalIORead,
	"Local I/O Write Time":          keyLocalIOWrite,
	"Temp I/O Read Time":            keyTempIORead,
	"Temp I/O Write Time":           keyTempIOWrite,
	"WAL Records":                   keyWALRecords,
	"WAL FPI":                       keyWALFPI,
	"WAL Bytes":                     keyWALBytes,
	"Tuples Inserted":               keyTuplesInserted,
	"Tuples Updated":                keyTuplesUpdated,
	"Tuples Deleted":                keyTuplesDeleted,
	"Conflicting Tuples":            keyConflictingTuples,
	"Worker Number":                 keyWorkerNumber,
	"Sort Method":                   keySortMethod,
	"Sort Space Used":               keySortSpaceUsed,
	"Sort Space Type":               keySortSpaceType,
	"Plans":                         keyPlans,
	"Workers":                       keyWorkers,
	"Plan":                          keyPlan,
	"Query Text":                    keyQueryText,
	"Query Parameters":              keyQueryParameters,
	"Query Identifier":              keyQueryIdentifier,
	"Planning":                      keyPlanning,
	"Planning Time":                 keyPlanningTime,
	"Execution Time":                keyExecutionTime,
	"Total Runtime":                 keyExecutionTime, // up to 9.3
	"Triggers":                      keyTriggers,
	"Settings":                      keySettings,
	"Trigger Name":                  keyTriggerName,
	"Constraint Name":               keyConstraintName,
	"Relation":                      keyTriggerRelation,
	"Time":                          keyTriggerTime,
	"Calls":                         keyTriggerCalls,
	"QUERY PLAN":                    keyWrapper,
	"plan":                          keyWrapper,
	"query_plan":                    keyWrapper,
	"explain":                       keyWrapper,
}
