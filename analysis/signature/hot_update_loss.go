package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var hotUpdateLoss = &Signature{
	ID: "PGA214", Name: "hot-update-loss", Max: finding.Warning,
	Felt: "Updates got slower and the indexes grow",
	What: "Updates of a table that used to stay inside their page and touch no index now add an entry to every index.",
	Why: "An update is heap-only (HOT) when it changes no indexed column and the page has room for the new version. A new index on a column that is updated, " +
		"or pages without room, end that: each update then writes to all indexes of the table, which grow, and leaves dead entries for vacuum to clean from each.",
	Fix:    "A new index on an updated column: drop it, or find another way to serve its query. Pages without room: a lower fillfactor, and a rewrite for the pages there are.",
	Verify: "n_tup_hot_upd rises with n_tup_upd again, in the share it had before, and the indexes stop growing.",
	Needs:  []Need{needSeries},
	Silent: []string{
		"a table whose updates never were HOT: nothing was lost",
		"few updates, and a share that swings with the mix of statements without an event",
		"a new BRIN index on 16 and later: it does not stop HOT updates",
		"the two names of an index that is rebuilt concurrently",
	},
	Thresholds: []Threshold{
		{"min_before", 0.3, "of updates", "that were HOT before"},
		{"min_drop", 0.3, "of updates", "by which the share fell"},
		{"min_updates", 1000, "updates", "on either side of the event"},
		{"floor_updates", 100_000, "updates", "no longer HOT, below which the finding stays info"},
	},
	Detect: detectHotUpdateLoss,
}

func detectHotUpdateLoss(p *Pass) {
	counted := false
	for _, r := range p.Model.Relations {
		spans := updateSpans(r)
		counted = counted || len(spans) > 1
		if l := p.hotLossOf(r, spans); l != nil {
			p.Report(l.finding(p), l.lost() < p.limit("floor_updates"))
		}
	}
	if !counted {
		p.Lacks("no table snapshots with n_tup_upd and n_tup_hot_upd over time in input", "pg_stat_user_tables with captured_at, again and again")
	}
}

// updateSpan is what two captures of a table count of updates in between.
type updateSpan struct {
	From, To     *dataset.TablePoint
	All, Hot     float64
	Moved        float64 // to another page (16); NaN if not counted
	FromAt, ToAt record.Time
}

// updateSpans are those between captures whose counters go on.
func updateSpans(r *dataset.Relation) []updateSpan {
	var out []updateSpan
	var prev *dataset.TablePoint
	for i := range r.Points {
		t := &r.Points[i]
		if !t.Time.Known() || !t.Upd.Known || !t.HotUpd.Known {
			continue
		}
		if prev != nil && !t.Broken {
			s := updateSpan{From: prev, To: t, FromAt: prev.Time, ToAt: t.Time, All: rise(prev.Upd, t.Upd), Hot: rise(prev.HotUpd, t.HotUpd), Moved: math.NaN()}
			if prev.NewpageUpd.Known && t.NewpageUpd.Known {
				s.Moved = rise(prev.NewpageUpd, t.NewpageUpd)
			}
			out = append(out, s)
		}
		prev = t
	}
	return out
}

// pooled sums spans.
func pooled(spans []updateSpan) (sum updateSpan) {
	for _, s := range spans {
		sum.All, sum.Hot, sum.Moved = sum.All+s.All, sum.Hot+s.Hot, sum.Moved+s.Moved
	}
	return sum
}

func (s *updateSpan) share() float64 { return s.Hot / s.All }

// hotEvent is what may have ended HOT updates between two captures.
type hotEvent struct {
	After, By record.Time // it happened in (After, By]
	Pos       record.Pos
	Index     *dataset.Index // new; nil if the table's options changed
	Options   string         // the new ones
}

// hotEvents are the indexes that appear in the captures and the changes of the
// table's options, by time.
func hotEvents(m *dataset.Model, r *dataset.Relation) []hotEvent {
	var out []hotEvent
	for _, x := range r.Indexes {
		if _, suffix := leftover(x.Index); suffix != "" || len(x.Points) == 0 || methodOf(x) == "brin" && autovacuum.Version(m) >= 16 {
			continue
		}
		first := &x.Points[0]
		if before, ok := capturedBefore(r, first.Time); ok {
			out = append(out, hotEvent{After: before, By: first.Time, Pos: first.Pos, Index: x})
		}
	}
	for i := 1; i < len(r.Points); i++ {
		a, b := &r.Points[i-1], &r.Points[i]
		if b.Time.Known() && a.Reloptions != b.Reloptions {
			out = append(out, hotEvent{After: a.Time, By: b.Time, Pos: b.Pos, Options: b.Reloptions})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].By < out[j].By })
	return out
}

// capturedBefore is the last capture of any index of the table that is older
// than t by more than one capture takes; false if there is none.
func capturedBefore(r *dataset.Relation, t record.Time) (record.Time, bool) {
	last := record.NoTime
	for _, x := range r.Indexes {
		for i := range x.Points {
			if at := x.Points[i].Time; at.Known() && at < t.Add(-dataset.SameCapture) && (!last.Known() || at > last) {
				last = at
			}
		}
	}
	return last, last.Known() && t.Known()
}

// hotLoss is a table whose share of HOT updates fell at an event.
type hotLoss struct {
	Relation      *dataset.Relation
	Event         hotEvent
	Before, After updateSpan // pooled
	Spans         []updateSpan
	First         *dataset.TablePoint // the first capture after the event that counts updates
}

// hotLossOf is the event with the deepest fall; nil if none is deep enough.
func (p *Pass) hotLossOf(r *dataset.Relation, spans []updateSpan) *hotLoss {
	var best *hotLoss
	for _, e := range hotEvents(p.Model, r) {
		to := sort.Search(len(spans), func(i int) bool { return spans[i].ToAt > e.After.Add(dataset.SameCapture) })
		from := sort.Search(len(spans), func(i int) bool { return spans[i].FromAt >= e.By.Add(-dataset.SameCapture) })
		if to > from || from >= len(spans) {
			continue
		}
		l := &hotLoss{Relation: r, Event: e, Before: pooled(spans[:to]), After: pooled(spans[from:]), Spans: spans, First: spans[from].To}
		if l.Before.All < p.limit("min_updates") || l.After.All < p.limit("min_updates") ||
			l.Before.share() < p.limit("min_before") || l.drop() < p.limit("min_drop") {
			continue
		}
		if best == nil || l.drop() > best.drop() {
			best = l
		}
	}
	return best
}

func (l *hotLoss) drop() float64 { return l.Before.share() - l.After.share() }

// lost is how many updates since the event were not HOT that would have been.
func (l *hotLoss) lost() float64 { return l.drop() * l.After.All }

// writes is how many heap and index entries one update made before and after.
func (l *hotLoss) writes() (before, after float64) {
	n := float64(len(l.Relation.Indexes))
	old := n
	if l.Event.Index != nil {
		old--
	}
	return 1 + (1-l.Before.share())*old, 1 + (1-l.After.share())*n
}

// stayed is the share of the updates that were not HOT and yet found room in
// their page: an indexed column was changed. NaN before version 16.
func (l *hotLoss) stayed() float64 {
	cold := l.After.All - l.After.Hot
	if cold <= 0 {
		return math.NaN()
	}
	return 1 - math.Min(1, l.After.Moved/cold)
}

// grown is the index that grew most since the event, of those that were there
// before, with its pages then and now; nil if none is known.
func (l *hotLoss) grown() (x *dataset.Index, then, now float64) {
	for _, o := range l.Relation.Indexes {
		n := len(o.Sizes)
		if o == l.Event.Index || n == 0 || o.Sizes[0].Time > l.Event.By {
			continue
		}
		a, ok := nearestPages(o, l.Event.By)
		if b := o.Sizes[n-1].Pages; ok && a > 0 && (x == nil || b/a > now/then) {
			x, then, now = o, math.Round(a), b
		}
	}
	return x, then, now
}
