package pgstat

import (
	"bytes"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// PgGather is the output of pg_gather's gather.sql: blocks of COPY, in which
// tables and indexes have OIDs and their names stand in pg_get_class.
var PgGather = source.Format{
	Name:   "pg_gather",
	Doc:    "output of pg_gather's gather.sql",
	Detect: detectPgGather,
}

const pgGatherLacks = "has no relallvisible and n_ins_since_vacuum, one time for both kinds of vacuum and one count: PGA202, 203 and 205 see less"

func detectPgGather(h *source.Head) *source.Detection {
	if !bytes.Contains(h.Data, []byte("COPY pg_gather")) {
		return nil
	}
	return whole(pgGatherLacks, record.TimeColumn, (*foreign).pgGather)
}

// Columns of blocks whose command names none, in early versions of pg_gather.
var (
	gatherColumns = []string{"collect_ts", "usr", "db", "ver", "pg_start_ts", "recovery", "client", "server", "reload_ts", "current_wal"}
	classColumns  = []string{"reloid", "relname", "relkind", "relnamespace"}
	indexColumns  = []string{"indexrelid", "indrelid", "indisunique", "indisprimary", "numscans", "size"}
	relColumns    = []string{"relid", "relnamespace", "blks", "n_live_tup", "n_dead_tup", "rel_size", "tot_tab_size", "tab_ind_size",
		"rel_age", "last_vac", "last_anlyze", "vac_nos"}
)

// gathered is one run of pg_gather.
type gathered struct {
	*foreign
	at         record.Time
	database   string
	classes    map[string]fields // of pg_class, by OID
	namespaces map[string]string // name by OID
	databases  map[string]string // name by OID
}

func (x *foreign) pgGather(s []byte) {
	g := gathered{foreign: x, at: record.NoTime, classes: map[string]fields{}, namespaces: map[string]string{"2200": "public"}, databases: map[string]string{}}
	blocks := x.copyBlocks(s)
	for i := range blocks {
		g.names(&blocks[i])
	}
	if !g.at.Known() {
		x.batch.Entries++
		x.lose(x.pos(0), "an output of pg_gather without the time of its start (COPY pg_gather): its rows join no series")
	}
	for i := range blocks {
		b := &blocks[i]
		for r := range b.rows {
			g.row(b, &b.rows[r])
		}
	}
}

// names remembers the time, and what OIDs mean.
func (g *gathered) names(b *copyBlock) {
	for i := range b.rows {
		r := &b.rows[i]
		switch b.table {
		case "pg_gather":
			f := b.fields(r, gatherColumns)
			if text, ok := f.text("collect_ts"); ok {
				if t, ok := parseTime(text); ok {
					g.at = t
				}
			}
			g.database, _ = f.text("db")
		case "pg_get_class":
			f := b.fields(r, classColumns)
			oid, _ := f.text("reloid")
			g.classes[oid] = f
		case "pg_get_ns":
			f := b.fields(r, []string{"nsoid", "nsname"})
			oid, _ := f.text("nsoid")
			g.namespaces[oid], _ = f.text("nsname")
		case "pg_get_db":
			f := b.fields(r, []string{"datid", "datname"})
			oid, _ := f.text("datid")
			g.databases[oid], _ = f.text("datname")
		}
	}
}

// row adds the sample of a row; blocks that no view has are passed over.
func (g *gathered) row(b *copyBlock, r *copyRow) {
	switch b.table {
	case "pg_gather":
		g.server(b.fields(r, gatherColumns), r.pos)
	case "pg_get_rel":
		g.relation(b.fields(r, relColumns), r.pos)
	case "pg_get_index":
		g.index(b.fields(r, indexColumns), r.pos)
	case "pg_get_confs":
		g.add(record.ViewSettings, g.at, r.pos, b.fields(r, []string{"name", "setting", "unit"}))
	case "pg_get_activity":
		f := b.fields(r, nil)
		if oid, ok := f.text("datid"); ok && g.databases[oid] != "" {
			f = f.with("datname", g.databases[oid])
		}
		g.add(record.ViewActivity, g.at, r.pos, f)
	case "pg_get_db":
		g.add(record.ViewDatabase, g.at, r.pos, b.fields(r, nil))
	case "pg_replication_stat":
		g.add(record.ViewReplication, g.at, r.pos, b.fields(r, []string{"usename", "client_addr", "client_hostname", "state"}))
	}
}

// server makes the row about the server: "PostgreSQL 17.1 on x86_64 …".
func (g *gathered) server(f fields, pos record.Pos) {
	f.rename(map[string]string{"pg_start_ts": "postmaster_start_time", "recovery": "in_recovery", "systemid": "system_identifier",
		"db": "datname", "current_wal": "wal_lsn"})
	if text, ok := f.text("ver"); ok {
		if words := strings.Fields(text); len(words) > 1 && words[0] == "PostgreSQL" {
			f = f.with("server_version", words[1])
		}
	}
	g.add(record.ViewServer, g.at, pos, f)
}

// named adds the names that the OID of a relation means.
func (g *gathered) named(f fields, oid, column string) fields {
	class, ok := g.classes[oid]
	if !ok {
		return nil
	}
	name, _ := class.text("relname")
	f = f.with(column, name)
	if ns, ok := class.text("relnamespace"); ok && column == "relname" {
		schema := g.namespaces[ns]
		if schema == "" {
			schema = ns
		}
		f = f.with("schemaname", schema)
	}
	return f
}

// of copies columns of a relation's pg_class row.
func (g *gathered) of(f fields, oid string, columns ...string) fields {
	for _, c := range columns {
		if v, ok := g.classes[oid].text(c); ok {
			f = f.with(c, v)
		}
	}
	return f
}

func (g *gathered) relation(f fields, pos record.Pos) {
	oid, _ := f.text("relid")
	kind, _ := g.classes[oid].text("relkind")
	if f = g.named(f, oid, "relname"); f == nil || kind == "t" {
		return // of the catalog, or TOAST
	}
	f.rename(map[string]string{"blks": "relpages", "rel_size": "relation_size", "tot_tab_size": "table_size", "tab_ind_size": "total_relation_size",
		"rel_age": "frozenxid_age", "last_vac": "last_autovacuum", "last_anlyze": "last_autoanalyze", "vac_nos": "autovacuum_count",
		"lastuse": "last_seq_scan"})
	g.add(record.ViewTables, g.at, pos, g.of(f, oid, "relkind", "relfilenode", "reloptions").with("datname", g.database))
}

func (g *gathered) index(f fields, pos record.Pos) {
	oid, _ := f.text("indexrelid")
	table, _ := f.text("indrelid")
	if f = g.named(f, oid, "indexrelname"); f == nil {
		return
	}
	if f = g.named(f, table, "relname"); f == nil {
		return
	}
	f.rename(map[string]string{"indrelid": "relid", "numscans": "idx_scan", "size": "index_size", "lastuse": "last_idx_scan"})
	g.add(record.ViewIndexes, g.at, pos, g.of(f, oid, "relfilenode").with("datname", g.database))
}
