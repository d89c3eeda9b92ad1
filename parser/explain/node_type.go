package explain

import (
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// plainTypes are the node types that text prints as JSON does.
var plainTypes = [...]string{
	"Append",
	"Bitmap Heap Scan",
	"Bitmap Index Scan",
	"BitmapAnd",
	"BitmapOr",
	"CTE Scan",
	"Foreign Scan",
	"Function Scan",
	"Gather",
	"Gather Merge",
	"Group",
	"Hash",
	"Incremental Sort",
	"Index Only Scan",
	"Index Scan",
	"Limit",
	"LockRows",
	"Materialize",
	"Memoize",
	"Merge Append",
	"Named Tuplestore Scan",
	"ProjectSet",
	"Recursive Union",
	"Result",
	"Sample Scan",
	"Seq Scan",
	"Sort",
	"Subquery Scan",
	"Table Function Scan",
	"Tid Range Scan",
	"Tid Scan",
	"Unique",
	"Values Scan",
	"WindowAgg",
	"WorkTable Scan",
}

// typeParts are the fields that text prints as one word.
type typeParts struct {
	nodeType, strategy, operation string
}

// mergedTypes are the node types that text prints otherwise than JSON.
var mergedTypes = map[string]typeParts{
	"Insert":         {nodeType: "ModifyTable", operation: "Insert"},
	"Update":         {nodeType: "ModifyTable", operation: "Update"},
	"Delete":         {nodeType: "ModifyTable", operation: "Delete"},
	"Merge":          {nodeType: "ModifyTable", operation: "Merge"},
	"Foreign Insert": {nodeType: "Foreign Scan", operation: "Insert"},
	"Foreign Update": {nodeType: "Foreign Scan", operation: "Update"},
	"Foreign Delete": {nodeType: "Foreign Scan", operation: "Delete"},
	"Foreign Scan":   {nodeType: "Foreign Scan", operation: "Select"},
	"Aggregate":      {nodeType: "Aggregate", strategy: "Plain"},
	"GroupAggregate": {nodeType: "Aggregate", strategy: "Sorted"},
	"HashAggregate":  {nodeType: "Aggregate", strategy: "Hashed"},
	"MixedAggregate": {nodeType: "Aggregate", strategy: "Mixed"},
}

// setNodeType sets the node type, and what text prints as part of it, as JSON
// names them. It is false for a type that PostgreSQL does not have.
func setNodeType(n *record.Node, name string) bool {
	for {
		switch {
		case cutPrefix(&name, "Parallel "):
			n.ParallelAware = true
		case cutPrefix(&name, "Async "):
		case cutPrefix(&name, "Partial "):
			n.PartialMode = "Partial"
		case cutPrefix(&name, "Finalize "):
			n.PartialMode = "Finalize"
		default:
			return setBareType(n, name)
		}
	}
}

func cutPrefix(s *string, prefix string) bool {
	rest, ok := strings.CutPrefix(*s, prefix)
	if ok {
		*s = rest
	}
	return ok
}

// setBareType sets the type without its prefixes.
func setBareType(n *record.Node, name string) bool {
	if parts, ok := mergedTypes[name]; ok {
		n.NodeType, n.Strategy, n.Operation = parts.nodeType, parts.strategy, parts.operation
		if n.NodeType == "Aggregate" && n.PartialMode == "" {
			n.PartialMode = "Simple"
		}
		return true
	}
	if scan, ok := strings.CutSuffix(name, " Backward"); ok {
		name, n.ScanDirection = scan, "Backward"
	}
	for _, t := range plainTypes {
		if t == name {
			n.NodeType = t
			if t == "Index Scan" || t == "Index Only Scan" {
				n.ScanDirection = forward(n.ScanDirection)
			}
			return true
		}
	}
	return setJoin(n, name) || setSetOp(n, name) || setCustom(n, name)
}

func forward(direction string) string {
	if direction == "" {
		return "Forward"
	}
	return direction
}

// setJoin reads "Hash Join", "Hash Right Semi Join", "Nested Loop Left Join".
func setJoin(n *record.Node, name string) bool {
	kind := ""
	switch {
	case name == "Nested Loop":
		n.NodeType, n.JoinType = "Nested Loop", "Inner"
		return true
	case cutPrefix(&name, "Nested Loop "):
		kind = "Nested Loop"
	case cutPrefix(&name, "Hash "):
		kind = "Hash Join"
	case cutPrefix(&name, "Merge "):
		kind = "Merge Join"
	default:
		return false
	}
	if name == "Join" {
		n.NodeType, n.JoinType = kind, "Inner"
		return true
	}
	for _, t := range [...]string{"Left", "Right", "Full", "Semi", "Anti", "Right Semi", "Right Anti"} {
		if rest, ok := strings.CutSuffix(name, " Join"); ok && rest == t {
			n.NodeType, n.JoinType = kind, t
			return true
		}
	}
	return false
}

// setSetOp reads "SetOp Except", "HashSetOp Intersect All".
func setSetOp(n *record.Node, name string) bool {
	strategy := "Sorted"
	if cutPrefix(&name, "Hash") {
		strategy = "Hashed"
	}
	if !cutPrefix(&name, "SetOp") {
		return false
	}
	n.NodeType, n.Strategy = "SetOp", strategy
	return true
}

// setCustom reads "Custom Scan (ChunkAppend)".
func setCustom(n *record.Node, name string) bool {
	if !cutPrefix(&name, "Custom Scan (") {
		return false
	}
	n.NodeType = "Custom Scan"
	n.CustomPlanProvider = strings.TrimSuffix(name, ")")
	return true
}
