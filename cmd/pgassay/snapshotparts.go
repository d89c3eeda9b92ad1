package main

import (
	"embed"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/parser/pgstat"
	"github.com/pgassay/pgassay/parser/record"
)

// snapshotFiles hold a query for each part, what stands around them, and scripts
// that are no part of a capture.
//
//go:embed snapshot
var snapshotFiles embed.FS

// snapshotPart is one view of a capture.
type snapshotPart struct {
	view record.View
	// file of the query in snapshot, without .sql.
	file string
	// signatures are the IDs that use it, among others yet to come.
	signatures string
}

// snapshotParts are the parts in the order of the capture: what moves first,
// first.
var snapshotParts = []snapshotPart{
	{record.ViewServer, "server", "PGA201 PGA205 PGA212 PGA215"},
	{record.ViewActivity, "activity", "PGA205 PGA210 PGA405 PGA406 PGA407 PGA501"},
	{record.ViewVacuuming, "progress_vacuum", "PGA206 PGA207 PGA601"},
	{record.ViewIndexing, "progress_create_index", "PGA210 PGA606"},
	{record.ViewAnalyzing, "progress_analyze", "PGA213"},
	{record.ViewRewriting, "progress_cluster", "PGA209"},
	{record.ViewPrepared, "prepared", "PGA205 PGA212"},
	{record.ViewSlots, "slots", "PGA205 PGA212"},
	{record.ViewReplication, "replication", "PGA205"},
	{record.ViewStatements, "statements",
		"PGA101 PGA102 PGA103 PGA106 PGA401 PGA402 PGA403 PGA404 PGA505 PGA510"},
	{record.ViewStatementsInfo, "statements_info", "PGA215 PGA404"},
	{record.ViewTables, "tables",
		"PGA101 PGA103 PGA108 PGA201 PGA202 PGA203 PGA204 PGA205 PGA206 PGA208 PGA209 PGA212 PGA213 PGA214 PGA215 PGA605"},
	{record.ViewIndexes, "indexes",
		"PGA101 PGA102 PGA103 PGA109 PGA207 PGA208 PGA210 PGA211 PGA214 PGA601 PGA604 PGA607"},
	{record.ViewStatioTables, "statio_tables", "PGA311 PGA510"},
	{record.ViewStatioIndex, "statio_indexes", "PGA510"},
	{record.ViewScores, "scores", "PGA203"},
	{record.ViewDatabase, "database", "PGA212 PGA215 PGA509 PGA510"},
	{record.ViewBgwriter, "bgwriter", "PGA503"},
	{record.ViewCheckpointer, "checkpointer", "PGA503"},
	{record.ViewIO, "io", "PGA503 PGA510"},
	{record.ViewWAL, "wal", "PGA505"},
	{record.ViewSettings, "settings", "PGA201 PGA203 PGA205 PGA212 PGA304 PGA401 PGA402 PGA403 PGA501 PGA503 PGA504 PGA510 PGA602"},
	{record.ViewRoleSettings, "role_settings", "PGA304 PGA602"},
}

// relation is an SQL expression for the name of what the part reads; "" where
// that is always there.
func (p *snapshotPart) relation() string {
	switch p.view {
	case record.ViewServer:
		return ""
	case record.ViewStatements, record.ViewStatementsInfo:
		return "format('%I." + string(p.view) + "', :'statements_schema')"
	}
	return "'pg_catalog." + string(p.view) + "'"
}

// snapshotText is a file of the folder.
func snapshotText(file string) string {
	text, err := snapshotFiles.ReadFile("snapshot/" + file)
	if err != nil {
		panic(err) // every name is a constant, and TestSnapshotScript reads all
	}
	return string(text)
}

// doc says what the part is for.
func (p *snapshotPart) doc() string {
	for _, v := range pgstat.Views() {
		if v.View == p.view {
			return v.Doc
		}
	}
	return ""
}

// users are the signatures known that use the part.
func (p *snapshotPart) users() []string {
	var known []string
	ids := strings.Fields(p.signatures)
	for _, s := range signature.List {
		if slices.Contains(ids, s.ID) {
			known = append(known, s.ID+" "+s.Name)
		}
	}
	return known
}
