package explain

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// tree makes the object that the structured formats print of a plan, with
// EXPLAIN's keys in EXPLAIN's order. Extras stand where the node's own
// properties do, in the order in which they were read.
func tree(p *record.Plan) value {
	b := treeBuilder{plan: p, children: make([][]int, len(p.Nodes))}
	for i := range p.Nodes {
		b.is18 = b.is18 || p.Nodes[i].Has(record.HasFractionalRows)
		if parent := p.Nodes[i].Parent; parent >= 0 {
			b.children[parent] = append(b.children[parent], i)
		}
	}
	var o object
	o.text("Query Text", p.QueryText)
	o.text("Query Parameters", p.QueryParameters)
	if len(p.Nodes) > 0 {
		o.add(b.node(0))
	}
	b.tail(&o)
	return value{tag: "Query", kind: valueObject, items: o.items}
}

type treeBuilder struct {
	plan     *record.Plan
	children [][]int
	is18     bool // rows have decimals: keys are those of 18
}

// object collects members.
type object struct {
	items []value
	keys  map[string]bool
}

func (o *object) add(v value) {
	if o.keys == nil {
		o.keys = make(map[string]bool)
	}
	o.keys[v.key] = true
	o.items = append(o.items, v)
}

// text adds a string that is not empty.
func (o *object) text(key, text string) {
	if text != "" {
		o.add(value{key: key, text: text})
	}
}

func (o *object) bare(key, text string) { o.add(value{key: key, kind: valueBare, text: text}) }

func (o *object) count(key string, n int64) { o.bare(key, strconv.FormatInt(n, 10)) }

func (o *object) time(key string, d record.Duration) { o.bare(key, milliseconds(d)) }

func (o *object) list(key, tag string, items []value) {
	o.add(value{key: key, kind: valueList, items: items, tag: tag})
}

// extra adds an extra under its key, unless the member exists.
func (o *object) extra(key, raw string) {
	if o.keys[key] {
		return
	}
	v, ok := value{}, false
	switch {
	case strings.HasPrefix(raw, "[") || strings.HasPrefix(raw, "{"):
		v, ok = parseValue(raw)
	case isBare([]byte(raw)) && !isExpressionKey(key) || raw == "null":
		v, ok = value{kind: valueBare, text: raw}, true
	}
	if !ok {
		v = value{text: raw}
	}
	v.key = key
	o.add(v)
}

// isExpressionKey tells the keys whose values are expressions or names, even
// where these look like a number.
func isExpressionKey(key string) bool {
	for _, suffix := range [...]string{"Cond", "Filter", "Key", "Output", "Name", "SQL", "Method", "By", "Call", "Mode", "Window"} {
		if strings.HasSuffix(key, suffix) {
			return true
		}
	}
	return false
}

func (b *treeBuilder) node(i int) value {
	n := &b.plan.Nodes[i]
	var o object
	o.text("Node Type", n.NodeType)
	o.text("Strategy", n.Strategy)
	o.text("Partial Mode", n.PartialMode)
	o.text("Operation", n.Operation)
	o.text("Parent Relationship", n.ParentRelationship)
	o.text("Subplan Name", n.SubplanName)
	o.text("Custom Plan Provider", n.CustomPlanProvider)
	o.bare("Parallel Aware", strconv.FormatBool(n.ParallelAware))
	if async, ok := extra(n.Extra, "Async Capable"); ok {
		o.extra("Async Capable", async)
	}
	o.text("Scan Direction", n.ScanDirection)
	o.text("Index Name", n.IndexName)
	o.text("Relation Name", n.RelationName)
	o.text("Function Name", n.FunctionName)
	o.text("CTE Name", n.CTEName)
	o.text("Schema", n.SchemaName)
	o.text("Alias", n.Alias)
	o.text("Join Type", n.JoinType)
	if command, ok := extra(n.Extra, "Command"); ok {
		o.text("Command", command)
	}
	b.estimates(&o, n)
	b.properties(&o, n)
	b.nodeTotals(&o, n)
	if len(n.Workers) > 0 {
		var workers []value
		for k := range n.Workers {
			workers = append(workers, workerTree(&n.Workers[k]))
		}
		o.list("Workers", "", workers)
	}
	if removed, ok := extra(n.Extra, subplansRemoved); ok {
		o.extra(subplansRemoved, removed)
	}
	if len(b.children[i]) > 0 {
		var plans []value
		for _, k := range b.children[i] {
			child := b.node(k)
			child.key, child.tag = "", "Plan"
			plans = append(plans, child)
		}
		o.list("Plans", "", plans)
	}
	return value{key: "Plan", kind: valueObject, items: o.items}
}

// estimates adds costs and what was measured.
func (b *treeBuilder) estimates(o *object, n *record.Node) {
	if n.Has(record.HasCosts) {
		o.bare("Startup Cost", number(n.StartupCost, 2))
		o.bare("Total Cost", number(n.TotalCost, 2))
		o.bare("Plan Rows", number(n.PlanRows, 0))
		o.count("Plan Width", n.PlanWidth)
	}
	if n.Has(record.HasActual) {
		measured(o, n.ActualStartupTime, n.ActualTotalTime, n.ActualRows, n.ActualLoops, n.Fields)
	}
	if b.is18 || n.Has(record.HasDisabled) {
		o.bare("Disabled", strconv.FormatBool(n.Has(record.HasDisabled)))
	}
}

func measured(o *object, startup, total record.Duration, rows record.Rows, loops int64, f record.Fields) {
	if f&record.HasTiming != 0 {
		o.time("Actual Startup Time", startup)
		o.time("Actual Total Time", total)
	}
	o.bare("Actual Rows", rowsText(rows, f))
	o.count("Actual Loops", loops)
}

// properties adds the extras and the counts that belong to them.
func (b *treeBuilder) properties(o *object, n *record.Node) {
	for _, kv := range n.Extra {
		if !isPlacedKey(kv.Key) {
			o.extra(kv.Key, kv.Value)
		}
		if label, count := attached(n, kv.Key); label != "" && n.Has(record.HasActual) {
			o.extra(label, strconv.FormatInt(count, 10))
		}
	}
	for _, c := range [...]struct {
		key   string
		count int64
		shown bool
	}{
		{"Rows Removed by Index Recheck", n.RowsRemovedRecheck, n.RowsRemovedRecheck > 0},
		{"Rows Removed by Join Filter", n.RowsRemovedJoin, n.RowsRemovedJoin > 0},
		{"Rows Removed by Filter", n.RowsRemovedFilter, n.RowsRemovedFilter > 0},
		{"Heap Fetches", n.HeapFetches, n.Has(record.HasHeapFetches)},
		{"Index Searches", n.IndexSearches, n.Has(record.HasIndexSearches)},
		{"Workers Planned", n.WorkersPlanned, isGather(n)},
		{"Workers Launched", n.WorkersLaunched, isGather(n) && n.Has(record.HasActual)},
		{"Tuples Inserted", int64(n.TuplesInserted / 100), n.Has(record.HasTuples)},
		{"Tuples Updated", int64(n.TuplesUpdated / 100), n.Has(record.HasTuples) && n.Operation == "Merge"},
		{"Tuples Deleted", int64(n.TuplesDeleted / 100), n.Has(record.HasTuples) && n.Operation == "Merge"},
		{"Conflicting Tuples", int64(n.ConflictingTuples / 100), n.Has(record.HasTuples) && n.Operation == "Insert"},
	} {
		if c.shown {
			o.extra(c.key, strconv.FormatInt(c.count, 10))
		}
	}
}

// isPlacedKey tells the extras that stand elsewhere, or in text only.
func isPlacedKey(key string) bool {
	switch key {
	case ioTimings, targetTable, walBuffersFull, localIORead, localIOWrite, subplansRemoved:
		return true
	}
	return false
}

// nodeTotals adds buffers, I/O times and WAL.
func (b *treeBuilder) nodeTotals(o *object, n *record.Node) {
	if n.Has(record.HasBuffers) {
		buffersTree(o, &n.Buffers)
	}
	if n.Has(record.HasIOTime) {
		localRead, localWrite := extraTime(n.Extra, localIORead), extraTime(n.Extra, localIOWrite)
		shared := ""
		if b.is18 {
			shared = "Shared "
		}
		o.time(shared+"I/O Read Time", n.IOReadTime-localRead)
		o.time(shared+"I/O Write Time", n.IOWriteTime-localWrite)
		if b.is18 || localRead > 0 || localWrite > 0 {
			o.time(localIORead, localRead)
			o.time(localIOWrite, localWrite)
		}
		o.time("Temp I/O Read Time", n.TempIOReadTime)
		o.time("Temp I/O Write Time", n.TempIOWriteTime)
	}
	if n.Has(record.HasWAL) {
		o.count("WAL Records", n.WALRecords)
		o.count("WAL FPI", n.WALFPI)
		o.count("WAL Bytes", n.WALBytes)
		if full, ok := extra(n.Extra, walBuffersFull); ok {
			o.extra(walBuffersFull, full)
		}
	}
}

func buffersTree(o *object, b *record.Buffers) {
	for k := keySharedHit; k <= keyTempWritten; k++ {
		o.count(blockNames[k-keySharedHit], *blocks(b, k))
	}
}

// blockNames are the keys of block counts in EXPLAIN's order.
var blockNames = [...]string{
	"Shared Hit Blocks", "Shared Read Blocks", "Shared Dirtied Blocks", "Shared Written Blocks",
	"Local Hit Blocks", "Local Read Blocks", "Local Dirtied Blocks", "Local Written Blocks",
	"Temp Read Blocks", "Temp Written Blocks",
}

func workerTree(w *record.Worker) value {
	var o object
	o.count("Worker Number", w.Number)
	if w.Fields&record.HasActual != 0 {
		measured(&o, w.ActualStartup, w.ActualTotal, w.ActualRows, w.ActualLoops, w.Fields)
	}
	if w.SortMethod != "" {
		o.text("Sort Method", w.SortMethod)
		o.count("Sort Space Used", w.SortSpaceKB)
		o.text("Sort Space Type", w.SortSpaceType)
	}
	if w.Fields&record.HasBuffers != 0 {
		buffersTree(&o, &w.Buffers)
	}
	for _, kv := range w.Extra {
		o.extra(kv.Key, kv.Value)
	}
	return value{tag: "Worker", kind: valueObject, items: o.items}
}

// tail adds what stands behind the tree.
func (b *treeBuilder) tail(o *object) {
	p := b.plan
	if len(p.Settings) > 0 {
		var settings object
		for _, kv := range p.Settings {
			settings.add(value{key: kv.Key, text: kv.Value})
		}
		o.add(value{key: "Settings", kind: valueObject, items: settings.items})
	}
	if p.QueryID != 0 {
		o.count("Query Identifier", p.QueryID)
	}
	b.planning(o)
	if p.HasPlanning {
		o.time("Planning Time", p.PlanningTime)
	}
	if len(p.Triggers) > 0 || p.HasExecution {
		var triggers []value
		for i := range p.Triggers {
			triggers = append(triggers, triggerTree(&p.Triggers[i]))
		}
		o.list("Triggers", "", triggers)
	}
	for _, kv := range p.Extra {
		if !strings.HasPrefix(kv.Key, "Planning ") && kv.Key != duplicateKeys {
			o.extra(kv.Key, kv.Value)
		}
	}
	if p.HasExecution {
		o.time("Execution Time", p.ExecutionTime)
	}
}

func (b *treeBuilder) planning(o *object) {
	var planning object
	if b.plan.HasPlanBuffers {
		buffersTree(&planning, &b.plan.PlanningBuffers)
	}
	for _, kv := range b.plan.Extra {
		if key, ok := strings.CutPrefix(kv.Key, "Planning "); ok {
			planning.extra(key, kv.Value)
		}
	}
	if len(planning.items) > 0 {
		o.add(value{key: "Planning", kind: valueObject, items: planning.items})
	}
}

func triggerTree(t *record.Trigger) value {
	var o object
	o.text("Trigger Name", t.Name)
	o.text("Constraint Name", t.Constraint)
	o.text("Relation", t.Relation)
	o.time("Time", t.Time)
	o.count("Calls", t.Calls)
	return value{tag: "Trigger", kind: valueObject, items: o.items}
}
