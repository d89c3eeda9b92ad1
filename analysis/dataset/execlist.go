package dataset

// execChunk is how many executions are allocated together.
const execChunk = 4096

// execList grows without copying: its elements stay where they are.
type execList struct {
	chunks [][]Exec
	n      int
}

func (l *execList) add(x *Exec) {
	if l.n%execChunk == 0 {
		l.chunks = append(l.chunks, make([]Exec, 0, execChunk))
	}
	last := &l.chunks[len(l.chunks)-1]
	*last = append(*last, *x)
	l.n++
}

func (l *execList) each(visit func(*Exec)) {
	for _, c := range l.chunks {
		for i := range c {
			visit(&c[i])
		}
	}
}

// pointers are the elements in the order in which they were added.
func (l *execList) pointers() []*Exec {
	out := make([]*Exec, 0, l.n)
	l.each(func(x *Exec) { out = append(out, x) })
	return out
}
