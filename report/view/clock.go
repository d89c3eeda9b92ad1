package view

import (
	"time"

	"github.com/pgassay/pgassay/parser/record"
)

// Clock prints times in UTC: without the date while the whole span lies on one
// day, with it otherwise.
type Clock struct {
	from, to record.Time
	dated    bool
}

// NewClock makes the clock of a span; unknown ends give a dated clock.
func NewClock(from, to record.Time) Clock {
	c := Clock{from: from, to: to, dated: true}
	if Known(from) && Known(to) {
		c.dated = from.Std().Format(time.DateOnly) != to.Std().Format(time.DateOnly)
	}
	return c
}

// At is "14:20:14", or "2026-11-30 14:20:14" where the day is not obvious.
func (c Clock) At(t record.Time) string {
	switch {
	case !Known(t):
		return Unknown
	case c.dated || t.Std().Format(time.DateOnly) != c.from.Std().Format(time.DateOnly):
		return t.Std().Format(time.DateTime)
	}
	return t.Std().Format(time.TimeOnly)
}

// Span is "2026-11-30 14:17:34–14:22:51 UTC".
func (c Clock) Span() string {
	switch {
	case !Known(c.from) || !Known(c.to):
		return "no times in input"
	case c.dated:
		return c.from.Std().Format(time.DateTime) + " – " + c.to.Std().Format(time.DateTime) + " UTC"
	}
	return c.from.Std().Format(time.DateTime) + "–" + c.to.Std().Format(time.TimeOnly) + " UTC"
}

// Known reports whether t was set: neither NoTime nor the zero of a struct that
// left it out, an instant before every PostgreSQL.
func Known(t record.Time) bool { return t.Known() && t != 0 }

// RFC3339 is t in UTC with microseconds; "" if it is not Known.
func RFC3339(t record.Time) string {
	if !Known(t) {
		return ""
	}
	return t.Std().Format("2006-01-02T15:04:05.000000Z")
}
