package signature

import (
	"sort"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

var invalidIndex = &Signature{
	ID: "PGA210", Name: "invalid-index", Max: finding.Warning,
	Felt: "An index that was built is not used, and writes may pay for it",
	What: "An index is invalid and nobody is building it: no query uses it, and if it is ready every write maintains it.",
	Why: "CREATE INDEX CONCURRENTLY and REINDEX CONCURRENTLY build in several transactions. If one fails (a duplicate key, a deadlock, a cancelled statement, a lost connection) " +
		"the half-built index stays. With indisready it is written by every insert and by every update that is not HOT; without, it only takes a name and disk.",
	Fix:    "Drop it if a valid index with the same definition exists, else reindex it, both concurrently. Find out why the build failed before trying again.",
	Verify: "pg_index lists no index with indisvalid = false.",
	Needs:  []Need{needSnapshot, needActivity},
	Silent: []string{"a build that runs: create index or reindex active in pg_stat_activity around the last capture", "an index that a later capture shows valid, or no longer shows"},
	Thresholds: []Threshold{
		{"write_effect", 1.5, "x", "nominal cost of maintaining one index for nothing, per write; a ready index on a written table"},
		{"build_window", 2, "intervals", "around the last capture in which a running build is looked for"},
		{"build_window_once", 60, "s", "the same where there is one capture only"},
	},
	Detect: detectInvalidIndex,
}

func detectInvalidIndex(p *Pass) {
	c := capturesOf(p.Model)
	if !c.tellValid {
		p.Lacks("no index snapshot with indisvalid in input", "pg_stat_user_indexes joined with pg_index (indisvalid, indisready), with captured_at")
		return
	}
	window := record.Duration(p.limit("build_window_once")) * record.Second
	if c.interval > 0 {
		window = record.Duration(p.limit("build_window") * float64(c.interval))
	}
	traces := buildTracesOf(p.Model)
	for _, r := range p.Model.Relations {
		for _, x := range r.Indexes {
			last := latestPoint(x)
			if last == nil || !last.Valid.Known || last.Valid.N != 0 || !c.inLast(last) {
				continue
			}
			v := &invalid{Index: x, Last: last, Builds: traces.of(x), Failure: traces.failure(x)}
			if v.running(last.Time, window) {
				continue
			}
			v.measure(p.Model, last.Time, window)
			p.Report(v.finding(p), false)
		}
	}
}

// indexCaptures says when the index view was read.
type indexCaptures struct {
	tellValid bool
	last      record.Time     // NoTime if no row has a time
	interval  record.Duration // median between two rows of one index; 0 if there is one capture
}

func capturesOf(m *dataset.Model) indexCaptures {
	c := indexCaptures{last: record.NoTime}
	var gaps []float64
	for _, r := range m.Relations {
		for _, x := range r.Indexes {
			for i := range x.Points {
				t := &x.Points[i]
				c.tellValid = c.tellValid || t.Valid.Known
				if t.Time > c.last {
					c.last = t.Time
				}
				if i > 0 && t.Time.Known() {
					gaps = append(gaps, float64(t.Time-x.Points[i-1].Time))
				}
			}
		}
	}
	if len(gaps) > 0 {
		c.interval = record.Duration(stats.Median(gaps))
	}
	return c
}

// inLast reports whether the row belongs to the last capture: rows of one
// capture stand closer than half an interval.
func (c indexCaptures) inLast(t *dataset.IndexPoint) bool {
	return !t.Time.Known() || c.interval == 0 || t.Time.Add(c.interval/2) >= c.last
}

// latestPoint is the index's last row with a time, else the last without; nil
// if no snapshot shows the index.
func latestPoint(x *dataset.Index) *dataset.IndexPoint {
	timed := sort.Search(len(x.Points), func(i int) bool { return !x.Points[i].Time.Known() })
	switch {
	case timed > 0:
		return &x.Points[timed-1]
	case len(x.Points) > 0:
		return &x.Points[len(x.Points)-1]
	}
	return nil
}

// invalid is an index that stayed invalid.
type invalid struct {
	Index    *dataset.Index
	Last     *dataset.IndexPoint
	First    *dataset.IndexPoint // of the invalid rows at the end
	Seen     int                 // captures in a row that show it invalid
	Builds   []*dataset.ActivityPoint
	Sampled  bool // activity was sampled around the last capture
	Failure  *record.Event
	Twin     *dataset.Index // a valid index with the same definition
	Writes   float64        // rows written to the relation in the input
	WriteLog int64          // write statements in the log
}

// running reports whether a build was active within the window around t. Rows
// without a time count where t has none.
func (v *invalid) running(t record.Time, window record.Duration) bool {
	for _, a := range v.Builds {
		if a.State != "" && !strings.HasPrefix(a.State, "active") {
			continue
		}
		if a.Time.Known() != t.Known() || !t.Known() || near(a.Time, t, window) {
			return true
		}
	}
	return false
}

func near(a, b record.Time, window record.Duration) bool {
	return a >= b.Add(-window) && a <= b.Add(window)
}

func (v *invalid) measure(m *dataset.Model, t record.Time, window record.Duration) {
	for i := len(v.Index.Points) - 1; i >= 0; i-- {
		p := &v.Index.Points[i]
		if p.Time.Known() != t.Known() || !p.Valid.Known {
			continue
		}
		if p.Valid.N != 0 {
			break
		}
		v.First = p
		if t.Known() {
			v.Seen++
		}
	}
	for i := range m.Activity {
		a := &m.Activity[i]
		v.Sampled = v.Sampled || a.Time.Known() == t.Known() && (!t.Known() || near(a.Time, t, window))
	}
	for _, o := range v.Index.Relation.Indexes {
		if p := latestPoint(o); o != v.Index && p != nil && p.Valid.Known && p.Valid.N == 1 && v.twin(o) {
			v.Twin = o
			break
		}
	}
	r := v.Index.Relation
	written, _ := dataset.Total(r.Written())
	v.Writes = float64(written)
	for _, s := range m.Statements {
		if s.Writes(r) {
			v.WriteLog += s.Calls
		}
	}
}

// twin reports whether o is the same index under another name. Without
// definitions a name that REINDEX CONCURRENTLY gave tells.
func (v *invalid) twin(o *dataset.Index) bool {
	if v.Index.Definition != "" && o.Definition != "" {
		return afterName(v.Index.Definition) == afterName(o.Definition)
	}
	base, suffix := leftover(v.Index.Index)
	return suffix != "" && base == o.Index
}

// afterName is an index definition without the part up to the name.
func afterName(definition string) string {
	head, tail, ok := strings.Cut(definition, " ON ")
	if !ok {
		return definition
	}
	return strings.ToUpper(strings.Join(strings.Fields(head)[:min(2, len(strings.Fields(head)))], " ")) + " ON " + tail
}

// leftover splits a name that REINDEX CONCURRENTLY made: base, and "_ccnew" or
// "_ccold" without the number that a retry adds; suffix is "" for other names.
func leftover(name string) (base, suffix string) {
	bare := strings.TrimRight(name, "0123456789")
	for _, s := range []string{"_ccnew", "_ccold"} {
		if strings.HasSuffix(bare, s) && len(bare) > len(s) {
			return strings.TrimSuffix(bare, s), s
		}
	}
	return name, ""
}

// ready reports whether writes maintain the index, as far as it is told.
func (v *invalid) ready() bool { return v.Last.Ready.Known && v.Last.Ready.N == 1 }

func (v *invalid) written() bool { return v.Writes > 0 || v.WriteLog > 0 }
