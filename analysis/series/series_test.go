package series

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

const start = record.Time(1_800_000_000_000_000)

func second(s float64) record.Time { return start + record.Time(s*1e6) }

// workload is one statement on public.items, ten executions a second, while
// the table grows by a page a second; captured every 5 s.
type workload struct {
	seconds           int
	log, statements   bool // where its executions are told
	sizes             bool
	active            bool
	executionsPerTick int
}

func (w workload) batch() *record.Batch {
	b := &record.Batch{}
	r := rand.New(rand.NewPCG(1, 2))
	insert := &record.Statement{Fingerprint: "f1", Normalized: "insert into items values ($1)", Command: "INSERT", Target: "items", Relations: []string{"items"}}
	for s := range w.seconds {
		for k := range w.executionsPerTick {
			if !w.log {
				continue
			}
			n := int64(s*100 + k)
			b.Executions = append(b.Executions, record.Execution{
				Pos: record.Pos{File: "log", Line: n + 1, Offset: n}, LogTime: second(float64(s) + float64(k)/20), Kind: record.ExecPlan,
				Session: strconv.Itoa(k % 3), Duration: record.Duration(1000 + r.IntN(200)), HasDuration: true, Statement: insert, HasPlan: true,
				Figures: record.Figures{Shape: 1, IsWrite: true, HasRows: true, Rows: record.WholeRows(1 + int64(k%2)), HasBuffers: true,
					Own: record.Buffers{SharedHit: int64(100 + s)}, Total: record.Buffers{SharedHit: int64(100 + s)}},
			})
		}
		if s%5 != 0 {
			continue
		}
		at := second(float64(s))
		if w.sizes {
			sample(b, record.ViewTables, at, "schemaname", "public", "relname", "items", "relation_size", strconv.Itoa((1000+s)*8192), "n_live_tup", "1000", "n_dead_tup", strconv.Itoa(s))
			sample(b, record.ViewIndexes, at+300, "schemaname", "public", "relname", "items", "indexrelname", "items_pkey", "index_size", strconv.Itoa((500+s)*8192))
		}
		if w.statements {
			sample(b, record.ViewStatements, at, "queryid", "1", "query", "insert into items values ($1)", "calls", strconv.Itoa(10*s), "rows", strconv.Itoa(20*s),
				"total_exec_time", strconv.Itoa(30*s), "shared_blks_hit", strconv.Itoa(400*s), "shared_blks_read", "0")
		}
		if w.active {
			for pid := range 3 {
				state, event := "active", ""
				if pid == 2 {
					event = "Lock"
				}
				sample(b, record.ViewActivity, at+record.Time(pid), "pid", strconv.Itoa(pid), "state", state, "wait_event_type", event, "query", "insert into items values ($1)", "backend_type", "client backend")
			}
		}
	}
	return b
}

func sample(b *record.Batch, view record.View, at record.Time, pairs ...string) {
	var names []string
	var values []record.Value
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, pairs[i])
		values = append(values, record.Value{Text: pairs[i+1], Valid: pairs[i+1] != ""})
	}
	n := int64(len(b.Samples))
	b.Samples = append(b.Samples, record.Sample{View: view, CapturedAt: at, TimeSource: record.TimeColumn, Pos: record.Pos{File: string(view), Line: n + 1, Offset: n},
		Columns: record.NewColumns(names), Values: values})
}

func intern(t []byte) *record.Statement {
	return &record.Statement{Fingerprint: "f1", Normalized: string(t), Command: "INSERT", Target: "items", Relations: []string{"items"}}
}

func model(batches ...*record.Batch) *dataset.Model {
	all := dataset.New(dataset.DefaultLimits(), intern)
	for _, b := range batches {
		d := dataset.New(dataset.DefaultLimits(), intern)
		d.Fold(b)
		all.Merge(d)
	}
	return all.Build()
}

func frame(t *testing.T, m *dataset.Model) *Frame {
	t.Helper()
	f := New(m).Frame(m.Statement("f1"))
	if f == nil {
		t.Fatal("no frame")
	}
	for _, c := range f.Columns {
		if len(c.Values) != f.Len() {
			t.Fatalf("%s has %d values of %d readings", c.Name, len(c.Values), f.Len())
		}
		if (c.known() > 0) != (c.Missing == "") {
			t.Errorf("%s: %d values, missing %q", c.Name, c.known(), c.Missing)
		}
	}
	return f
}

func TestExecutionsBetweenTwoCapturesAreOneReading(t *testing.T) {
	f := frame(t, model(workload{seconds: 100, log: true, sizes: true, executionsPerTick: 10}.batch()))
	if f.Len() != 20 {
		t.Errorf("%d readings of 20 captures and 1,000 executions", f.Len())
	}
	pages, cost := f.Column(IndexPages), f.Column(BuffersPerExecution)
	for i := range f.Len() - 1 { // none but the last lies between two captures
		if d := pages.Values[i] - cost.Values[i]; math.Abs(d-400) > 1 {
			t.Errorf("reading %d: %g pages beside %g buffers, want 400 more", i, pages.Values[i], cost.Values[i])
		}
	}
	if !math.IsNaN(pages.Values[f.Len()-1]) {
		t.Error("a size behind the last capture is made up")
	}
	if v := f.Column(RowsPerExecution).Values[3]; v != 1.5 {
		t.Errorf("%g rows per statement, want 1.5", v)
	}
}

func TestDifferencesStandInForTheLog(t *testing.T) {
	f := frame(t, model(workload{seconds: 100, statements: true, sizes: true}.batch()))
	if f.Source != FromStatements || f.Len() != 19 {
		t.Fatalf("source %d, %d readings", f.Source, f.Len())
	}
	for kind, want := range map[Kind]float64{RowsPerExecution: 2, BuffersPerRow: 20, TimePerExecution: 3, Throughput: 10} {
		if c := f.Column(kind); c == nil || math.Abs(c.Values[5]-want) > 1e-9 {
			t.Errorf("%s: %v, want %g", kind, c, want)
		}
	}
	if c := f.Column(Concurrency); c != nil {
		t.Errorf("differences tell no concurrency: %v", c.Values)
	}
}

func TestPlanningIsPerPlanningAndLoopsPerExecution(t *testing.T) {
	w := workload{seconds: 100, statements: true, sizes: true}
	if c := frame(t, model(w.batch())).Column(PlanningTime); c != nil {
		t.Errorf("planning without track_planning: %v", c.Values)
	}
	b := w.batch()
	for i := range b.Samples {
		s := &b.Samples[i]
		if s.View == record.ViewStatements { // half of the calls are planned, 4 ms each
			calls, _ := s.Int("calls")
			s.Columns = record.NewColumns(append(slices.Clone(s.Columns.Names), "plans", "total_plan_time"))
			s.Values = append(s.Values, record.Value{Text: strconv.Itoa(int(calls / 2)), Valid: true}, record.Value{Text: strconv.Itoa(int(2 * calls)), Valid: true})
		}
	}
	if c := frame(t, model(b)).Column(PlanningTime); c == nil || c.Values[5] != 4 || c.Source != FromStatements {
		t.Errorf("planning %v, want 4 ms of pg_stat_statements", c)
	}
	b = workload{seconds: 100, log: true, executionsPerTick: 10}.batch()
	for i := range b.Executions {
		f := &b.Executions[i].Figures
		f.Loops, f.HasLoops = int64(10+i%2), true
		f.Planning, f.HasPlanning = 1500, i%2 == 0
	}
	f := frame(t, model(b))
	if c := f.Column(LoopsPerExecution); c == nil || math.Abs(c.Values[5]-10.5) > 0.3 {
		t.Errorf("loops %v, want 10.5", c)
	}
	if c := f.Column(PlanningTime); c == nil || c.Values[5] != 1.5 || c.Source != FromLog {
		t.Errorf("planning %v, want 1.5 ms of plans", c)
	}
}

// In the extended protocol the Bind step plans; it belongs to the Execute of
// its own statement and session.
func TestBindTellsThePlanning(t *testing.T) {
	b := &record.Batch{}
	insert, other := intern([]byte("insert")), &record.Statement{Fingerprint: "f2", Normalized: "select 1", Command: "SELECT"}
	line := func(s int, kind record.ExecutionKind, st *record.Statement, d record.Duration) {
		n := int64(len(b.Executions))
		b.Executions = append(b.Executions, record.Execution{Pos: record.Pos{File: "log", Line: n + 1, Offset: n}, LogTime: second(float64(s)) + record.Time(n), LineNum: n,
			Kind: kind, Session: "1", Duration: d, HasDuration: true, Statement: st})
	}
	for s := range 60 {
		line(s, record.ExecBind, insert, 700)
		line(s, record.ExecExecute, insert, 2000)
		line(s, record.ExecBind, insert, 900_000) // its Execute is not logged
		line(s, record.ExecExecute, other, 50)
	}
	m := model(b)
	f := frame(t, m)
	if c := f.Column(PlanningTime); c == nil || math.Abs(c.Values[5]-0.7) > 1e-9 {
		t.Errorf("planning %v, want 0.7 ms of Bind", c)
	}
	if _, ok := m.Statement("f2").Executions[0].Planning(); ok {
		t.Error("the Bind of another statement counts as planning")
	}
}

// A partitioned table holds nothing itself: its state is the sum over its
// partitions, of which one is made on the way.
func TestStateOfAPartitionedTableIsThatOfItsPartitions(t *testing.T) {
	b := workload{seconds: 100, log: true, executionsPerTick: 10}.batch()
	for s := 0; s < 100; s += 5 {
		sample(b, record.ViewTables, second(float64(s)), "schemaname", "public", "relname", "items", "relation_size", "0", "n_live_tup", "0", "n_dead_tup", "0")
		for k, from := range []int{0, 0, 50} {
			if s >= from {
				sample(b, record.ViewTables, second(float64(s)), "schemaname", "public", "relname", "items_"+strconv.Itoa(k), "partition_parent", "public.items",
					"relation_size", strconv.Itoa(1000*8192), "n_live_tup", "500", "n_dead_tup", strconv.Itoa(10*s))
			}
		}
	}
	f := frame(t, model(b))
	pages, live, dead := f.Column(TablePages), f.Column(LiveRows), f.Column(DeadRows)
	if pages == nil || pages.Name != "pages of items" || dead == nil || dead.Name != "dead rows of items" {
		t.Fatalf("pages %+v, dead rows %+v: want those of items", pages, dead)
	}
	for i, at := range f.at {
		since, partitions := float64(at-start)/1e6, 2.0
		if since >= 50 {
			partitions = 3
		}
		if since > 95 { // behind the last capture
			continue
		}
		if pages.Values[i] != 1000*partitions || live.Values[i] != 500*partitions || math.Abs(dead.Values[i]-10*since*partitions) > 1e-6*since {
			t.Errorf("second %g: %g pages, %g live and %g dead rows in %g partitions", since, pages.Values[i], live.Values[i], dead.Values[i], partitions)
		}
	}
}

func TestThroughputOfASampledLogIsEstimated(t *testing.T) {
	throughput := func(settings ...string) float64 {
		b := workload{seconds: 100, log: true, sizes: true, executionsPerTick: 10}.batch()
		for i := 0; i < len(settings); i += 2 {
			sample(b, record.ViewSettings, second(0), "name", settings[i], "setting", settings[i+1])
		}
		return frame(t, model(b)).Column(Throughput).Values[5]
	}
	whole := throughput()
	if got := throughput("auto_explain.sample_rate", "0.2"); math.Abs(got-5*whole) > 1e-9 {
		t.Errorf("a fifth logged: %g executions/s, want 5 × %g", got, whole)
	}
	if got := throughput("auto_explain.sample_rate", "0.2", "auto_explain.log_min_duration", "1"); got != whole {
		t.Errorf("a fifth of the slow part says nothing of all: %g, want %g as logged", got, whole)
	}
}

func TestBothSourcesTogether(t *testing.T) {
	m := model(workload{seconds: 100, log: true, statements: true, sizes: true, executionsPerTick: 10}.batch())
	a, ok := AgreementOf(m.Statement("f1"))
	if !ok || math.Abs(a.Calls-1) > 0.02 {
		t.Errorf("%+v, want all calls in the log", a)
	}
	if f := frame(t, m); f.Source != FromLog {
		t.Error("the log tells the costs")
	}
}

func TestAbsentIsNotZero(t *testing.T) {
	f := frame(t, model(workload{seconds: 100, log: true, executionsPerTick: 10}.batch()))
	if f.Len() < 50 {
		t.Errorf("%d readings without a size, want equal parts of the time", f.Len())
	}
	for _, k := range []Kind{IndexPages, TablePages, DeadRows, ActiveBackends, IOTimePerExecution, LockWaits, WALRate, Checkpoints} {
		if c := f.Column(k); c != nil {
			t.Errorf("%s is measured without input: %v", k, c.Values)
		}
	}
}

// TestOrderAndSplitDoNotShow folds the records in other orders and into other
// numbers of datasets.
func TestOrderAndSplitDoNotShow(t *testing.T) {
	w := workload{seconds: 60, log: true, statements: true, sizes: true, active: true, executionsPerTick: 8}
	want := fmt.Sprint(frame(t, model(w.batch())).Columns)
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 3))
		b := w.batch()
		r.Shuffle(len(b.Executions), func(i, j int) { b.Executions[i], b.Executions[j] = b.Executions[j], b.Executions[i] })
		r.Shuffle(len(b.Samples), func(i, j int) { b.Samples[i], b.Samples[j] = b.Samples[j], b.Samples[i] })
		parts := make([]*record.Batch, 1+r.IntN(4))
		for i := range parts {
			parts[i] = &record.Batch{}
		}
		for _, e := range b.Executions {
			p := parts[r.IntN(len(parts))]
			p.Executions = append(p.Executions, e)
		}
		for _, s := range b.Samples {
			p := parts[r.IntN(len(parts))]
			p.Samples = append(p.Samples, s)
		}
		m := model(parts...)
		if got := fmt.Sprint(frame(t, m).Columns); withoutPointers(got) != withoutPointers(want) {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// withoutPointers blanks the addresses that %v prints.
func withoutPointers(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i:i+2] == "0x" {
			for i < len(s) && s[i] != ' ' {
				i++
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func TestReadingsAreBounded(t *testing.T) {
	f := frame(t, model(workload{seconds: 5000, log: true, sizes: true, executionsPerTick: 1}.batch()))
	if f.Len() > MaxReadings || f.Len() < MaxReadings/2 {
		t.Errorf("%d readings", f.Len())
	}
	half := f.Slice(0, f.Len()/2)
	if half.Len() != f.Len()/2 || half.Column(TablePages).Readings > f.Column(TablePages).Readings/2+1 {
		t.Error("a slice has the readings of the whole")
	}
}

func TestWaits(t *testing.T) {
	m := model(workload{seconds: 100, log: true, active: true, executionsPerTick: 1}.batch())
	all := WaitsOf(m, "f1", Span{second(0), second(100)})
	if all.Samples != 60 || all.Shares()[0].String() != "CPU" || all.Of("Lock").Samples != 20 {
		t.Fatalf("%+v", all.Shares())
	}
	if i := all.Of("Lock").Interval; !(i.Lo > 0.2 && i.Hi < 0.5) {
		t.Errorf("a third of 60 samples is within %v", i)
	}
	var merged Waits
	for _, cut := range []float64{70, 30, 100} {
		from := map[float64]float64{30: 0, 70: 30.5, 100: 70.5}[cut]
		part := WaitsOf(m, "f1", Span{second(from), second(cut + 0.5)})
		merged.Merge(&part)
	}
	if !slices.Equal(merged.Shares(), all.Shares()) {
		t.Errorf("merged %v, whole %v", merged.Shares(), all.Shares())
	}
	f := frame(t, m)
	if c := f.Column(ActiveBackends); c == nil || c.Values[f.Len()/2] != 3 {
		t.Errorf("active backends %v", c)
	}
	if c := f.Column(WaitingBackends); c == nil || c.Values[f.Len()/2] != 1 {
		t.Errorf("waiting backends %v", c)
	}
}

func BenchmarkFrame(b *testing.B) {
	m := model(workload{seconds: 2000, log: true, sizes: true, executionsPerTick: 20}.batch())
	b.ResetTimer()
	for range b.N {
		New(m).Frame(m.Statement("f1"))
	}
	b.ReportMetric(float64(len(m.Executions))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mexecutions/s")
}
