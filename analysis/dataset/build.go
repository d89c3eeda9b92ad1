package dataset

import (
	"cmp"

	"github.com/pgassay/pgassay/parser/record"
)

// Build sorts, pairs and links what was folded. The Dataset may be folded into
// further and built again.
func (d *Dataset) Build() *Model {
	m := d.build()
	if d.filter.IsZero() {
		return m
	}
	return d.filtered(m)
}

// build makes the model of everything, or of what d.kept says.
func (d *Dataset) build() *Model {
	m := &Model{
		Sampled:       1 / float64(uint64(1)<<d.level),
		Capped:        d.capped,
		Settings:      map[string][]Setting{},
		SnapshotTimes: map[record.View]int{},
		Untimed:       map[record.View]int{},
		BlockSize:     8192,
		From:          record.NoTime,
		To:            record.NoTime,
	}
	b := &builder{d: d, m: m, relations: map[string]*Relation{}, statements: map[statementOf]*Statement{},
		spans: d.fileSpans(), main: d.mainDatabase()}
	m.Database = b.main
	b.rows()
	b.settings()
	b.snapshots()
	b.linkPartitions()
	b.vacuumLines()
	b.serverBreaks()
	b.relationsDone()
	b.executions()
	b.transcripts()
	b.statementDiffs()
	b.activity()
	b.external()
	b.eventsAndSpan()
	b.statementsDone()
	m.Servers = servers(m)
	m.Logging = loggingOf(m)
	return m
}

type builder struct {
	d          *Dataset
	m          *Model
	relations  map[string]*Relation
	statements map[statementOf]*Statement
	spans      fileSpans
	main       string // database
}

// relation is the table of that name, made if it is new. Tables of other
// databases than the main one are kept apart; "" is the main one.
func (b *builder) relation(database, schema, name string) *Relation {
	key := Relation{Database: b.databaseName(database), Schema: schema, Relation: name}
	key.Name = key.prefix() + name
	if known := b.relations[key.Name]; known != nil {
		return known
	}
	made := key // on the heap, which the lookup above spares
	b.relations[key.Name] = &made
	return &made
}

// mainDatabase is the one that most executions ran in, else most vacuums, else
// that most snapshot rows of tables are of.
func (d *Dataset) mainDatabase() string {
	count := map[string]int{}
	d.execs.each(func(x *Exec) { count[x.Database]++ })
	delete(count, "")
	if len(count) == 0 {
		for i := range d.vacuums {
			count[d.vacuums[i].Database]++
		}
	}
	if len(count) == 0 {
		tables := d.samples[record.ViewTables]
		for i := range tables {
			count[text(&tables[i], "datname")]++
		}
	}
	return mostFrequent(count)
}

// mostFrequent is the name with the highest count, of equal ones the smallest.
func mostFrequent(count map[string]int) string {
	best := ""
	for name, n := range count {
		if n > count[best] || n == count[best] && name < best {
			best = name
		}
	}
	return best
}

// fileSpans are the spans of the log files that tell executions, vacuums or
// events.
func (d *Dataset) fileSpans() fileSpans {
	s := fileSpans{}
	d.execs.each(func(x *Exec) { s.see(x.Pos.File, x.Time, x.Resolution >= record.Second) })
	for i := range d.vacuums {
		s.see(d.vacuums[i].Pos.File, d.vacuums[i].LogTime, false)
	}
	for i := range d.events {
		s.see(d.events[i].Pos.File, d.events[i].LogTime, false)
	}
	return s
}

func (b *builder) statement(fp string) *Statement { return b.statementIn("", fp) }

// statementIn is the statement as run in a database, made if it is new; "" is
// the main one, and stands for all of the log.
func (b *builder) statementIn(database, fp string) *Statement {
	of := statementOf{fp, database}
	s := b.statements[of]
	if s == nil {
		rs := b.d.statements[fp]
		if rs == nil {
			rs = &record.Statement{Fingerprint: fp}
		}
		s = &Statement{Statement: rs, Database: database, FirstSeen: record.NoTime}
		b.statements[of] = s
	}
	return s
}

// rows sorts the rows of each view.
func (b *builder) rows() {
	b.m.rows = b.d.samples
	for _, rows := range b.m.rows {
		sortBy(rows, func(x, y *record.Sample) bool { return pointLess(x.CapturedAt, y.CapturedAt, x.Pos, y.Pos) })
	}
}

func (b *builder) settings() {
	rows := b.d.samples[record.ViewSettings]
	for i := range rows {
		r := &rows[i]
		name, ok := r.Text("name")
		if !ok {
			continue
		}
		value, _ := r.Text("setting")
		unit, _ := r.Text("unit")
		b.m.Settings[name] = append(b.m.Settings[name], Setting{Time: r.CapturedAt, Value: value, Unit: unit})
	}
	for _, s := range b.m.Settings {
		sortBy(s, func(a, b *Setting) bool {
			if a.Time != b.Time {
				return a.Time < b.Time
			}
			return a.Value < b.Value
		})
	}
	if n, ok := b.m.SettingInt("block_size"); ok && n > 0 {
		b.m.BlockSize = n
	}
	if s, ok := b.m.Setting("server_version"); ok && major(s.Value) != "" {
		b.m.Server = s.Value
	}
	servers := b.d.samples[record.ViewServer]
	for i := range servers {
		if v := text(&servers[i], "server_version"); major(v) != "" {
			b.m.Server = v
		}
	}
}

func (b *builder) eventsAndSpan() {
	m := b.m
	m.Events = onceEvents(b.d.logEvents(), b.spans)
	sortBy(m.Events, func(x, y *record.Event) bool {
		if x.LogTime != y.LogTime {
			return x.LogTime < y.LogTime
		}
		return posLess(x.Pos, y.Pos)
	})
	b.stretches()
	m.inferStatements()
	for i := range m.Events {
		m.span(m.Events[i].LogTime)
		if m.Events[i].Kind == record.EventServerStart && m.Server == "" {
			m.Server = m.Events[i].Text
		}
	}
	for _, e := range m.Executions {
		m.span(e.Time)
	}
	for _, v := range m.Vacuums {
		if v.FromLog {
			m.span(v.End)
		}
	}
	for view, rows := range b.d.samples {
		if view == record.ViewSettings && b.d.kept != nil {
			continue // kept whatever their time
		}
		if view == record.ViewColumnSizes {
			continue // taken once, whenever it suits
		}
		for i := range rows {
			m.span(rows[i].CapturedAt)
		}
	}
}

func (m *Model) span(t record.Time) {
	if !t.Known() {
		return
	}
	if !m.From.Known() || t < m.From {
		m.From = t
	}
	if !m.To.Known() || t > m.To {
		m.To = t
	}
}

// statementsDone links statements to relations and finishes their figures.
func (b *builder) statementsDone() {
	m := b.m
	for _, s := range b.statements {
		m.Statements = append(m.Statements, s)
	}
	sortBy(m.Statements, func(x, y **Statement) bool {
		a, b := *x, *y
		return cmp.Or(cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Database, b.Database)) < 0
	})
	m.index()
	from, to := logSpan(m.Executions)
	plans := b.d.examplesOfShape()
	for _, s := range m.Statements {
		s.logFrom, s.logTo = from, to
		b.linkRelations(s)
		s.shapes(b.d.kept, plans)
	}
}

// examplesOfShape joins the examples of all folders.
func (d *Dataset) examplesOfShape() map[exampleKey]examples {
	out := make(map[exampleKey]examples, len(d.examples))
	for k, e := range d.examples {
		k.folder = ""
		out[k] = out[k].merge(e)
	}
	return out
}

// linkRelations resolves the names that the statement writes in the database
// that it ran in.
func (b *builder) linkRelations(s *Statement) {
	database := s.Database
	if database == "" {
		database = b.databaseOf(s)
	}
	if s.Statement.Target != "" {
		s.Target = b.m.relationIn(database, s.Statement.Target)
	}
	seen := map[*Relation]bool{}
	add := func(r *Relation) {
		if !seen[r] {
			seen[r] = true
			s.Relations = append(s.Relations, r)
		}
	}
	for _, name := range s.Statement.Relations {
		if r := b.m.relationIn(database, name); r != nil {
			add(r)
			for _, leaf := range r.Leaves() {
				add(leaf)
			}
		}
	}
}

// databaseOf is the database of most of the statement's executions.
func (b *builder) databaseOf(s *Statement) string {
	count := map[string]int{}
	for _, e := range s.Executions {
		count[e.Database]++
	}
	return b.databaseName(mostFrequent(count))
}

// logSpan is the time from the first to the last execution of the log.
func logSpan(execs []*Execution) (from, to record.Time) {
	for _, e := range execs {
		if e.Time.Known() && e.Kind != record.ExecExplain {
			if from == 0 {
				from = e.Time
			}
			to = e.Time
		}
	}
	return from, to
}

func (s *Statement) shapes(kept *Kept, plans map[exampleKey]examples) {
	count := map[uint64]int64{}
	for _, e := range s.Executions {
		if e.Figures != nil {
			count[e.Figures.Shape]++
		}
	}
	for id, n := range count {
		x := plans[exampleKey{fingerprint: s.Fingerprint, shape: id}].keptBy(kept)
		s.Shapes = append(s.Shapes, Shape{ID: id, Executions: n, First: x.first, Slowest: x.slowest})
	}
	sortBy(s.Shapes, func(a, b *Shape) bool {
		if a.Executions != b.Executions {
			return a.Executions > b.Executions
		}
		return a.ID < b.ID
	})
}

// databaseName is "" for the main database.
func (b *builder) databaseName(name string) string {
	if name == b.main {
		return ""
	}
	return name
}
