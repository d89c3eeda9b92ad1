package dataset

import (
	"sort"

	"github.com/pgassay/pgassay/parser/record"
)

// inferStatements names the statement of temporary files, and of notices of builds, whose entries tell
// none, as those of the extended protocol and of cursors do: the execution of
// the session that was running then, else the last one before. Temporary files
// are logged when they are dropped, which may come before or after the duration
// line.
func (m *Model) inferStatements() {
	var bySession map[string]*Session
	for i := range m.Events {
		e := &m.Events[i]
		if e.Kind != record.EventTempFile && e.Kind != record.EventBuildNotice || e.Statement != nil || e.Session == "" {
			continue
		}
		if bySession == nil {
			bySession = make(map[string]*Session, len(m.Sessions))
			for _, s := range m.Sessions {
				bySession[s.Name] = s
			}
		}
		if s := bySession[e.Session]; s != nil {
			if x := s.runningAt(e.LogTime); x != nil {
				e.Statement, e.Inferred = x.Statement.Statement, true
			}
		}
	}
}

// runningAt is the execution of the session that t falls into, else the last
// that ended before t; nil if there is neither.
func (s *Session) runningAt(t record.Time) *Execution {
	i := sort.Search(len(s.Steps), func(i int) bool { return s.Steps[i].End >= t })
	for k := i; k < len(s.Steps) && k < i+8; k++ {
		if x := s.Steps[k].Execution; x != nil && x.Start <= t {
			return x
		}
	}
	for k := i - 1; k >= 0; k-- {
		if x := s.Steps[k].Execution; x != nil {
			return x
		}
	}
	return nil
}
