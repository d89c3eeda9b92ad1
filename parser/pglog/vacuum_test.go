package pglog

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

var some = record.Some

// vacuumOf reads one entry from stderr.
func vacuumOf(t *testing.T, message string) (*record.Vacuum, *record.Batch) {
	t.Helper()
	b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [5] LOG:  "+strings.ReplaceAll(message, "\n", "\n\t")+"\n")
	if len(b.Vacuums) != 1 {
		t.Fatalf("%d vacuums in %q", len(b.Vacuums), message)
	}
	v := &b.Vacuums[0]
	v.Pos, v.LogTime, v.ProcessID = record.Pos{}, 0, 0
	return v, b
}

// vacuumLayout is an entry and what it says.
type vacuumLayout struct {
	message string
	want    record.Vacuum
}

// layout10 is of versions 10 to 13.
var layout10 = vacuumLayout{`automatic vacuum of table "shop.public.orders": index scans: 1
pages: 0 removed, 18 remain, 2 skipped due to pins, 3 skipped frozen
tuples: 65 removed, 425 remain, 7 are dead but not yet removable, oldest xmin: 504
buffer usage: 72 hits, 10 misses, 1 dirtied
avg read rate: 115.059 MB/s, avg write rate: 11.506 MB/s
system usage: CPU: user: 0.25 s, system: 0.50 s, elapsed: 85.08 s`, record.Vacuum{
	Kind: record.KindVacuum, Database: "shop", Schema: "public", Relation: "orders", IndexScans: 1,
	PagesRemoved: some(0), PagesRemain: some(18), PagesSkippedPins: some(2), PagesSkippedFrozen: some(3),
	TuplesRemoved: some(65), TuplesRemain: some(425), TuplesNotRemovable: some(7), RemovableCutoff: some(504),
	BufferHits: some(72), BufferMisses: some(10), BufferDirtied: some(1),
	CPUUser: 250000, CPUSystem: 500000, Elapsed: 85080000, HasElapsed: true,
}}

// layout14 is of version 14, bypassed by the failsafe.
var layout14 = vacuumLayout{`automatic aggressive vacuum to prevent wraparound of table "shop.public.orders": index scans: 0
pages: 0 removed, 18 remain, 0 skipped due to pins, 0 skipped frozen
tuples: 0 removed, 425 remain, 0 are dead but not yet removable, oldest xmin: 504
index scan bypassed by failsafe: 2 pages from table (1.57% of total) have 44 dead item identifiers
I/O timings: read: 12.500 ms, write: 0.001 ms
WAL usage: 133 records, 1 full page images, 16554 bytes`, record.Vacuum{
	Kind: record.KindVacuum, Database: "shop", Schema: "public", Relation: "orders", Aggressive: true, ToPreventWraparound: true,
	IndexScan: record.IndexScanBypassedByFailsafe, PagesRemoved: some(0), PagesRemain: some(18), PagesSkippedPins: some(0), PagesSkippedFrozen: some(0),
	TuplesRemoved: some(0), TuplesRemain: some(425), TuplesNotRemovable: some(0), RemovableCutoff: some(504),
	DeadItemPages: some(2), DeadItems: some(44), IOReadTime: 12500, IOWriteTime: 1, HasIOTime: true,
	WALRecords: some(133), WALFPI: some(1), WALBytes: some(16554),
}}

// layout18 is of version 18 with every line that an older version shares.
var layout18 = vacuumLayout{`automatic vacuum of table "shop.public.orders": index scans: 2
pages: 0 removed, 127 remain, 100 scanned (78.74% of total), 4 eagerly scanned
tuples: 1 removed, 20000 remain, 0 are dead but not yet removable
tuples missed: 9 dead from 3 pages not removed due to cleanup lock contention
removable cutoff: 762, which was 3 XIDs old when operation ended
new relfrozenxid: 755, which is 3 XIDs ahead of previous value
new relminmxid: 5, which is 4 MXIDs ahead of previous value
frozen: 11 pages from table (8.66% of total) had 12 tuples frozen
visibility map: 125 pages set all-visible, 13 pages set all-frozen (14 were all-visible)
index scan needed: 7 pages from table (5.51% of total) had 65 dead item identifiers removed
index "orders_pkey": pages: 57 in total, 1 newly deleted, 2 currently deleted, 3 reusable
index "a": pages: "b": pages: 5 in total, 0 newly deleted, 0 currently deleted, 0 reusable
delay time: 1.104 ms
buffer usage: 335 hits, 6 reads, 1 dirtied
WAL usage: 127 records, 1 full page images, 15882 bytes, 8 buffers full
system usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.01 s`, record.Vacuum{
	Kind: record.KindVacuum, Database: "shop", Schema: "public", Relation: "orders", IndexScans: 2, IndexScan: record.IndexScanNeeded,
	PagesRemoved: some(0), PagesRemain: some(127), PagesScanned: some(100), PagesEagerlyScanned: some(4),
	TuplesRemoved: some(1), TuplesRemain: some(20000), TuplesNotRemovable: some(0), TuplesMissed: some(9),
	RemovableCutoff: some(762), CutoffAge: some(3), NewRelfrozenxid: some(755), PagesFrozen: some(11), TuplesFrozen: some(12),
	PagesSetAllVisible: some(125), PagesSetAllFrozen: some(13), PagesWereAllVisible: some(14), DeadItemPages: some(7), DeadItems: some(65),
	Indexes: []record.VacuumIndex{
		{Name: "orders_pkey", Pages: 57, NewlyDeleted: 1, Deleted: 2, Reusable: 3, Line: 11},
		{Name: `a": pages: "b`, Pages: 5, Line: 12},
	},
	DelayTime: 1104, HasDelay: true, BufferHits: some(335), BufferMisses: some(6), BufferDirtied: some(1),
	WALRecords: some(127), WALFPI: some(1), WALBytes: some(15882), Elapsed: 10000, HasElapsed: true,
}}

// layoutAnalyze10 is of an analyze before version 14.
var layoutAnalyze10 = vacuumLayout{`automatic analyze of table "shop.public.orders" system usage: CPU: user: 0.01 s, system: 0.00 s, elapsed: 0.12 s`, record.Vacuum{
	Kind: record.KindAnalyze, Database: "shop", Schema: "public", Relation: "orders",
	CPUUser: 10000, Elapsed: 120000, HasElapsed: true,
}}

// layoutAnalyze14 is of an analyze whose lines of figures are missing.
var layoutAnalyze14 = vacuumLayout{`automatic analyze of table "shop.public.events_2026.01"`, record.Vacuum{
	Kind: record.KindAnalyze, Database: "shop", Schema: "public", Relation: "events_2026.01",
}}

func TestVacuumOfEveryLayout(t *testing.T) {
	for _, test := range [...]vacuumLayout{layout10, layout14, layout18, layoutAnalyze10, layoutAnalyze14} {
		v, b := vacuumOf(t, test.message)
		if !reflect.DeepEqual(*v, test.want) {
			t.Errorf("%s\n got %+v\nwant %+v", test.message, *v, test.want)
		}
		if len(b.Losses) != 0 || b.Understood != 1 {
			t.Errorf("%s: %+v", test.message, b.Losses)
		}
	}
}

// A line that is not known costs itself; the order of the lines does not
// matter.
func TestVacuumLinesNotKnown(t *testing.T) {
	v, b := vacuumOf(t, `automatic vacuum of table "shop.public.orders": index scans: 0
system usage: CPU 0.00s/0.00u sec elapsed 0.00 sec
memory usage: dead item storage 0.02 MB accumulated across 0 resets
buffer usage: 72 hits, 10 misses, 1 dirtied, 4 wrapped
pages: many
tuples: 65 removed, 425 remain, 7 are dead but not yet removable, oldest xmin: 504`)
	if v.BufferHits != record.Some(72) || v.TuplesRemoved != record.Some(65) || v.HasElapsed || v.PagesRemoved.Known {
		t.Errorf("%+v", v)
	}
	if len(b.Losses) != 1 || b.Losses[0].Kind != record.LossVacuum || b.Losses[0].Count != 4 || b.Losses[0].Pos.Line != 2 {
		t.Errorf("%+v", b.Losses)
	}
}
