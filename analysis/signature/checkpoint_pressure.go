package signature

import (
	"math"
	"slices"
	"strconv"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// checkpointPressure is PGA503.
var checkpointPressure = &Signature{
	ID: "PGA503", Name: "checkpoint-pressure", Max: finding.Critical,
	Felt: "Everything is slower in waves, and the disks are busy",
	What: "Checkpoints come because the WAL is full, far more often than checkpoint_timeout asks for.",
	Why: "A checkpoint starts when the WAL since the last one reaches max_wal_size ÷ (1 + checkpoint_completion_target). After each one the first change of every page writes the whole page to the WAL: " +
		"so that frequent checkpoints make more WAL, which makes checkpoints more frequent; and the same pages are written to disk again and again.",
	Fix:    "Raise max_wal_size until checkpoints come by time: WAL per second × checkpoint_timeout × (1 + checkpoint_completion_target).",
	Verify: "log_checkpoints says 'checkpoint starting: time'; pg_stat_checkpointer.num_requested (pg_stat_bgwriter.checkpoints_req) does not rise.",
	Needs:  []Need{needLog, needSeries},
	Silent: []string{"checkpoints by time", "one or two of a bulk load or an index build", "checkpoints that a backup, CREATE DATABASE or a shutdown asks for"},
	Thresholds: []Threshold{
		{"least", 4, "checkpoints", "because of WAL"},
		{"interval", 0.5, "of checkpoint_timeout", "that the median interval must stay below"},
		{"floor", 6, "checkpoints", "because of WAL below which the finding stays info"},
	},
	Detect: detectCheckpointPressure,
}

// Defaults of settings that the input does not tell: checkpoint_timeout in
// seconds, checkpoint_completion_target before version 14 and from it on.
const (
	defaultCheckpointTimeout = 300
	oldCompletionTarget      = 0.5
	completionTarget         = 0.9
)

func detectCheckpointPressure(p *Pass) {
	l := serverLogOf(p)
	c := newCheckpoints(p.Model)
	if l != nil {
		c.read(l)
	}
	if len(c.starts) == 0 {
		c.count(p.Model)
	}
	if len(c.starts) == 0 && c.captures == 0 {
		p.Lacks("no checkpoints in input", "set log_checkpoints = on, or add pg_stat_checkpointer (17 and later) or pg_stat_bgwriter with captured_at at least twice")
		return
	}
	if c.n < int(p.limit("least")) || c.interval <= 0 || c.interval > p.limit("interval")*c.timeout {
		return
	}
	p.Report(c.finding(p, l), float64(c.n) < p.limit("floor"))
}

// checkpoints are what the log, or else two captures of the counters, tell.
type checkpoints struct {
	m        *dataset.Model
	timeout  float64         // s
	target   float64         // checkpoint_completion_target
	starts   []*record.Event // of the log, by time
	done     []*record.Event // completed, by time
	byWAL    []*record.Event // starts because of WAL
	n        int             // checkpoints because of WAL; of counters those that were requested
	timed    int
	interval float64 // s, median between two because of WAL
	busy     float64 // s of the log in such intervals
	captures int     // intervals between captures of counters
	span     float64 // s that the log or the counters cover
	distance float64 // bytes of WAL between two because of WAL, median; 0 if not told
	rate     float64 // bytes of WAL a second while they come so; 0 if not told
	counter  *dataset.Delta
}

func newCheckpoints(m *dataset.Model) *checkpoints {
	c := &checkpoints{m: m, timeout: defaultCheckpointTimeout, target: completionTarget}
	if v, err := strconv.Atoi(firstNumber(m.Server)); err == nil && v < 14 {
		c.target = oldCompletionTarget
	}
	if n, ok := m.SettingInt("checkpoint_timeout"); ok && n > 0 {
		c.timeout = float64(n)
	}
	if s, ok := m.Setting("checkpoint_completion_target"); ok {
		if v, err := strconv.ParseFloat(s.Value, 64); err == nil && v > 0 && v <= 1 {
			c.target = v
		}
	}
	return c
}

// firstNumber is 15 of "15.20 (Debian)".
func firstNumber(version string) string {
	for i, r := range version {
		if r < '0' || r > '9' {
			return version[:i]
		}
	}
	return version
}

// startsByWAL reports a start because of WAL: "wal", until version 11 "xlog".
func startsByWAL(e *record.Event) bool { return e.Text == "wal" || e.Text == "xlog" }

// read takes the checkpoints of the log.
func (c *checkpoints) read(l *serverLog) {
	c.starts, c.done = l.all(record.EventCheckpointStart), l.all(record.EventCheckpoint)
	c.span = l.Span().Seconds()
	var intervals []float64
	for i, e := range c.starts {
		switch {
		case startsByWAL(e):
			c.byWAL = append(c.byWAL, e)
		case e.Text == "time":
			c.timed++
		}
		if i > 0 && startsByWAL(e) {
			d := e.LogTime.Sub(c.starts[i-1].LogTime).Seconds()
			intervals = append(intervals, d)
			if d < c.timeout {
				c.busy += d
			}
		}
	}
	c.n = len(c.byWAL)
	if len(intervals) > 0 {
		c.interval = stats.Median(intervals)
	}
	c.wal()
}

// wal takes the distance and the rate from the completed ones that began
// because of WAL. The first of a series holds the WAL from before it.
func (c *checkpoints) wal() {
	var distances []float64
	for i, e := range c.done {
		k, _ := slices.BinarySearchFunc(c.starts, e.LogTime, func(s *record.Event, t record.Time) int {
			if s.LogTime < t {
				return -1
			}
			return 1
		})
		if i == 0 || k < 2 || e.Checkpoint == nil || !e.Checkpoint.Distance.Known || !startsByWAL(c.starts[k-1]) || !startsByWAL(c.starts[k-2]) {
			continue
		}
		distances = append(distances, float64(e.Checkpoint.Distance.N))
	}
	if len(distances) > 0 && c.interval > 0 {
		c.distance = stats.Median(distances)
		c.rate = c.distance / c.interval
	}
}

// count takes the counters instead: requested checkpoints are those because of
// WAL and those that somebody asked for.
func (c *checkpoints) count(m *dataset.Model) {
	for _, v := range []struct {
		view             record.View
		timed, requested string
	}{{record.ViewCheckpointer, "num_timed", "num_requested"}, {record.ViewBgwriter, "checkpoints_timed", "checkpoints_req"}} {
		requested := m.Deltas(v.view, v.requested, everyRow)
		if len(requested) == 0 {
			continue
		}
		n, seconds := dataset.Total(requested)
		timed, _ := dataset.Total(m.Deltas(v.view, v.timed, everyRow))
		c.n, c.timed, c.captures, c.span = int(n), int(timed), len(requested), seconds
		if n > 0 {
			c.interval = seconds / float64(n)
			c.busy = seconds
		}
		for i := range requested {
			if c.counter == nil || requested[i].N > c.counter.N {
				c.counter = &requested[i]
			}
		}
		return
	}
}

// wanted is the max_wal_size, in bytes, with which checkpoints come by time at
// this rate of WAL, rounded up to 64 MB; 0 if the rate is not known. From
// CalculateCheckpointSegments in xlog.c of version 11 and later.
func (c *checkpoints) wanted() float64 {
	const step = 64 << 20
	return math.Ceil(c.rate*c.timeout*(1+c.target)/step) * step
}

// everyRow chooses all rows of a view that holds one a capture.
func everyRow(*record.Sample) bool { return true }
