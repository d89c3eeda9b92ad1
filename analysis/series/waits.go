package series

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Waits counts samples of active backends by what they waited for. The zero
// value is empty; Add and Merge commute.
type Waits struct {
	Samples int
	events  map[WaitEvent]int
}

// WaitEvent names a wait event; the zero value is none: the backend was on the
// CPU, or ready to run.
type WaitEvent struct{ Type, Event string }

// String is "Lock:transactionid", or "CPU".
func (e WaitEvent) String() string {
	switch {
	case e == WaitEvent{}:
		return "CPU"
	case e.Event == "":
		return e.Type
	}
	return e.Type + ":" + e.Event
}

// WaitShare is the share of active samples on one event, with the interval that
// so few samples allow.
type WaitShare struct {
	WaitEvent
	Samples  int
	Share    float64
	Interval stats.Interval // 95 %, Wilson
}

// Add counts a sample; one that is not active does not count.
func (w *Waits) Add(p *dataset.ActivityPoint) {
	if p.State != "active" {
		return
	}
	w.add(WaitEvent{p.WaitEventType, p.WaitEvent}, 1)
}

func (w *Waits) add(e WaitEvent, n int) {
	if w.events == nil {
		w.events = map[WaitEvent]int{}
	}
	w.Samples += n
	w.events[e] += n
}

// Merge adds what o counted.
func (w *Waits) Merge(o *Waits) {
	for e, n := range o.events {
		w.add(e, n)
	}
}

// Shares are the events, most frequent first.
func (w *Waits) Shares() []WaitShare {
	out := make([]WaitShare, 0, len(w.events))
	for e, n := range w.events {
		out = append(out, WaitShare{e, n, float64(n) / float64(w.Samples), stats.Wilson(n, w.Samples)})
	}
	slices.SortFunc(out, func(a, b WaitShare) int {
		return cmp.Or(b.Samples-a.Samples, cmp.Compare(a.Type, b.Type), cmp.Compare(a.Event, b.Event))
	})
	return out
}

// Types are the kinds of wait without their events, most frequent first.
func (w *Waits) Types() []WaitShare {
	kinds := Waits{}
	for e, n := range w.events {
		kinds.add(WaitEvent{Type: e.Type}, n)
	}
	return kinds.Shares()
}

// Of is the share of one kind of wait: its type, "" for the CPU.
func (w *Waits) Of(eventType string) WaitShare {
	s := WaitShare{WaitEvent: WaitEvent{Type: eventType}}
	for e, n := range w.events {
		if e.Type == eventType {
			s.Samples += n
		}
	}
	if w.Samples > 0 {
		s.Share = float64(s.Samples) / float64(w.Samples)
	}
	s.Interval = stats.Wilson(s.Samples, w.Samples)
	return s
}

// WaitsOf counts the samples of one statement from one time to another;
// fingerprint "" means all statements.
func WaitsOf(m *dataset.Model, fingerprint string, span Span) Waits {
	var w Waits
	for i := range m.Activity {
		p := &m.Activity[i]
		if p.Time.Known() && p.Time >= span.From && p.Time <= span.To && (fingerprint == "" || p.Fingerprint == fingerprint) {
			w.Add(p)
		}
	}
	return w
}

// Agreement is how well the log and pg_stat_statements tell the same of one
// statement.
type Agreement struct {
	Calls   float64 // in the log ÷ in pg_stat_statements, over the span of both
	Buffers float64 // per row, log ÷ pg_stat_statements; NaN if one does not tell
}

// AgreementOf compares both sources; false where one is missing.
func AgreementOf(s *dataset.Statement) (Agreement, bool) {
	calls, ok := s.Completeness()
	if !ok {
		return Agreement{}, false
	}
	var log, rows, counted, countedRows float64
	i := 0
	for _, e := range s.Executions {
		for i < len(s.Diffs) && e.Time > s.Diffs[i].To {
			i++
		}
		if i == len(s.Diffs) {
			break
		}
		if n, d := buffersPerRow(e); d > 0 && e.Time > s.Diffs[i].From {
			log, rows = log+n, rows+d
		}
	}
	for _, d := range s.Diffs {
		counted, countedRows = counted+float64(d.Buffers()), countedRows+float64(d.Rows)
	}
	return Agreement{Calls: calls, Buffers: log / rows / (counted / countedRows)}, true
}

// Between is the span of some readings.
func (f *Frame) Between() Span {
	if f.Len() == 0 {
		return Span{record.NoTime, record.NoTime}
	}
	return Span{f.Spans[0].From, f.Spans[f.Len()-1].To}
}
