package plandiff

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// none marks a node without a counterpart.
const none = -1

// maxAlign bounds the work of aligning two chains of nodes, in pairs; longer
// chains are aligned from both ends.
const maxAlign = 1 << 20

// Match finds the counterpart of each node of old in new: the result has an
// index in new's nodes, or −1, for each of old's. Structure counts, not position:
//
//  1. Scans are anchored by relation and alias, then by relation alone; other
//     leaves by what they are.
//  2. A node above is known by the set of anchors below it, so that a join of the
//     same relations is the same join, whatever its method and order of inputs.
//     Nodes with the same set stand in a chain; the chains are aligned by kind.
//  3. What is left is matched below and above what is.
//
// Match(p, p) matches every node with itself. It takes time in proportion to the
// nodes, but for chains.
func Match(old, new *record.Plan) []int {
	m := matcher{a: sideOf(old), b: sideOf(new)}
	m.toNew, m.toOld = filled(len(old.Nodes)), filled(len(new.Nodes))
	for level := range anchorLevels {
		m.anchor(level)
	}
	m.alignChains()
	m.roots()
	m.upward()
	m.downward()
	return m.toNew
}

func filled(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = none
	}
	return s
}

type matcher struct {
	a, b         *side
	toNew, toOld []int
}

func (m *matcher) pair(i, k int) { m.toNew[i], m.toOld[k] = k, i }

// side is one of the plans.
type side struct {
	nodes    []record.Node
	children [][]int
	anchors  []int
	kinds    []string
	sets     []uint64 // of the anchors in each subtree that have a counterpart
}

func sideOf(p *record.Plan) *side {
	s := &side{nodes: p.Nodes, children: make([][]int, len(p.Nodes)), kinds: make([]string, len(p.Nodes))}
	for i := range p.Nodes {
		s.kinds[i] = kind(&p.Nodes[i])
		if parent := p.Nodes[i].Parent; parent >= 0 {
			s.children[parent] = append(s.children[parent], i)
		}
	}
	for i := range p.Nodes {
		if s.isAnchor(i) {
			s.anchors = append(s.anchors, i)
		}
	}
	return s
}

// isAnchor tells the nodes that say by themselves what they read: scans, and
// leaves but those of a bitmap, which belong to the heap scan above.
func (s *side) isAnchor(i int) bool {
	n := &s.nodes[i]
	switch {
	case n.NodeType == "Bitmap Index Scan":
		return false
	case n.RelationName != "" && n.NodeType != "ModifyTable":
		return true
	}
	return len(s.children[i]) == 0
}

// anchorLevels is the number of keys that anchors are compared by, strictest
// first.
const anchorLevels = 4

// anchorKey is what an anchor is compared by. "" is no key.
func anchorKey(n *record.Node, level int) string {
	name := n.RelationName
	if name == "" {
		name = strings.Join([]string{"", n.NodeType, n.CTEName, n.FunctionName}, "\x00")
	}
	switch level {
	case 0:
		return strings.Join([]string{name, n.Alias, n.NodeType, n.IndexName, n.SchemaName, n.SubplanName}, "\x00")
	case 1:
		return name + "\x00" + n.Alias
	case 2:
		return name
	}
	if n.RelationName != "" || n.Alias == "" {
		return ""
	}
	return n.Alias
}

// anchor pairs the anchors with equal keys, in the order of the plans.
func (m *matcher) anchor(level int) {
	free := map[string][]int{}
	for _, k := range m.b.anchors {
		if key := anchorKey(&m.b.nodes[k], level); m.toOld[k] == none && key != "" {
			free[key] = append(free[key], k)
		}
	}
	for _, i := range m.a.anchors {
		if m.toNew[i] != none {
			continue
		}
		key := anchorKey(&m.a.nodes[i], level)
		if list := free[key]; len(list) > 0 {
			m.pair(i, list[0])
			free[key] = list[1:]
		}
	}
}

// alignChains pairs the nodes that stand above the same anchors.
func (m *matcher) alignChains() {
	names := make([]uint64, len(m.a.nodes)) // of each pair of anchors
	random := uint64(0)
	for i, k := range m.toNew {
		if k != none {
			random += 0x9e3779b97f4a7c15
			names[i] = mix(random)
		}
	}
	m.a.sets = subtreeSums(m.a.nodes, func(i int) uint64 { return names[i] })
	m.b.sets = subtreeSums(m.b.nodes, func(k int) uint64 {
		if i := m.toOld[k]; i != none {
			return names[i]
		}
		return 0
	})
	chains := map[uint64][]int{}
	for k := range m.b.nodes {
		if m.toOld[k] == none && m.b.sets[k] != 0 {
			chains[m.b.sets[k]] = append(chains[m.b.sets[k]], k)
		}
	}
	mine := map[uint64][]int{}
	var order []uint64
	for i := range m.a.nodes {
		if set := m.a.sets[i]; m.toNew[i] == none && set != 0 {
			if mine[set] == nil {
				order = append(order, set)
			}
			mine[set] = append(mine[set], i)
		}
	}
	for _, set := range order {
		m.align(mine[set], chains[set])
	}
}

// mix scatters a counter (SplitMix64; Steele, Lea and Flood, 2014), so that sums
// of different sets differ.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// subtreeSums adds up what own gives for the nodes of each subtree.
func subtreeSums(nodes []record.Node, own func(int) uint64) []uint64 {
	sums := make([]uint64, len(nodes))
	for i := len(nodes) - 1; i >= 0; i-- {
		sums[i] += own(i)
		if parent := nodes[i].Parent; parent >= 0 {
			sums[parent] += sums[i]
		}
	}
	return sums
}

// align pairs two chains in order so that the likeness of the pairs is greatest.
func (m *matcher) align(olds, news []int) {
	for len(olds) > 0 && len(news) > 0 && m.same(olds[0], news[0]) {
		m.pair(olds[0], news[0])
		olds, news = olds[1:], news[1:]
	}
	for len(olds) > 0 && len(news) > 0 && m.same(olds[len(olds)-1], news[len(news)-1]) {
		m.pair(olds[len(olds)-1], news[len(news)-1])
		olds, news = olds[:len(olds)-1], news[:len(news)-1]
	}
	n, k := len(olds), len(news)
	if n == 0 || k == 0 || n*k > maxAlign {
		return
	}
	best := make([][]int, n+1)
	for i := range best {
		best[i] = make([]int, k+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := k - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if l := m.likeness(olds[i], news[j]); l > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+l)
			}
		}
	}
	for i, j := 0, 0; i < n && j < k; {
		l := m.likeness(olds[i], news[j])
		switch {
		case l > 0 && best[i][j] == best[i+1][j+1]+l:
			m.pair(olds[i], news[j])
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
}

// same tells nodes of the same kind and purpose.
func (m *matcher) same(i, k int) bool {
	return m.a.kinds[i] == m.b.kinds[k]
}

// kind is what a node does, as far as it makes a plan's shape.
func kind(n *record.Node) string {
	return strings.Join([]string{n.NodeType, n.Operation, n.JoinType, n.Strategy, n.PartialMode, n.RelationName, n.IndexName}, "\x00")
}

// likeness of two nodes: 0 if one cannot stand for the other.
func (m *matcher) likeness(i, k int) int {
	a, b := &m.a.nodes[i], &m.b.nodes[k]
	score := 0
	switch {
	case m.same(i, k):
		score = 12
	case a.NodeType == b.NodeType:
		score = 8
	case family(a.NodeType) != "" && family(a.NodeType) == family(b.NodeType):
		score = 4
	default:
		return 0
	}
	if a.PartialMode == b.PartialMode {
		score += 2
	}
	if key := mainKey(a); key != "" && key == mainKey(b) {
		score++
	}
	return score
}

// family of node types that do the same in another way.
func family(nodeType string) string {
	switch nodeType {
	case "Nested Loop", "Hash Join", "Merge Join":
		return "join"
	case "Aggregate", "Group", "Unique":
		return "group"
	case "Sort", "Incremental Sort":
		return "sort"
	case "Gather", "Gather Merge":
		return "gather"
	case "Append", "Merge Append":
		return "append"
	case "Materialize", "Memoize":
		return "store"
	case "Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Tid Scan", "Tid Range Scan", "Sample Scan":
		return "scan"
	}
	return ""
}

// mainKey is the expression that tells one join, sort or group from another.
func mainKey(n *record.Node) string {
	for _, kv := range n.Extra {
		switch kv.Key {
		case "Hash Cond", "Merge Cond", "Join Filter", "Sort Key", "Group Key", "Cache Key":
			return kv.Value
		}
	}
	return ""
}

// roots pairs the roots where nothing else did: two plans that are compared are
// those of one statement.
func (m *matcher) roots() {
	if len(m.a.nodes) > 0 && len(m.b.nodes) > 0 && m.toNew[0] == none && m.toOld[0] == none && m.likeness(0, 0) > 0 {
		m.pair(0, 0)
	}
}

// upward pairs the parents of pairs, where both are left and alike.
func (m *matcher) upward() {
	for i := len(m.a.nodes) - 1; i > 0; i-- {
		k := m.toNew[i]
		if k <= 0 {
			continue
		}
		p, q := int(m.a.nodes[i].Parent), int(m.b.nodes[k].Parent)
		if p >= 0 && q >= 0 && m.toNew[p] == none && m.toOld[q] == none && m.likeness(p, q) > 0 {
			m.pair(p, q)
		}
	}
}

// downward pairs the children of pairs, first those that are the same, then
// those of one type.
func (m *matcher) downward() {
	for i := range m.a.nodes {
		k := m.toNew[i]
		if k == none {
			continue
		}
		for _, key := range []func(*record.Node) string{kind, typeAndSide} {
			m.pairChildren(m.a.children[i], m.b.children[k], key)
		}
	}
}

func typeAndSide(n *record.Node) string {
	return n.NodeType + "\x00" + n.ParentRelationship + "\x00" + strconv.FormatBool(n.SubplanName != "")
}

func (m *matcher) pairChildren(olds, news []int, key func(*record.Node) string) {
	free := map[string][]int{}
	for _, k := range news {
		if m.toOld[k] == none {
			free[key(&m.b.nodes[k])] = append(free[key(&m.b.nodes[k])], k)
		}
	}
	if len(free) == 0 {
		return
	}
	for _, i := range olds {
		if m.toNew[i] != none {
			continue
		}
		if list := free[key(&m.a.nodes[i])]; len(list) > 0 {
			m.pair(i, list[0])
			free[key(&m.a.nodes[i])] = list[1:]
		}
	}
}
