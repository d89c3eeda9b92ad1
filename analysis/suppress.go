package analysis

import (
	"fmt"
	"time"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// Suppression is somebody's decision to live with a finding for a while.
type Suppression struct {
	// ID of a signature or Fingerprint of a finding; one of them is given.
	ID, Fingerprint string
	// Subject limits an ID: the name of an index, table, statement or session,
	// in which * stands for any characters; "" is every one.
	Subject string
	Reason  string
	Expires time.Time  // the first instant at which it has no effect any more
	Place   record.Pos // where it is written, for messages
}

// Suppressed is a finding that a suppression took out of Result.Findings.
type Suppressed struct {
	Finding finding.Finding
	Reason  string
	Expires record.Time
	Place   record.Pos
}

// String names what is suppressed.
func (s *Suppression) String() string {
	switch {
	case s.Fingerprint != "":
		return s.Fingerprint
	case s.Subject != "":
		return s.ID + " " + s.Subject
	}
	return s.ID
}

// Matches reports whether the suppression speaks of f.
func (s *Suppression) Matches(f *finding.Finding) bool {
	if s.Fingerprint != "" {
		return s.Fingerprint == f.Fingerprint()
	}
	return s.ID == f.ID && (s.Subject == "" || dataset.Like(s.Subject, f.Subject.String()))
}

// suppress moves findings that are suppressed out of r.Findings; of several
// suppressions of one finding the first counts. Those that expired by now have
// no effect, which a note says, and so do those that matched nothing.
func (r *Result) suppress(list []Suppression, now time.Time) {
	used := make([]bool, len(list))
	var left []finding.Finding
	for i := range r.Findings {
		f := &r.Findings[i]
		at := matching(list, f, now)
		if at < 0 {
			left = append(left, *f)
			continue
		}
		used[at] = true
		s := &list[at]
		r.Suppressed = append(r.Suppressed, Suppressed{Finding: *f, Reason: s.Reason, Expires: record.TimeOf(s.Expires), Place: s.Place})
	}
	r.Findings = left
	for i := range list {
		switch s := &list[i]; {
		case !now.Before(s.Expires):
			r.Notes = append(r.Notes, fmt.Sprintf("The suppression of %s (%s) expired on %s and has no effect.", s, s.Place, s.Expires.Format(time.DateOnly)))
		case !used[i]:
			r.Notes = append(r.Notes, fmt.Sprintf("The suppression of %s (%s) met no finding.", s, s.Place))
		}
	}
}

func matching(list []Suppression, f *finding.Finding, now time.Time) int {
	for i := range list {
		if now.Before(list[i].Expires) && list[i].Matches(f) {
			return i
		}
	}
	return -1
}
