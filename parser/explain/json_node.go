package explain

import "github.com/pgassay/pgassay/parser/record"

// node reads the object of a node and of all nodes below it. Keys may come in
// any order; of a scalar that comes twice the first counts.
func (p *Parser) node(parent, depth int32) {
	n := p.addNode(parent, depth, p.pos)
	if n < 0 {
		return
	}
	p.pos++
	var seen [numKeys]bool
	for {
		name, ok := p.member()
		if !ok {
			return
		}
		k := names[string(name)]
		if fields[k].kind == kindNested {
			p.nested(n, depth, k)
			continue
		}
		if seen[k] && k != keyUnknown {
			p.duplicates++
			p.skip()
			continue
		}
		seen[k] = true
		p.nodeValue(&p.plan.Nodes[n], k, name)
	}
}

// nested reads the children or the workers of a node.
func (p *Parser) nested(n, depth int32, k key) {
	if !p.enter('[') {
		return
	}
	for p.element() {
		switch {
		case p.peek() != '{':
			p.skip()
		case k == keyPlans:
			p.node(n, depth+1)
		default:
			p.workerObject(n)
		}
	}
}

func (p *Parser) nodeValue(node *record.Node, k key, name []byte) {
	f := fields[k]
	switch f.kind {
	case kindText:
		*textField(node, k) = p.interns.string(p.scalar())
	case kindExtra:
		p.extra(&node.Extra, name)
	case kindTime:
		p.ioTime(node, k, p.scalar())
	default:
		assign(node, k, f, p.scalar())
	}
}

// workerObject reads one element of "Workers".
func (p *Parser) workerObject(n int32) {
	p.pos++
	var w *record.Worker
	for {
		name, ok := p.member()
		if !ok {
			return
		}
		k := names[string(name)]
		if k == keyWorkerNumber {
			v, _, _ := fixed(p.scalar(), 0)
			w = p.worker(n, v)
			continue
		}
		if w == nil { // PostgreSQL prints the number first
			w = p.worker(n, int64(len(p.plan.Nodes[n].Workers)))
		}
		if f := fields[k]; f.kind == kindExtra && !isSort(k) {
			p.extra(&w.Extra, name)
		} else {
			assignWorker(w, k, f, p.scalar(), &p.interns)
		}
	}
}

// isSort tells the keys of a sort, which a worker has fields for.
func isSort(k key) bool { return k >= keySortMethod && k <= keySortSpaceType }
