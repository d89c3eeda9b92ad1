package sqltext

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/pgassay/pgassay/parser/record"
)

// DefaultMax is the number of statements an Interner keeps unless told
// otherwise: with 4 KiB texts at most, some hundreds of MiB in the worst case.
const DefaultMax = 50_000

// shardCount spreads the lock; a power of two.
const shardCount = 64

// Interner gives texts their Statement, computing each class of texts once. It
// is safe for concurrent use.
type Interner struct {
	max     int64
	kept    atomic.Int64
	refused atomic.Int64
	seeds   [2]maphash.Seed
	buffers sync.Pool
	shards  [shardCount]shard
}

// key is 128 bits over the canonical text, with seeds of this process: equal
// keys are equal texts, and nobody can make them collide.
type key [2]uint64

type shard struct {
	mu sync.RWMutex
	m  map[key]*record.Statement
}

// NewInterner makes an Interner that keeps at most max statements; of further
// ones the identity is computed each time. max < 1 means DefaultMax.
func NewInterner(max int) *Interner {
	if max < 1 {
		max = DefaultMax
	}
	in := &Interner{max: int64(max), seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	in.buffers.New = func() any { b := make([]byte, 0, 1<<10); return &b }
	for i := range in.shards {
		in.shards[i].m = map[key]*record.Statement{}
	}
	return in
}

// Statement is the identity of a query text. It is never nil, and the same
// pointer for texts that differ only in constants, layout, comments and letter
// case, as long as the Interner is not full. It does not keep text.
func (in *Interner) Statement(text []byte) *record.Statement {
	buf := in.buffers.Get().(*[]byte)
	s := canonical((*buf)[:0], text)
	k := key{maphash.Bytes(in.seeds[0], s), maphash.Bytes(in.seeds[1], s)}
	sh := &in.shards[k[0]%shardCount]
	sh.mu.RLock()
	st := sh.m[k]
	sh.mu.RUnlock()
	if st == nil {
		st = in.keep(sh, k, identify(s))
	}
	*buf = s
	in.buffers.Put(buf)
	return st
}

// keep stores st unless another goroutine has stored the class meanwhile or
// the Interner is full.
func (in *Interner) keep(sh *shard, k key, st *record.Statement) *record.Statement {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if other := sh.m[k]; other != nil {
		return other
	}
	if in.kept.Add(1) > in.max {
		in.kept.Add(-1)
		in.refused.Add(1)
		return st
	}
	sh.m[k] = st
	return st
}

// Refused counts how often a statement was not kept because the Interner was
// full. The identities are right nevertheless; only time was lost.
func (in *Interner) Refused() int64 { return in.refused.Load() }

// identify computes a Statement from canonical text.
func identify(s []byte) *record.Statement {
	st := &record.Statement{Normalized: render(s), Command: command(s)}
	if safe(s) && parse(s, st) {
		return st
	}
	st.Approximate = true
	st.Fingerprint = tokenFingerprint(s)
	st.Relations, st.Target = guessRelations(s)
	return st
}
