package dataset

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Filter chooses what of a log is analysed. It chooses after plan and duration
// lines were paired, copies dropped and concurrency counted, so that it changes
// none of these. The zero Filter keeps everything.
//
// Times choose executions, vacuums, events and snapshots; databases choose
// executions, vacuums, events and the snapshot rows that tell theirs, and spare
// what belongs to no database; the query chooses executions and statements of
// pg_stat_statements; the others choose executions. Settings and the version of
// the server are always kept.
type Filter struct {
	Since, Until Moment          // from Since on, and before Until
	Last         record.Duration // before the last entry of the input; 0: no limit

	Database, User, Application, Host, Session Names
	Query                                      Patterns
}

// Moment is a time given by a user. The zero Moment is none.
type Moment struct {
	Time  record.Time
	Known bool
	// Floating says that Time is a clock reading, as if it were UTC, in the zone
	// of the log.
	Floating bool
}

// Names chooses by a name. A * stands for any characters.
type Names struct {
	Only   []string // one of these, if there are any
	Except []string // and none of these
}

// Patterns chooses statements whose normalized text, or fingerprint, matches.
type Patterns struct {
	Only, Except []*regexp.Regexp
}

// IsZero reports whether the filter keeps everything.
func (f *Filter) IsZero() bool {
	return !f.Since.Known && !f.Until.Known && f.Last == 0 && f.Query.zero() &&
		!slices.ContainsFunc(f.names(), func(n *Names) bool { return !n.zero() })
}

func (f *Filter) names() []*Names {
	return []*Names{&f.Database, &f.User, &f.Application, &f.Host, &f.Session}
}

// In returns the filter with floating times fixed: utc gives the instant at
// which the log's clock shows a reading.
func (f Filter) In(utc func(clock record.Time) record.Time) Filter {
	for _, m := range []*Moment{&f.Since, &f.Until} {
		if m.Known && m.Floating {
			m.Time, m.Floating = utc(m.Time), false
		}
	}
	return f
}

// before returns the filter with Last counted back from the end of the input.
func (f Filter) before(end record.Time) Filter {
	if f.Last > 0 && end.Known() {
		if from := end.Add(-f.Last); !f.Since.Known || from > f.Since.Time {
			f.Since = Moment{Time: from, Known: true}
		}
	}
	return f
}

func (n *Names) zero() bool { return len(n.Only)+len(n.Except) == 0 }

func (p *Patterns) zero() bool { return len(p.Only)+len(p.Except) == 0 }

// verdict of a filter on one fact.
type verdict uint8

const (
	chosen verdict = iota
	dropped
	untold // dropped, since the input does not tell what the filter asks for
)

// of judges a name; "" is not told.
func (n *Names) of(name string) verdict {
	switch {
	case len(n.Only) > 0 && name == "":
		return untold
	case len(n.Only) > 0 && !anyLike(n.Only, name), anyLike(n.Except, name):
		return dropped
	}
	return chosen
}

func anyLike(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Like(p, name) })
}

// Like matches a name with a pattern in which * stands for any characters.
func Like(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, part := range parts[1:last] {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, parts[last])
}

// of judges a statement; nil is not told.
func (p *Patterns) of(s *record.Statement) verdict {
	told := s != nil && s.Normalized != ""
	match := func(r *regexp.Regexp) bool {
		return told && (r.MatchString(s.Normalized) || r.MatchString(s.Fingerprint))
	}
	switch {
	case len(p.Only) > 0 && !told:
		return untold
	case len(p.Only) > 0 && !slices.ContainsFunc(p.Only, match), slices.ContainsFunc(p.Except, match):
		return dropped
	}
	return chosen
}

// at judges a time. The limits may not be floating.
func (f *Filter) at(t record.Time) verdict {
	switch {
	case !f.Since.Known && !f.Until.Known:
		return chosen
	case !t.Known():
		return untold
	case f.Since.Known && t < f.Since.Time, f.Until.Known && t >= f.Until.Time:
		return dropped
	}
	return chosen
}

// of judges an execution by all but its statement.
func (f *Filter) of(x *Exec) verdict {
	worst := f.at(x.Time)
	for _, v := range [...]verdict{
		f.Database.of(x.Database), f.User.of(x.User), f.Application.of(x.Application), f.Host.of(x.Host), f.session(x),
	} {
		if v == dropped || worst == chosen {
			worst = v
		}
	}
	return worst
}

// session judges a session by its name or its process id.
func (f *Filter) session(x *Exec) verdict {
	if f.Session.zero() {
		return chosen
	}
	if x.ProcessID == 0 {
		return f.Session.of(x.Session)
	}
	pid := strconv.Itoa(int(x.ProcessID))
	switch {
	case anyLike(f.Session.Except, pid):
		return dropped
	case x.Session == "" || anyLike(f.Session.Only, pid):
		return f.Session.of(pid)
	}
	return f.Session.of(x.Session)
}

// database judges what may belong to no database.
func (f *Filter) database(name string) verdict {
	if name == "" {
		return chosen
	}
	return f.Database.of(name)
}
