package pglog

// objectUnits are the JSON objects of a file, on a line each or over several, in
// a list or not. read takes what it carries out of one.
type objectUnits struct {
	keys jsonKeyFunc
	read func(u *unwrapper, f *jsonFields, c *carried)
}

func (o objectUnits) next(u *unwrapper, data []byte, at int, c *carried) int {
	start := betweenObjects(data, at)
	if start == len(data) || u.vain > scanAllowance*len(data) {
		return len(data)
	}
	c.start = start
	s := jsonScan{b: data, at: start, lines: true}
	u.fields = jsonFields{}
	if data[start] != '{' || !u.object(&s, o.keys, false) {
		u.vain += s.at - start
		c.kind = carriesDamage
		return nextObjectLine(data, start)
	}
	o.read(u, &u.fields, c)
	return s.at
}

func (o objectUnits) begin(data []byte, accept func(c *carried) bool) int {
	u := newUnwrapper()
	return beginObjects(data, o.keys, func(f *jsonFields) bool {
		var c carried
		o.read(u, f, &c)
		return accept(&c)
	})
}

func (objectUnits) opening(data []byte) bool { return opensObjects(data) }

func (o objectUnits) cut(data []byte, accept func(c *carried) bool) int {
	u := newUnwrapper()
	return cutObjects(data, o.keys, func(at int) bool {
		var c carried
		u.scratch = u.scratch[:0]
		o.next(u, data, at, &c)
		return accept(&c)
	})
}
