package pgstat

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// PgProfile is what pg_profile's export_data() gives, as CSV or in COPY's text
// format: a section's number and a row of one of its tables as JSON. Counters
// are increments since the sample before; they are added up, so that
// differences between two samples are what the later one counted.
var PgProfile = source.Format{
	Name:   "pg_profile",
	Doc:    "export_data() of pg_profile",
	Detect: detectPgProfile,
}

const pgProfileLacks = "has the top objects of each sample only, and no relallvisible, relfilenode and index validity: PGA202, 203, 208 and 210 see less"

func detectPgProfile(h *source.Head) *source.Detection {
	head := h.Data[:min(len(h.Data), 4096)]
	if !bytes.Contains(head, []byte("tab_list_section")) || !bytes.Contains(head, []byte("pg_profile")) {
		return nil
	}
	return whole(pgProfileLacks, record.TimeColumn, (*foreign).pgProfile)
}

// profileRow is a row of the export.
type profileRow struct {
	pos     record.Pos
	section string
	json    string
}

// profile is an export in the making.
type profile struct {
	*foreign
	sections map[string]string // table by section
	rows     map[string][]profileItem
	times    map[string]record.Time // by server and sample
}

// profileItem is a row of one of pg_profile's tables.
type profileItem struct {
	pos record.Pos
	f   fields
}

func (x *foreign) pgProfile(s []byte) {
	p := profile{foreign: x, sections: map[string]string{}, rows: map[string][]profileItem{}, times: map[string]record.Time{}}
	for _, r := range x.profileRows(s) {
		p.read(r)
	}
	for _, item := range p.rows["samples"] {
		if text, ok := item.f.text("sample_time"); ok {
			if t, ok := parseTime(text); ok {
				p.times[sampleKey(item.f)] = t
			}
		}
	}
	for i := range profileTables {
		p.emit(&profileTables[i])
	}
	p.settings()
}

// profileRows splits the file: CSV with or without a header, or COPY's text.
func (x *foreign) profileRows(s []byte) []profileRow {
	var out []profileRow
	for at := 0; at < len(s); {
		line, n := firstLineAt(s, at)
		if section, json, tabs := bytes.Cut(line, []byte{'\t'}); tabs {
			out = append(out, profileRow{x.pos(at), string(section), copyText(json)})
		} else if len(line) > 0 {
			x.reset()
			end, ok := x.csvRow(s[at:], ',')
			if ok && len(x.cells) == 2 {
				text := string(x.text)
				out = append(out, profileRow{x.pos(at), text[:x.cells[0].end], text[x.cells[0].end:]})
				n = at + end
			} else {
				x.batch.Entries++
				x.lose(x.pos(at), "a row of pg_profile's export is not two columns: a section and its data")
			}
		}
		at = n
	}
	return out
}

// read keeps a row under the name of its table. The list of the tables comes
// before their rows.
func (p *profile) read(r profileRow) {
	if _, err := strconv.Atoi(r.section); err != nil {
		return // the header
	}
	s := []byte(r.json)
	if len(s) > 0 && s[0] == '[' {
		list, _, _ := members(s, 0)
		for _, m := range list {
			if f, _, err := p.object(s[m.start:]); err == nil {
				section, _ := f.text("section_id")
				p.sections[section], _ = f.text("relname")
			}
		}
		return
	}
	f, _, err := p.object(s)
	if err != nil {
		p.batch.Entries++
		p.lose(r.pos, damagedObject)
		return
	}
	if table := p.sections[r.section]; table != "" {
		p.rows[table] = append(p.rows[table], profileItem{r.pos, f})
	}
}

func sampleKey(f fields) string { return keyOf(f, "server_id", "sample_id") }

// keyOf joins the values of columns.
func keyOf(f fields, columns ...string) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i], _ = f.text(c)
	}
	return strings.Join(parts, "\x00")
}

// profileTable is a table of pg_profile that becomes rows of a view.
type profileTable struct {
	name   string
	view   record.View
	names  string   // table that has the names of its objects
	by     []string // columns that identify an object, there and here
	rename map[string]string
	levels []string // columns that are no increments
}

var profileTables = []profileTable{
	{name: "sample_stat_tables", view: record.ViewTables, names: "tables_list", by: []string{"server_id", "datid", "relid"},
		rename: map[string]string{"relsize": "relation_size"},
		levels: []string{"n_live_tup", "n_dead_tup", "n_mod_since_analyze", "n_ins_since_vacuum", "relsize", "relpages_bytes"}},
	{name: "sample_stat_indexes", view: record.ViewIndexes, names: "indexes_list", by: []string{"server_id", "datid", "indexrelid"},
		rename: map[string]string{"relsize": "index_size"}, levels: []string{"relsize", "relpages_bytes"}},
	{name: "sample_statements", view: record.ViewStatements, names: "stmt_list", by: []string{"server_id", "queryid_md5"},
		rename: map[string]string{"blk_read_time": "shared_blk_read_time", "blk_write_time": "shared_blk_write_time"}},
	{name: "sample_stat_database", view: record.ViewDatabase, by: []string{"server_id", "datid"},
		levels: []string{"numbackends", "datsize", "datconnlimit"}},
}

// emit adds the samples of a table, by time.
func (p *profile) emit(t *profileTable) {
	names := map[string]fields{}
	for _, item := range p.rows[t.names] {
		names[keyOf(item.f, t.by...)] = item.f
	}
	databases := p.namesOf("sample_stat_database", "datname", "server_id", "datid")
	tables := p.namesOf("tables_list", "relname", "server_id", "datid", "relid")
	items := p.rows[t.name]
	slices.SortStableFunc(items, func(a, b profileItem) int {
		return cmp.Compare(p.times[sampleKey(a.f)], p.times[sampleKey(b.f)])
	})
	sums := map[string]float64{}
	for _, item := range items {
		at, ok := p.times[sampleKey(item.f)]
		if !ok {
			at = record.NoTime
		}
		f := item.f
		key := keyOf(f, slices.Concat(t.by, []string{"userid", "datid", "queryid"})...)
		p.addUp(f, t, key, sums)
		for _, c := range names[keyOf(f, t.by...)] {
			if _, has := f.text(c.name); !has {
				f = append(f, c)
			}
		}
		if name := tables[keyOf(f, "server_id", "datid", "relid")]; t.view == record.ViewIndexes && name != "" {
			f = f.with("relname", name)
		}
		if _, has := f.text("datname"); !has {
			f = f.with("datname", databases[keyOf(f, "server_id", "datid")])
		}
		f.rename(t.rename)
		p.add(t.view, at, item.pos, f)
	}
}

// namesOf maps keys to the column of a table that names the object.
func (p *profile) namesOf(table, column string, key ...string) map[string]string {
	names := map[string]string{}
	for _, item := range p.rows[table] {
		names[keyOf(item.f, key...)], _ = item.f.text(column)
	}
	return names
}

// addUp replaces increments by their sum so far, times in ms included.
func (p *profile) addUp(f fields, t *profileTable, key string, sums map[string]float64) {
	for i := range f {
		c := &f[i]
		n, err := strconv.ParseFloat(c.value.Text, 64)
		if err != nil || !c.value.Valid || slices.Contains(t.levels, c.name) || strings.HasSuffix(c.name, "id") || strings.HasSuffix(c.name, "_diff") {
			continue
		}
		at := key + "\x00" + c.name
		sums[at] += n
		c.value.Text = strconv.FormatFloat(sums[at], 'f', -1, 64)
	}
}

// settings adds the settings, at the time they were first seen.
func (p *profile) settings() {
	for _, item := range p.rows["sample_settings"] {
		at := record.NoTime
		if text, ok := item.f.text("first_seen"); ok {
			if t, ok := parseTime(text); ok {
				at = t
			}
		}
		f := item.f
		if name, _ := f.text("name"); name == "version" {
			f.rename(map[string]string{"setting": "server_version"})
			p.add(record.ViewServer, at, item.pos, f)
			continue
		}
		p.add(record.ViewSettings, at, item.pos, f)
	}
}
