package dataset

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// ServerPart is what the input holds of one server.
type ServerPart struct {
	*Dataset
	Name  string // "server1", "server2" …; "" if there is one server
	Told  string // what the server is known by; "" for files that do not tell theirs
	Files []string
}

// Servers splits the input by server, where it tells several apart: by
// system_identifier, by recovery (a standby has its primary's), by port and
// data_directory of the settings, or by major version. Files of one folder
// belong together unless they tell otherwise. Input that does not tell is a
// part of its own if it may be of several.
func (d *Dataset) Servers() []ServerPart {
	us := units(d.identities(), d.standby())
	servers := assign(us)
	if len(servers) < 2 {
		return []ServerPart{{Dataset: d}}
	}
	slices.SortFunc(us, func(a, b *unit) int { return cmp.Compare(a.name, b.name) })
	order := map[int]int{} // server → part
	var parts []ServerPart
	for _, u := range us {
		at, known := order[u.server]
		if !known {
			at = len(parts)
			order[u.server] = at
			p := ServerPart{Name: fmt.Sprintf("server%d", at+1)}
			if u.server >= 0 {
				p.Told = servers[u.server].String()
			}
			parts = append(parts, p)
		}
		parts[at].Files = append(parts[at].Files, u.files...)
	}
	d.split(parts)
	return parts
}

// split gives each part what its files hold; series of the user's belong to
// all. What a limit cut is the first part's.
func (d *Dataset) split(parts []ServerPart) {
	byFile := map[string]*Dataset{}
	for i := range parts {
		p := New(d.limits, d.intern)
		p.statements, p.level, p.folded, p.filter = d.statements, d.level, d.folded, d.filter
		if i == 0 {
			p.capped = d.capped
		}
		p.samples[record.ViewSeries] = d.samples[record.ViewSeries]
		parts[i].Dataset = p
		for _, f := range parts[i].Files {
			byFile[f] = p
		}
	}
	for f, t := range d.files {
		byFile[f].files[f] = t
	}
	d.execs.each(func(x *Exec) { byFile[x.Pos.File].execs.add(x) })
	for i := range d.vacuums {
		p := byFile[d.vacuums[i].Pos.File]
		p.vacuums = append(p.vacuums, d.vacuums[i])
	}
	for i := range d.events {
		p := byFile[d.events[i].Pos.File]
		p.events = append(p.events, d.events[i])
	}
	for i := range d.stretches {
		if p := byFile[d.stretches[i].First.File]; p != nil {
			p.stretches = append(p.stretches, d.stretches[i])
		}
	}
	for view, rows := range d.samples {
		for i := range rows {
			if view != record.ViewSeries {
				p := byFile[rows[i].Pos.File]
				p.samples[view] = append(p.samples[view], rows[i])
			}
		}
	}
	for k, e := range d.examples {
		for _, p := range parts {
			if own := e.only(func(x Example) bool { return byFile[x.Pos.File] == p.Dataset }); own.first.Plan != nil {
				p.examples[k] = own
			}
		}
	}
}

// standby answers whether files are those of a standby whose primary is in the
// input too: a server row says that it is in recovery at a time at which
// another file of the same system says that it is not. A promotion alone is
// none: its primary comes after its standby.
func (d *Dataset) standby() func(files []string) bool {
	type span struct{ first, last record.Time }
	primary, standby := map[string]span{}, map[string]span{}
	systems := map[string]string{}
	rows := d.samples[record.ViewServer]
	for i := range rows {
		s := &rows[i]
		recovers, ok := inRecovery(s)
		if !ok || !s.CapturedAt.Known() {
			continue
		}
		of := primary
		if recovers {
			of = standby
		}
		f := s.Pos.File
		x, seen := of[f]
		if !seen {
			x = span{s.CapturedAt, s.CapturedAt}
		}
		of[f] = span{min(x.first, s.CapturedAt), max(x.last, s.CapturedAt)}
		systems[f] = text(s, "system_identifier")
	}
	return func(files []string) bool {
		for _, f := range files {
			own, ok := standby[f]
			if !ok {
				continue
			}
			for g, other := range primary {
				if systems[g] == systems[f] && !slices.Contains(files, g) && other.first <= own.last {
					return true
				}
			}
		}
		return false
	}
}
