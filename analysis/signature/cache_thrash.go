package signature

import (
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// cacheThrash is PGA510.
var cacheThrash = &Signature{
	ID: "PGA510", Name: "cache-thrash", Max: finding.Critical,
	Felt: "More and more queries wait for the disk",
	What: "What a database touches no longer fits into shared_buffers: a growing share of its blocks must be read.",
	Why: "As long as the pages in use fit into shared_buffers nearly every access is a hit. Once they pass it, each page that is read in drives out one that is needed soon: " +
		"the hit share falls step by step as the data grows, for statements whose plans and buffers have not changed. A read costs ten to a thousand times a hit.",
	Fix:    "Touch fewer pages first: the statements with most reads, bloat (208, 209), a missing index (302). Then give shared_buffers what the pages in use need.",
	Verify: "blks_hit ÷ (blks_hit + blks_read) of pg_stat_database, as differences, is back where it was.",
	Needs:  []Need{needSeries},
	Silent: []string{"a cold cache after a start: reads that become fewer", "one large scan", "a hit share that was always low", "data that is smaller than shared_buffers"},
	Thresholds: []Threshold{
		{"reads", 0.02, "of blocks", "that must be read afterwards, at least"},
		{"ratio", 3, "times the read share", "of before"},
		{"readings", 5, "readings", "before and after"},
		{"blocks", 100, "blocks/s", "that the database must touch"},
		{"floor", 100, "blocks/s", "read afterwards below which the finding stays info"},
	},
	Detect: detectCacheThrash,
}

func detectCacheThrash(p *Pass) {
	evaluated := false
	for _, name := range databasesOf(p.Model) {
		c := newCache(p.Model, name)
		if float64(len(c.readings)) < 2*p.limit("readings") {
			continue
		}
		if math.IsNaN(c.buffers) || math.IsNaN(c.size(c.readings[len(c.readings)-1].To)) {
			continue
		}
		evaluated = true
		if c.split(int(p.limit("readings"))) && c.thrashes(p) {
			p.Report(c.finding(p), c.readRate(c.after()) < p.limit("floor"))
		}
	}
	if !evaluated {
		p.Lacks("no hits and reads of a database over time (at least 10 readings) with its size and shared_buffers in input",
			"pg_stat_database with captured_at again and again, pg_database_size(datname) as database_size or pg_stat_user_tables with sizes, and pg_settings")
	}
}

func databasesOf(m *dataset.Model) []string {
	var out []string
	rows := m.Rows(record.ViewDatabase)
	for i := range rows {
		if name, ok := rows[i].Text("datname"); ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// cacheReading is the blocks that a database touched between two captures.
type cacheReading struct {
	dataset.Delta // of blks_read
	hit           int64
}

func (r *cacheReading) share() float64   { return float64(r.N) / max(1, float64(r.N+r.hit)) }
func (r *cacheReading) seconds() float64 { return max(r.To.Sub(r.From).Seconds(), 0.001) }

// cache is one database's readings and where they split.
type cache struct {
	m        *dataset.Model
	name     string
	readings []cacheReading
	at       int // first reading of the after
	step     stats.Step
	buffers  float64 // bytes of shared_buffers; NaN if not known
}

func newCache(m *dataset.Model, name string) *cache {
	c := &cache{m: m, name: name, buffers: math.NaN()}
	own := func(s *record.Sample) bool {
		n, _ := s.Text("datname")
		return n == name
	}
	hits := map[record.Time]dataset.Delta{}
	for _, d := range m.Deltas(record.ViewDatabase, "blks_hit", own) {
		hits[d.To] = d
	}
	for _, d := range m.Deltas(record.ViewDatabase, "blks_read", own) {
		if h, ok := hits[d.To]; ok && h.From == d.From && h.N+d.N > 0 {
			c.readings = append(c.readings, cacheReading{d, h.N})
		}
	}
	c.readings = working(c.readings)
	if n, ok := m.SettingInt("shared_buffers"); ok {
		c.buffers = float64(n) * float64(m.BlockSize)
	}
	return c
}

// idleShare is the share of the usual number of blocks a second below which a
// reading says nothing: the load was gone.
const idleShare = 0.1

// working leaves out the readings in which the database did next to nothing.
func working(list []cacheReading) []cacheReading {
	rates := make([]float64, len(list))
	for i := range list {
		rates[i] = float64(list[i].N+list[i].hit) / list[i].seconds()
	}
	usual := stats.Median(rates)
	out := list[:0]
	for i := range list {
		if rates[i] >= idleShare*usual {
			out = append(out, list[i])
		}
	}
	return out
}

func (c *cache) before() []cacheReading { return c.readings[:c.at] }
func (c *cache) after() []cacheReading  { return c.readings[c.at:] }

func shares(list []cacheReading) []float64 {
	out := make([]float64, len(list))
	for i := range list {
		out[i] = list[i].share()
	}
	return out
}

// split chooses, among the changes of level, the one with the greatest rise of
// the read share, and goes back to where the rise began.
func (c *cache) split(least int) bool {
	y := shares(c.readings)
	for _, at := range stats.ChangePoints(y, stats.ChangeOptions{MinSegment: least}) {
		if at < least || len(y)-at < least {
			continue
		}
		if s := stats.StepTest(y[:at], y[at:]); s.Difference > c.step.Difference {
			c.at, c.step = at, s
		}
	}
	if c.at == 0 {
		return false
	}
	begin := c.step.Before + risen*c.step.Difference
	for c.at > least && y[c.at-1] >= begin {
		c.at--
	}
	c.step = stats.StepTest(y[:c.at], y[c.at:])
	return true
}

// risen is the part of the rise from which a reading before the split belongs
// to it.
const risen = 0.05

// thrashes holds the split against the limits and the sizes.
func (c *cache) thrashes(p *Pass) bool {
	if c.step.After < p.limit("reads") || c.step.After < p.limit("ratio")*c.step.Before || c.step.Delta < 0.8 || c.touched(c.after()) < p.limit("blocks") {
		return false
	}
	if tail := shares(c.readings[len(c.readings)-int(p.limit("readings")):]); stats.Median(tail) < c.step.After/2 {
		return false // a cold cache, or one large scan: it has passed
	}
	return c.size(c.readings[len(c.readings)-1].To) > c.buffers
}

// touched is blocks a second, hit or read.
func (c *cache) touched(list []cacheReading) float64 {
	n, seconds := 0.0, 0.0
	for i := range list {
		n += float64(list[i].N + list[i].hit)
		seconds += list[i].seconds()
	}
	return n / max(seconds, 0.001)
}

func (c *cache) readRate(list []cacheReading) float64 {
	n, seconds := 0.0, 0.0
	for i := range list {
		n += float64(list[i].N)
		seconds += list[i].seconds()
	}
	return n / max(seconds, 0.001)
}

// size is the bytes of the database at t: as pg_database_size tells, else of
// its tables and indexes; NaN if no capture up to t tells.
func (c *cache) size(t record.Time) float64 {
	size := math.NaN()
	rows := c.m.Rows(record.ViewDatabase)
	for i := range rows {
		if name, _ := rows[i].Text("datname"); name != c.name || !rows[i].CapturedAt.Known() || rows[i].CapturedAt > t {
			continue
		}
		for _, column := range []string{"database_size", "pg_database_size"} {
			if n, ok := rows[i].Int(column); ok {
				size = float64(n)
			}
		}
	}
	if !math.IsNaN(size) {
		return size
	}
	for _, r := range c.m.Relations {
		if n, ok := relationSize(r, t); ok && r.Database == "" {
			if math.IsNaN(size) {
				size = 0
			}
			size += n
		}
	}
	return size
}

// relationSize is the bytes of table and indexes in the last capture up to t.
func relationSize(r *dataset.Relation, t record.Time) (float64, bool) {
	for i := len(r.Points) - 1; i >= 0; i-- {
		p := &r.Points[i]
		switch {
		case !p.Time.Known() || p.Time > t:
		case p.TotalSize.Known:
			return float64(p.TotalSize.N), true
		case p.RelationSize.Known:
			return float64(p.RelationSize.N + p.IndexesSize.N), true
		}
	}
	return 0, false
}
