package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// WriteText writes a plan as EXPLAIN's text format does: what Text has read
// with Extras comes out as it was, byte for byte, up to three things that the
// tree does not hold. Version 12 prints the figures of a worker in two places,
// which come out in one, as from 13 on; "Planning time" up to version 10 has
// become "Planning Time"; constants keep line breaks, but not the blanks before
// them. A plan read from another format has what text shows of it.
//
// Errors are those of w.
func WriteText(w io.Writer, p *record.Plan) error {
	t := textWriter{w: bufio.NewWriter(w), plan: p, indents: make([]int, len(p.Nodes))}
	if p.QueryText != "" {
		t.printf("Query Text: %s\n", p.QueryText)
	}
	if p.QueryParameters != "" {
		t.printf("Query Parameters: %s\n", p.QueryParameters)
	}
	for i := range p.Nodes {
		if _, ok := extra(p.Nodes[i].Extra, "Output"); ok {
			t.verbose = true
		}
	}
	for i := range p.Nodes {
		t.node(i)
	}
	t.tail()
	return t.w.Flush()
}

type textWriter struct {
	w       *bufio.Writer
	plan    *record.Plan
	verbose bool  // a node lists its output
	indents []int // of each node's properties, in steps of two blanks
}

// printf never fails: Flush tells.
func (t *textWriter) printf(format string, args ...any) { _, _ = fmt.Fprintf(t.w, format, args...) }

func (t *textWriter) line(indent int, text string) {
	for range indent {
		_, _ = t.w.WriteString("  ")
	}
	_, _ = t.w.WriteString(text)
	_ = t.w.WriteByte('\n')
}

func (t *textWriter) node(i int) {
	n := &t.plan.Nodes[i]
	indent, arrow := 0, ""
	if n.Parent >= 0 {
		indent, arrow = t.indents[n.Parent], "->  "
	}
	if n.SubplanName != "" {
		t.line(indent, n.SubplanName)
		indent++
	}
	t.line(indent, arrow+typeText(n)+targetText(n)+figuresText(n))
	if indent++; arrow != "" {
		indent += len(arrow) / 2
	}
	t.indents[i] = indent
	for _, text := range nodeLines(n, t.verbose) {
		t.line(indent, text)
	}
	for k := range n.Workers {
		t.worker(indent, &n.Workers[k])
	}
	if removed, ok := extra(n.Extra, subplansRemoved); ok && removed != "0" {
		t.line(indent, subplansRemoved+": "+removed)
	}
}

// worker writes the lines of a worker, the first behind its number.
func (t *textWriter) worker(indent int, w *record.Worker) {
	lines := workerLines(w)
	if len(lines) == 0 {
		return
	}
	t.line(indent, fmt.Sprintf("Worker %d:  %s", w.Number, lines[0]))
	for _, text := range lines[1:] {
		t.line(indent+1, text)
	}
}

// typeText is the node type with what text prints as part of it: setNodeType
// the other way round.
func typeText(n *record.Node) string {
	name := n.NodeType
	switch {
	case name == "ModifyTable" && n.Operation != "":
		name = n.Operation
	case name == "Foreign Scan" && n.Operation != "" && n.Operation != "Select":
		name = "Foreign " + n.Operation
	case name == "Aggregate":
		name = aggregateNames[n.Strategy]
		if name == "" {
			name = "Aggregate"
		}
	case name == "SetOp":
		if n.Strategy == "Hashed" {
			name = "HashSetOp"
		}
		command, _ := extra(n.Extra, "Command")
		name = strings.TrimSpace(name + " " + command)
	case name == "Custom Scan" && n.CustomPlanProvider != "":
		name += " (" + n.CustomPlanProvider + ")"
	case n.JoinType != "" && n.JoinType != "Inner":
		name = strings.TrimSuffix(name, " Join") + " " + n.JoinType + " Join"
	}
	if n.PartialMode == "Partial" || n.PartialMode == "Finalize" {
		name = n.PartialMode + " " + name
	}
	if async, _ := extra(n.Extra, "Async Capable"); async == "true" {
		name = "Async " + name
	}
	if n.ParallelAware {
		name = "Parallel " + name
	}
	if n.ScanDirection == "Backward" {
		name += " Backward"
	}
	if senders, ok := extra(n.Extra, "Senders"); ok {
		receivers, _ := extra(n.Extra, "Receivers")
		name += " " + senders + ":" + receivers
	}
	if slice, ok := extra(n.Extra, "Slice"); ok {
		name += "  (" + slice + ")"
	}
	return name
}

var aggregateNames = map[string]string{
	"Sorted": "GroupAggregate", "Hashed": "HashAggregate", "Mixed": "MixedAggregate",
}

// targetText is " using INDEX on RELATION ALIAS".
func targetText(n *record.Node) string {
	if n.NodeType == "Bitmap Index Scan" {
		return " on " + quoteName(n.IndexName)
	}
	text := ""
	if n.IndexName != "" {
		text = " using " + quoteName(n.IndexName)
	}
	object := n.RelationName
	for _, name := range [...]string{n.FunctionName, n.CTEName} {
		if object == "" {
			object = name
		}
	}
	switch {
	case object == "" && n.Alias == "":
		return text
	case object == "":
		return text + " on " + quoteName(n.Alias)
	}
	text += " on "
	if n.SchemaName != "" {
		text += quoteName(n.SchemaName) + "."
	}
	text += quoteName(object)
	if n.Alias != "" && n.Alias != object {
		text += " " + quoteName(n.Alias)
	}
	return text
}

// figuresText is the parentheses behind a node.
func figuresText(n *record.Node) string {
	text := ""
	if n.Has(record.HasCosts) {
		text = fmt.Sprintf("  (cost=%s..%s rows=%s width=%d)",
			number(n.StartupCost, 2), number(n.TotalCost, 2), number(n.PlanRows, 0), n.PlanWidth)
	}
	switch {
	case !n.Has(record.HasActual):
		return text
	case n.ActualLoops == 0:
		return text + " (never executed)"
	case n.Has(record.HasTiming):
		return text + " (" + actualText(n.ActualStartupTime, n.ActualTotalTime, n.ActualRows, n.ActualLoops, n.Fields) + ")"
	default:
		return text + fmt.Sprintf(" (actual rows=%s loops=%d)", rowsText(n.ActualRows, n.Fields), n.ActualLoops)
	}
}

func actualText(startup, total record.Duration, rows record.Rows, loops int64, f record.Fields) string {
	if f&record.HasTiming == 0 {
		return fmt.Sprintf("actual rows=%s loops=%d", rowsText(rows, f), loops)
	}
	return fmt.Sprintf("actual time=%s..%s rows=%s loops=%d",
		milliseconds(startup), milliseconds(total), rowsText(rows, f), loops)
}

// tail writes what stands behind the tree.
func (t *textWriter) tail() {
	p := t.plan
	if len(p.Settings) > 0 {
		var settings []string
		for _, kv := range p.Settings {
			settings = append(settings, kv.Key+" = '"+strings.ReplaceAll(kv.Value, "'", "''")+"'")
		}
		t.line(0, "Settings: "+strings.Join(settings, ", "))
	}
	if p.QueryID != 0 {
		t.printf("Query Identifier: %d\n", p.QueryID)
	}
	t.planning()
	if p.HasPlanning {
		t.printf("Planning Time: %s ms\n", milliseconds(p.PlanningTime))
	}
	for i := range p.Triggers {
		t.trigger(&p.Triggers[i])
	}
	t.jit()
	if text, ok := extra(p.Extra, "Serialization"); ok {
		t.line(0, "Serialization: "+serializationText(text))
	}
	if p.HasExecution {
		t.printf("Execution Time: %s ms\n", milliseconds(p.ExecutionTime))
	}
	for _, kv := range p.Extra {
		if !isTailKey(kv.Key) {
			t.line(0, kv.Key+": "+plainText(kv.Value))
		}
	}
}

// isTailKey tells the extras of a plan that tail writes in their place, and
// those that are no part of EXPLAIN's output.
func isTailKey(key string) bool {
	return key == "Serialization" || key == "JIT" || key == duplicateKeys ||
		strings.HasPrefix(key, "JIT ") || strings.HasPrefix(key, "Planning ")
}

// planning writes the section of 13 and later.
func (t *textWriter) planning() {
	p := t.plan
	var lines []string
	if text := buffersText(&p.PlanningBuffers); text != "" {
		lines = append(lines, "Buffers: "+text)
	}
	if text, ok := extra(p.Extra, "Planning "+ioTimings); ok {
		lines = append(lines, ioTimings+": "+text)
	} else if text := planningIOText(p.Extra); text != "" {
		lines = append(lines, ioTimings+": "+text)
	}
	used, ok := extra(p.Extra, "Planning Memory Used")
	allocated, _ := extra(p.Extra, "Planning Memory Allocated")
	if ok {
		lines = append(lines, "Memory: used="+used+"kB  allocated="+allocated+"kB")
	} else if text, ok := extra(p.Extra, "Planning Memory"); ok {
		lines = append(lines, "Memory: "+text)
	}
	if len(lines) == 0 {
		return
	}
	t.line(0, "Planning:")
	for _, text := range lines {
		t.line(1, text)
	}
}

func (t *textWriter) trigger(g *record.Trigger) {
	text := "Trigger"
	if g.Name != "" {
		text += " " + g.Name
	}
	if g.Constraint != "" {
		text += " for constraint " + g.Constraint
	}
	if g.Relation != "" {
		text += " on " + g.Relation
	}
	text += ":"
	if root := &t.plan.Nodes[0]; root.Has(record.HasTiming) || g.Time != 0 {
		text += " time=" + milliseconds(g.Time)
	}
	t.line(0, fmt.Sprintf("%s calls=%d", text, g.Calls))
}

// jit writes the section of just-in-time compilation.
func (t *textWriter) jit() {
	started := false
	for _, kv := range t.plan.Extra {
		switch name, isJIT := strings.CutPrefix(kv.Key, "JIT "); {
		case kv.Key == "JIT" && strings.HasPrefix(kv.Value, "{"):
			t.line(0, "JIT:")
			for _, text := range jitLines(kv.Value) {
				t.line(1, text)
			}
		case isJIT:
			if !started {
				t.line(0, "JIT:")
			}
			started = true
			t.line(1, name+": "+kv.Value)
		}
	}
}
