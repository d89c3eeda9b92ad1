package record

import (
	"math"
	"time"
)

// Time is an instant: microseconds since the Unix epoch, UTC.
type Time int64

// NoTime marks a record whose input gives no time. It joins no series.
const NoTime Time = math.MinInt64

// TimeOf converts t, cutting below the microsecond.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// Std converts to the standard library's time in UTC. NoTime gives the zero
// time.Time.
func (t Time) Std() time.Time {
	if t == NoTime {
		return time.Time{}
	}
	return time.UnixMicro(int64(t)).UTC()
}

// Known reports whether t is an instant.
func (t Time) Known() bool { return t != NoTime }

// Add returns t+d; NoTime stays NoTime.
func (t Time) Add(d Duration) Time {
	if t == NoTime {
		return t
	}
	return t + Time(d)
}

// Sub returns t-u.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// Duration is a span in microseconds, exact for every duration PostgreSQL
// prints in milliseconds with three decimals.
type Duration int64

// Units of Duration.
const (
	Microsecond Duration = 1
	Millisecond Duration = 1000
	Second      Duration = 1000 * Millisecond
)

// Milliseconds is d in ms.
func (d Duration) Milliseconds() float64 { return float64(d) / 1000 }

// Seconds is d in s.
func (d Duration) Seconds() float64 { return float64(d) / 1e6 }
