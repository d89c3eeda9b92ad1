package analysis

import (
	"time"

	"github.com/pgassay/pgassay/parser/pglog"
	"github.com/pgassay/pgassay/parser/record"
)

// zoneOffset is the seconds east of UTC of a zone as the log prints it. The
// time zone that the user gave decides what the text leaves open; at is a time
// of the log.
func zoneOffset(zone, given string, at record.Time) record.Count {
	location, err := time.LoadLocation(given)
	if given != "" && err == nil && at.Known() {
		name, seconds := at.Std().In(location).Zone()
		if _, known := pglog.ZoneOffset(zone); !known || name == zone {
			return record.Some(int64(seconds))
		}
	}
	seconds, ok := pglog.ZoneOffset(zone)
	return record.Count{N: int64(seconds), Known: ok}
}
