package signature

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// hygiene builds models for the signatures of vacuum and bloat: times are
// seconds after an arbitrary start.
type hygiene struct {
	t     *testing.T
	batch record.Batch
}

const hygieneStart = record.Time(1_800_000_000_000_000)

func second(s float64) record.Time { return hygieneStart.Add(record.Duration(s * 1e6)) }

// sample adds a row of a view from "name=value" pairs.
func (h *hygiene) sample(view record.View, at record.Time, pairs ...string) {
	names := make([]string, len(pairs))
	values := make([]record.Value, len(pairs))
	for i, p := range pairs {
		n, v, _ := strings.Cut(p, "=")
		names[i], values[i] = n, record.Value{Text: v, Valid: v != ""}
	}
	h.batch.Samples = append(h.batch.Samples, record.Sample{View: view, CapturedAt: at, TimeSource: record.TimeColumn,
		Pos:     record.Pos{File: string(view) + ".csv", Line: int64(len(h.batch.Samples) + 1), Offset: int64(len(h.batch.Samples))},
		Columns: record.NewColumns(names), Values: values})
}

// table adds a capture of public.t.
func (h *hygiene) table(at float64, live, dead, ins, upd, hot, del, vacuums int) {
	h.sample(record.ViewTables, second(at), "schemaname=public", "relname=t", kv("n_live_tup", live), kv("n_dead_tup", dead),
		kv("n_tup_ins", ins), kv("n_tup_upd", upd), kv("n_tup_hot_upd", hot), kv("n_tup_del", del), kv("autovacuum_count", vacuums))
}

// withColumn adds a column to a row.
func withColumn(s *record.Sample, name string, n int) (*record.Columns, []record.Value) {
	return record.NewColumns(append(append([]string{}, s.Columns.Names...), name)),
		append(append([]record.Value{}, s.Values...), record.Value{Text: strconv.Itoa(n), Valid: true})
}

func kv(name string, n int) string { return name + "=" + strconv.Itoa(n) }

// index adds a capture of an index of public.t.
func (h *hygiene) index(at float64, name string, pages int, more ...string) {
	h.sample(record.ViewIndexes, second(at), append([]string{"schemaname=public", "relname=t", "indexrelname=" + name, kv("index_size", pages*8192)}, more...)...)
}

// activity adds a row of pg_stat_activity of a transaction open since start.
func (h *hygiene) activity(at, start float64, pid, xmin int, app, query string, more ...string) {
	h.sample(record.ViewActivity, second(at), append([]string{kv("pid", pid), "application_name=" + app, "usename=u", "state=idle in transaction",
		"backend_type=client backend", "xact_start=" + second(start).Std().Format("2006-01-02T15:04:05.999999Z"), kv("backend_xmin", xmin), "query=" + query}, more...)...)
}

// vacuum adds a log line of public.<relation>.
func (h *hygiene) vacuum(at float64, relation string, removed, left, cutoff, age int) *record.Vacuum {
	h.batch.Vacuums = append(h.batch.Vacuums, record.Vacuum{Pos: record.Pos{File: "log", Line: int64(len(h.batch.Vacuums) + 1)},
		LogTime: second(at), Kind: record.KindVacuum, Database: "db", Schema: "public", Relation: relation, IndexScans: 1,
		TuplesRemoved: record.Some(int64(removed)), TuplesRemain: record.Some(int64(100_000 + left)), TuplesNotRemovable: record.Some(int64(left)),
		RemovableCutoff: record.Some(int64(cutoff)), CutoffAge: record.Some(int64(age)), Elapsed: record.Second, HasElapsed: true})
	return &h.batch.Vacuums[len(h.batch.Vacuums)-1]
}

func (h *hygiene) run(s *Signature) *Pass {
	h.t.Helper()
	d := dataset.New(dataset.DefaultLimits(), func(text []byte) *record.Statement {
		command, _, _ := strings.Cut(string(text), " ")
		return &record.Statement{Fingerprint: string(text), Normalized: string(text), Command: command}
	})
	d.Fold(&h.batch)
	return Run(d.Build(), []*Signature{s}, nil)
}

func (h *hygiene) one(s *Signature) finding.Finding {
	h.t.Helper()
	p := h.run(s)
	if len(p.Findings) != 1 {
		h.t.Fatalf("%d findings of %s, want 1; not evaluated: %v", len(p.Findings), s.ID, p.NotEvaluated)
	}
	return p.Findings[0]
}

func (h *hygiene) silent(s *Signature) {
	h.t.Helper()
	p := h.run(s)
	for _, f := range p.Findings {
		h.t.Errorf("%s says %q, must stay silent", s.ID, f.Title)
	}
	if len(p.Evaluated) != 1 {
		h.t.Errorf("%s not evaluated: %v", s.ID, p.NotEvaluated)
	}
}

func (h *hygiene) lacks(s *Signature, part string) {
	h.t.Helper()
	p := h.run(s)
	if len(p.NotEvaluated) != 1 || !strings.Contains(p.NotEvaluated[0].Lacks, part) || !strings.Contains(p.NotEvaluated[0].Lacks, "in input") {
		h.t.Errorf("%s: not evaluated %v, want lack of %q", s.ID, p.NotEvaluated, part)
	}
}

// load reads the trimmed captures and vacuum lines of a real run up to a time
// of its day ("" for all of it).
func (h *hygiene) load(name, until string) {
	for file, view := range map[string]record.View{"tables": record.ViewTables, "indexes": record.ViewIndexes, "activity": record.ViewActivity} {
		header, rows := h.tsv(name, file)
		for _, row := range rows {
			at, ok := record.ParseTime(row[0])
			if !ok {
				h.t.Fatalf("%s/%s: bad time %q", name, file, row[0])
			}
			if until != "" && row[0][11:] > until {
				continue
			}
			pairs := make([]string, len(row))
			for i := range row {
				pairs[i] = header[i] + "=" + row[i]
			}
			h.sample(view, at, pairs...)
		}
	}
	_, rows := h.tsv(name, "vacuums")
	for i, r := range rows {
		if until == "" || r[0][11:] <= until {
			h.batch.Vacuums = append(h.batch.Vacuums, h.realVacuum(i, r))
		}
	}
}

func (h *hygiene) realVacuum(i int, r []string) record.Vacuum {
	at, _ := record.ParseTime(r[0])
	n := func(k int) int64 {
		v, err := strconv.ParseInt(r[k], 10, 64)
		if err != nil {
			h.t.Fatal(err)
		}
		return v
	}
	v := record.Vacuum{Pos: record.Pos{File: "log", Line: int64(i + 1)}, LogTime: at, Kind: record.KindVacuum, Database: "postgres", Schema: "public", Relation: r[1],
		TuplesRemoved: record.Some(n(2)), TuplesRemain: record.Some(n(3)), TuplesNotRemovable: record.Some(n(4)), RemovableCutoff: record.Some(n(5)),
		CutoffAge: record.Some(n(6)), DeadItems: record.Some(n(7)), PagesRemain: record.Some(n(8)), Elapsed: record.Duration(n(9)) * record.Millisecond, HasElapsed: true}
	for _, x := range strings.Split(r[10], ",") {
		if name, pages, ok := strings.Cut(x, ":"); ok {
			p, _ := strconv.ParseInt(pages, 10, 64)
			v.Indexes = append(v.Indexes, record.VacuumIndex{Name: name, Pages: p})
			v.IndexScans = 1
		}
	}
	return v
}

func (h *hygiene) tsv(name, file string) (header []string, rows [][]string) {
	f, err := os.Open(filepath.Join("testdata", "hygiene", name, file+".tsv"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		row := strings.Split(s.Text(), "\t")
		if header == nil {
			header = row
			continue
		}
		rows = append(rows, row)
	}
	return header, rows
}

func figure(t *testing.T, f finding.Finding, what string) finding.Figure {
	t.Helper()
	for _, g := range f.Figures {
		if strings.HasPrefix(g.What, what) {
			return g
		}
	}
	t.Fatalf("no figure %q in %v", what, f.Figures)
	return finding.Figure{}
}

func wantText(t *testing.T, what string, got any, parts ...string) {
	t.Helper()
	s := fmt.Sprint(got)
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("%s = %s, want %q in it", what, s, p)
		}
	}
}
