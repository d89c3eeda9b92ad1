package analysis

import "fmt"

// loopBase is the log of one client that lists something and then asks for each
// item by itself, and what pg_stat_statements counts of it.
type loopBase struct {
	*incidentWriter
	t             float64
	parent, child string
	calls         [2]int64 // of parent and child
	rows          [2]int64
	ms            [2]float64
	serverMS      float64 // of a child
	gapMS         float64 // of the client between two children
	rowsOf        func(i int) int64
	parentServer  float64
}

func (l *loopBase) request(n int) {
	at := func(ms float64) { l.t += ms / 1000 }
	at(l.parentServer)
	l.duration(l.t, l.parentServer, 300, "retrieval", l.parent)
	l.calls[0]++
	l.rows[0] += int64(n)
	l.ms[0] += l.parentServer
	for i := range n {
		ms := l.about(l.serverMS, 0.1)
		at(l.about(l.gapMS, 0.1) + ms)
		l.duration(l.t, ms, 300, "retrieval", fmt.Sprintf(l.child, i+1))
		l.calls[1]++
		l.rows[1] += l.rowsOf(i)
		l.ms[1] += ms
	}
	at(400 + 200*l.draw.Float64()) // think time
}

func (l *loopBase) capture() {
	l.t += 0.5
	l.statement(l.t, 1, l.parentText(), l.calls[0], l.ms[0], l.rows[0], 4*l.calls[0], 0)
	l.statement(l.t, 2, l.childText(), l.calls[1], l.ms[1], l.rows[1], 4*l.calls[1], 0)
	l.t += 0.5
}

func (l *loopBase) parentText() string { return l.parent }
func (l *loopBase) childText() string  { return fmt.Sprintf(l.child, 1) }

// incidentORM is the N+1 behind an ORM: 21 statements a request, below a
// millisecond each.
func incidentORM() map[string][]byte {
	l := &loopBase{incidentWriter: newIncident(14), parent: "select id from orders where customer_id = 1 order by id desc limit 20",
		child: "select name, price from products where id = %d", serverMS: 0.3, gapMS: 0.5, parentServer: 1.2, rowsOf: func(int) int64 { return 1 }}
	l.settings("server_version", "16.9", "log_min_duration_statement", "0")
	l.capture()
	for k := range 120 {
		l.request(20)
		if k%20 == 19 {
			l.capture()
		}
	}
	return l.files()
}

// incidentBuckets is the loop above the database: 50 to 550 buckets of which
// all but 200 are empty, 0.75 ms of client time each.
func incidentBuckets() map[string][]byte {
	l := &loopBase{incidentWriter: newIncident(31), parent: "select id from buckets where tenant_id = 1",
		child: "select id, body from memories where tenant_id = 1 and bucket_id = %d order by score desc limit 20", serverMS: 0.09, gapMS: 0.66, parentServer: 7,
		rowsOf: func(i int) int64 {
			if i < 50 {
				return 20
			}
			return 0
		}}
	l.settings("server_version", "16.9", "log_min_duration_statement", "0")
	l.capture()
	for _, n := range []int{50, 100, 150, 200, 300, 400, 550} {
		for k := range 12 {
			l.request(n)
			if k%3 == 2 {
				l.capture()
			}
		}
	}
	return l.files()
}

// incidentPolling is shakenfist's issue 3499: an idle cluster that asks 38.8
// and 19.2 times a second, beside a load that swings.
func incidentPolling() map[string][]byte {
	w := newIncident(15)
	w.settings("server_version", "16.9")
	dequeue, lock, work := int64(0), int64(0), int64(0)
	for k := range 60 {
		t := float64(k) * minute
		w.statement(t, 1, "delete from queue where id = (select id from queue where ready <= $1 limit $2 for update skip locked) returning id", dequeue, float64(dequeue)*0.08, 40*int64(k)/60, dequeue*3, 0)
		w.statement(t, 2, "select holder from locks where name = $1", lock, float64(lock)*0.03, 0, lock*2, 0)
		w.statement(t, 3, "select * from instances where uuid = $1", work, float64(work)*0.2, work, work*5, 0)
		dequeue += 2328
		lock += 1152
		work += 3000 + int64(k%10)*1200
	}
	return w.files()
}

// incidentBusyPoller is awa's pull request 289: a depth poller whose count(*)
// takes three to four seconds. There the database is the bottleneck.
func incidentBusyPoller() map[string][]byte {
	w := newIncident(16)
	w.settings("server_version", "16.9")
	polls, jobs := int64(0), int64(0)
	ms := 0.0
	for k := range 60 {
		t := float64(k) * minute
		w.statement(t, 1, "select count(*) from jobs where state = $1", polls, ms, polls, polls*90_000, 0)
		w.statement(t, 2, "update jobs set state = $1 where id = $2", jobs, float64(jobs)*0.2, jobs, jobs*6, 0)
		polls += 60
		ms += 60 * w.about(3500, 0.05)
		jobs += 120_000
	}
	return w.files()
}
