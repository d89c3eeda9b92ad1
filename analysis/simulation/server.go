package simulation

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// Server time of a statement: a millisecond for every 800 buffers, which is a
// cached walk on common hardware, a tenth for the rest, and a twentieth more for
// each other statement in flight.
const (
	secondsPerBuffer = 1.25e-6
	secondsBeside    = 0.0001
	slowdown         = 0.05
)

// server plays a Workload.
type server struct {
	Workload
	draw *rand.Rand
	out  *record.Batch

	pages    []float64 // of each index
	filenode []int64
	heap     float64
	rows     int64   // inserted so far
	drift    float64 // in standard deviations
	driftAt  float64
	running  []float64 // ends of the statements in flight
	vacuumed int       // vacuums so far
}

// happening is something other than a statement.
type happening struct {
	at   float64
	rank int // order of what happens at one time
	do   func()
}

// run lets the clients take turns, each at the end of its pause, with what else
// happens between.
func (s *server) run() {
	next := make([]float64, s.clients())
	for i := range next {
		next[i] = s.pause()
	}
	todo := s.happenings()
	for {
		client, t := 0, math.Inf(1)
		for i, at := range next {
			if at < t {
				client, t = i, at
			}
		}
		t = min(t, s.Length)
		for len(todo) > 0 && todo[0].at <= t {
			todo[0].do()
			todo = todo[1:]
		}
		if t >= s.Length {
			return
		}
		if float64(client) < s.active(t) {
			t = s.insert(client, t)
		}
		next[client] = t + s.pause()
	}
}

func (s *server) pause() float64 { return s.Think * s.draw.ExpFloat64() }

// happenings are the vacuums, rebuilds and captures in order of time.
func (s *server) happenings() []happening {
	var out []happening
	for i := range s.Vacuums {
		v := &s.Vacuums[i]
		out = append(out, happening{v.At, 0, func() { s.vacuum(v) }})
	}
	for i := range s.Indexes {
		for _, at := range s.Indexes[i].Rebuilds {
			out = append(out, happening{at, 1, func() { s.rebuild(i) }})
		}
	}
	for k := 0; s.Snapshots > 0 && float64(k)*s.Snapshots <= s.Length; k++ {
		at := float64(k) * s.Snapshots
		out = append(out, happening{at, 2, func() { s.capture(at) }})
	}
	slices.SortStableFunc(out, func(a, b happening) int { return cmp.Or(cmp.Compare(a.at, b.at), a.rank-b.rank) })
	return out
}

// insert executes one statement and gives its end.
func (s *server) insert(client int, t float64) float64 {
	rows := 1
	if len(s.Rows) > 0 {
		rows = s.Rows[s.draw.IntN(len(s.Rows))]
	}
	s.running = slices.DeleteFunc(s.running, func(end float64) bool { return end <= t })
	beside := float64(len(s.running))
	buffers := int64(max(1, s.cost(t, beside)) * float64(rows))
	seconds := secondsBeside + secondsPerBuffer*float64(buffers)*(1+slowdown*beside)*math.Exp(0.1*s.draw.NormFloat64())
	end := t + seconds
	s.running = append(s.running, end)
	for i := range s.Indexes {
		if !s.settling(s.Indexes[i].Name, t) {
			s.pages[i] += s.Indexes[i].Growth * float64(rows)
		}
	}
	s.heap += s.Heap.Growth * float64(rows)
	s.rows += int64(rows)
	if seconds*1000 >= s.LogFloor {
		s.log(client, end, seconds, int64(rows), buffers)
	}
	return end
}

// cost is buffers per row of a statement that begins at a time, with so many
// others in flight.
func (s *server) cost(t, beside float64) float64 {
	c := s.Base * (1 + s.Noise*s.draw.NormFloat64() + s.Drift.Share*s.drifted(t) + s.Contention*beside)
	c += s.Trend * t
	if s.Step.Buffers != 0 && t >= s.Step.At {
		c += s.Step.Buffers
	}
	for i := range s.Walks {
		w := &s.Walks[i]
		if s.draw.Float64() >= w.Share {
			continue
		}
		c += w.walking(t) * w.Slope * max(0, s.pages[s.index(w.Index)]-w.Skip)
	}
	return c
}

// drifted moves the slow noise on to a time.
func (s *server) drifted(t float64) float64 {
	if s.Drift.Share == 0 {
		return 0
	}
	keep := math.Exp(-(t - s.driftAt) / s.Drift.Persistence)
	if s.driftAt == 0 {
		keep = 0
	}
	s.drift = keep*s.drift + math.Sqrt(1-keep*keep)*s.draw.NormFloat64()
	s.driftAt = t
	return s.drift
}

func (s *server) index(name string) int {
	for i := range s.Indexes {
		if s.Indexes[i].Name == name {
			return i
		}
	}
	panic("simulation: a walk on an index that the table does not have: " + name)
}

// rebuild gives the index a new file, a fifth smaller. Walks end by their To.
func (s *server) rebuild(i int) {
	s.pages[i] *= 0.8
	s.filenode[i]++
}

// log is the line that auto_explain writes at the end of a statement.
func (s *server) log(client int, end, seconds float64, rows, buffers int64) {
	read := int64(s.ReadShare * float64(buffers))
	s.out.Executions = append(s.out.Executions, record.Execution{
		Pos: s.place(), LogTime: At(end), Kind: record.ExecPlan, Session: fmt.Sprint(client),
		Duration: record.Duration(seconds * 1e6), HasDuration: true, Statement: s.statement(), HasPlan: true, LineNum: -1,
		Figures: record.Figures{Shape: 1, IsWrite: true, HasRows: true, Rows: record.WholeRows(rows),
			HasBuffers: true, Own: record.Buffers{SharedHit: buffers - read, SharedRead: read},
			Total: record.Buffers{SharedHit: buffers - read, SharedRead: read}},
	})
}

// place is the next line of the log.
func (s *server) place() record.Pos {
	n := int64(len(s.out.Executions) + len(s.out.Vacuums) + 1)
	return record.Pos{File: "postgresql.log", Line: n, Offset: 100 * n}
}

// statement is made anew, as a parser does for every block.
func (s *server) statement() *record.Statement {
	return &record.Statement{Fingerprint: "00000000000000f1", Normalized: "insert into items (body, embedding) values ($1, $2)",
		Command: "INSERT", Target: Table, Relations: []string{Table}}
}
