package dataset

import (
	"sort"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// servers are the major versions that start-up lines and snapshots of
// server_version tell, sorted. More than one means several servers: an upgrade
// in place does not go on in the same log.
func servers(m *Model) []string {
	seen := map[string]bool{}
	for i := range m.Events {
		if m.Events[i].Kind == record.EventServerStart {
			seen[major(m.Events[i].Text)] = true
		}
	}
	for _, s := range m.Settings["server_version"] {
		seen[major(s.Value)] = true
	}
	delete(seen, "")
	var out []string
	for v := range seen {
		out = append(out, v)
	}
	sort.Strings(out)
	return out
}

// major is 15 of "15.20 (Debian 15.20-0+deb12u1)", 19 of "19beta1", 9.6 of
// "9.6.24", and "" of what is no version of PostgreSQL.
func major(version string) string {
	v, _, _ := strings.Cut(strings.TrimSpace(version), " ")
	end := strings.IndexFunc(v, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(v)
	}
	switch rest := v[end:]; {
	case end == 0 || end > 2 || strings.HasPrefix(rest, "e"):
		return ""
	case v[:end] == "9" && len(rest) > 1:
		return "9." + strings.Split(rest[1:], ".")[0]
	}
	return v[:end]
}

// Mixed reports whether the input comes from several servers whose tables,
// sessions and statements could not be kept apart.
func (m *Model) Mixed() bool { return len(m.Servers) > 1 || len(m.Alternating) > 0 }

// alternating names the tables whose OID or relfilenode comes back after another
// one: no server gives one out again, so that two tables of one name are mixed.
func alternating(relations []*Relation) []string {
	var out []string
	for _, r := range relations {
		if comesBack(r.Points, func(p *TablePoint) record.Count { return p.OID }) ||
			comesBack(r.Points, func(p *TablePoint) record.Count { return p.Relfilenode }) {
			out = append(out, r.Name)
		}
	}
	return out
}

func comesBack(points []TablePoint, of func(*TablePoint) record.Count) bool {
	seen := map[int64]bool{}
	last := record.Count{}
	for i := range points {
		n := of(&points[i])
		if !n.Known || !points[i].Time.Known() || n == last {
			continue
		}
		if seen[n.N] {
			return true
		}
		seen[n.N], last = true, n
	}
	return false
}

// majorNumber is 15 of "15.20 (Debian …)", 0 if the version is not told.
func majorNumber(version string) int {
	n, err := strconv.Atoi(major(version))
	if err != nil {
		return 0
	}
	return n
}
