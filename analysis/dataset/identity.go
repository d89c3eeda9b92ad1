package dataset

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// identity is what input tells of the server that it comes from; empty fields
// are not told. A standby has the system identifier of its primary.
type identity struct {
	System    string // system_identifier
	Port      string // of pg_settings, as is Directory: data_directory
	Directory string
	Major     string // version
	Standby   bool
}

// String names the server as a report writes it; paths are not for reports.
func (id identity) String() string {
	var parts []string
	if id.Major != "" {
		parts = append(parts, "PostgreSQL "+id.Major)
	}
	if id.System != "" {
		parts = append(parts, "system "+id.System)
	}
	if id.Standby {
		parts = append(parts, "standby")
	}
	if id.Port != "" {
		parts = append(parts, "port "+id.Port)
	}
	return strings.Join(parts, ", ")
}

func (id identity) told() bool { return id != identity{} }

// agrees reports whether both may be of one server.
func (id identity) agrees(o identity) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	if id.System != "" && id.System == o.System {
		return id.Standby == o.Standby
	}
	return same(id.System, o.System) && same(id.Port, o.Port) && same(id.Directory, o.Directory) && same(id.Major, o.Major)
}

// with is both together; they must agree.
func (id identity) with(o identity) identity {
	return identity{cmp.Or(id.System, o.System), cmp.Or(id.Port, o.Port), cmp.Or(id.Directory, o.Directory),
		cmp.Or(id.Major, o.Major), id.Standby || o.Standby}
}

// telling counts what is told, the system identifier above all.
func (id identity) telling() int {
	n := 0
	for _, told := range []bool{id.Major != "", id.Port != "" || id.Directory != "", id.System != "", id.System != ""} {
		if told {
			n++
		}
	}
	return n
}

// unit is a folder whose files agree, or one file of a folder whose files do
// not: input that comes from one server.
type unit struct {
	name   string // of the folder or file
	files  []string
	id     identity
	server int // index of the server; -1 where it cannot be told
}

// identities are what each file tells.
func (d *Dataset) identities() map[string]identity {
	ids := map[string]identity{}
	last := ""
	see := func(file string) {
		if _, ok := ids[file]; file != last && !ok {
			ids[file] = identity{}
		}
		last = file
	}
	for file := range d.files {
		see(file)
	}
	d.execs.each(func(x *Exec) { see(x.Pos.File) }) // those without a time too
	for i := range d.vacuums {
		see(d.vacuums[i].Pos.File)
	}
	for i := range d.events {
		e := &d.events[i]
		see(e.Pos.File)
		if e.Kind == record.EventServerStart {
			ids[e.Pos.File] = ids[e.Pos.File].and(identity{Major: major(e.Text)})
		}
	}
	for view, rows := range d.samples {
		for i := range rows {
			s := &rows[i]
			if view == record.ViewSeries {
				break
			}
			see(s.Pos.File)
			if told := toldBy(view, s); told.told() {
				ids[s.Pos.File] = ids[s.Pos.File].and(told)
			}
		}
	}
	return ids
}

// toldBy is what a snapshot row tells of its server.
func toldBy(view record.View, s *record.Sample) identity {
	switch view {
	case record.ViewServer:
		return identity{System: text(s, "system_identifier"), Major: major(text(s, "server_version"))}
	case record.ViewSettings:
		value := text(s, "setting")
		switch text(s, "name") {
		case "server_version":
			return identity{Major: major(value)}
		case "port":
			return identity{Port: value}
		case "data_directory":
			return identity{Directory: value}
		}
	}
	return identity{System: text(s, "system_identifier")}
}

// and adds what another row or line of the file tells.
func (id identity) and(o identity) identity {
	return identity{System: smaller(id.System, o.System), Port: smaller(id.Port, o.Port),
		Directory: smaller(id.Directory, o.Directory), Major: smaller(id.Major, o.Major)}
}

// smaller is the smaller of two texts that are told: a file that tells several
// is of one server, whatever the order.
func smaller(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// units groups files by folder where they agree.
func units(ids map[string]identity, standby func(files []string) bool) []*unit {
	folders := map[string][]string{}
	for file := range ids {
		folders[path.Dir(file)] = append(folders[path.Dir(file)], file)
	}
	var out []*unit
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		files := slices.Sorted(slices.Values(folders[folder]))
		whole := &unit{name: folder, files: files, server: -1}
		apart := false
		for _, f := range files {
			apart = apart || !whole.id.agrees(ids[f])
			whole.id = whole.id.with(ids[f])
		}
		if !apart {
			out = append(out, whole)
			continue
		}
		for _, f := range files {
			out = append(out, &unit{name: f, files: []string{f}, id: ids[f], server: -1})
		}
	}
	for _, u := range out {
		u.id.Standby = u.id.System != "" && standby(u.files)
	}
	return out
}

// assign finds the servers of the units: the most telling identities first;
// what tells less joins the one server that it agrees with, or that its place
// in the folders is nearest to. It answers the servers' identities.
func assign(us []*unit) []identity {
	byTelling := slices.Clone(us)
	slices.SortStableFunc(byTelling, func(a, b *unit) int { return b.id.telling() - a.id.telling() })
	var servers []identity
	for _, u := range byTelling {
		var fits []int
		for i, id := range servers {
			if id.agrees(u.id) {
				fits = append(fits, i)
			}
		}
		switch {
		case len(fits) == 0 && u.id.told():
			u.server = len(servers)
			servers = append(servers, u.id)
			continue
		case len(fits) == 1:
			u.server = fits[0]
		case len(fits) > 1:
			u.server = nearest(u, byTelling, fits)
		}
		if u.server >= 0 {
			servers[u.server] = servers[u.server].with(u.id)
		}
	}
	return servers
}

// nearest is the server, among those that fit, with a unit that shares more
// folders with u than any of another server; -1 if there is none.
func nearest(u *unit, us []*unit, fits []int) int {
	best, depth, tie := -1, -1, false
	for _, o := range us {
		if o == u || !slices.Contains(fits, o.server) {
			continue
		}
		n := sharedFolders(u.name, o.name)
		switch {
		case n > depth:
			best, depth, tie = o.server, n, false
		case n == depth && o.server != best:
			tie = true
		}
	}
	if tie {
		return -1
	}
	return best
}

func sharedFolders(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}
