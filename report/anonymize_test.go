package report

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/internal/fixture"
	"github.com/pgassay/pgassay/report/view"
)

// nameColumns are the columns of snapshots that hold names.
var nameColumns = []string{
	"datname", "schemaname", "relname", "indexrelname", "usename", "application_name", "client_addr", "client_hostname",
}

// sqlColumns are those that hold SQL.
var sqlColumns = []string{"query", "indexdef"}

// secrets are the names and literals of one sample, found without our parsers.
type secrets map[string]bool

var (
	word    = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
	literal = regexp.MustCompile(`'((?:[^']|'')+)'`)
)

func (s secrets) name(text string) {
	if strings.Trim(text, "0123456789") != "" && len(text) > 1 && !strings.HasPrefix(text, "pg_") && text != "public" && text != "postgres" && text != "information_schema" && text != "psql" {
		s[strings.ToLower(text)] = true
	}
}

func (s secrets) sql(text string) {
	for _, m := range literal.FindAllStringSubmatch(text, -1) {
		s.name(m[1])
	}
	for _, w := range word.FindAllString(literal.ReplaceAllString(text, ""), -1) {
		if len(w) > 2 {
			s.name(w)
		}
	}
}

func (s secrets) row(get func(column string) string) {
	for _, c := range nameColumns {
		s.name(get(c))
	}
	for _, c := range sqlColumns {
		s.sql(get(c))
	}
}

// secretsOf reads the snapshots of a sample: CSV, or one JSON object a line.
func secretsOf(t *testing.T, dir string) secrets {
	t.Helper()
	s := secrets{}
	files, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 { // a transcript: its one table
		s.name("items")
	}
	for _, file := range files {
		text := gunzipped(t, file)
		if strings.Contains(file, "ndjson") {
			for line := range bytes.Lines(text) {
				var row map[string]any
				if json.Unmarshal(line, &row) == nil {
					s.row(func(c string) string { v, _ := row[c].(string); return v })
				}
			}
			continue
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, row := range rows[1:] {
			s.row(func(c string) string {
				if i := slices.Index(rows[0], c); i >= 0 {
					return row[i]
				}
				return ""
			})
		}
	}
	return s
}

func gunzipped(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// vocabulary is the words that a format writes by itself: when there is no
// input, and of a result whose names TestAnonymousFixturesHaveNoName finds gone.
func vocabulary(t *testing.T, results ...*analysis.Result) map[string]map[string]bool {
	t.Helper()
	own := map[string]map[string]bool{}
	for _, f := range Formats {
		own[f.Name] = map[string]bool{}
		for _, r := range results {
			for _, w := range word.FindAllString(strings.ToLower(unpacked(t, write(t, f.Name, r, DefaultOptions()))), -1) {
				own[f.Name][w] = true
			}
		}
	}
	return own
}

// postgresWords are the words of SQL, types, functions and settings in the
// statements of the samples, and the column that every snapshot is asked for.
var postgresWords = strings.Fields(`captured_at alter always auto_explain autovacuum_vacuum_insert_threshold autovacuum_vacuum_threshold bigint
	bigserial bool cascade csv default ef_construction extension format generated header include int isolation md5 numeric primary
	real references repeat repeatable reset rollback sparsevec_l2_ops timestamptz unique vector_l2_ops
	select from where and for with order limit insert into values update set delete create table index on using group by
	as count sum coalesce generate_series now interval random returning any all not null is in between case when then else end
	desc asc begin commit vacuum analyze btree hnsw`)

func TestAnonymousReportsOfSamplesHaveNoName(t *testing.T) {
	own := vocabulary(t, fixture.Empty(), analysis.Anonymize(fixture.Incident(), analysis.Names{}),
		analysis.Anonymize(fixture.Healthy(), analysis.Names{}))
	dirs, err := filepath.Glob("../samples/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			hidden := secretsOf(t, dir)
			for _, w := range postgresWords {
				delete(hidden, w)
			}
			o := analysis.DefaultOptions()
			o.Anonymize = true
			r, err := analysis.Run(context.Background(), []string{dir}, o)
			if err != nil {
				t.Fatal(err)
			}
			v := view.Build(r)
			for _, f := range Formats {
				noneOf(t, f, v, hidden, own)
			}
		})
	}
}

// noneOf looks for each secret as a whole word.
func noneOf(t *testing.T, f Format, v *view.View, hidden secrets, own map[string]map[string]bool) {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, v, DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	out := strings.NewReplacer("dead items", "", "dead_items", "").Replace(strings.ToLower(unpacked(t, b.Bytes()))) // a unit of ours
	written := map[string]bool{}
	for _, w := range word.FindAllString(out, -1) {
		written[w] = true
	}
	for s := range hidden {
		if own[f.Name][s] || own["sarif"][s] {
			continue
		}
		if written[s] || word.FindString(s) != s && strings.Contains(out, s) {
			i := strings.Index(out, s)
			t.Errorf("%s: %q in …%s…", f.Name, s, out[max(0, i-60):min(len(out), i+60)])
		}
	}
}

// TestAnonymousReportsHaveNoParameter reads the csvlog of a PostgreSQL 18 with
// durations, parameters and plans, of 24 requests that ask for the rows of
// acme-1 to acme-16 one by one; those of acme-5 and above are empty.
func TestAnonymousReportsHaveNoParameter(t *testing.T) {
	o := analysis.DefaultOptions()
	for _, o.Anonymize = range []bool{false, true} {
		r, err := analysis.Run(context.Background(), []string{"testdata/fan-out"}, o)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.ID == "PGA402" })
		if i < 0 || !strings.Contains(strings.Join(r.Findings[i].Notes, ""), "12 parameters returned no row over the whole span") {
			t.Fatalf("no list of parameters: %+v", r.Findings)
		}
		for _, f := range Formats {
			out := strings.ToLower(unpacked(t, write(t, f.Name, r, DefaultOptions())))
			at := strings.Index(out, "acme")
			if o.Anonymize && at >= 0 {
				t.Errorf("%s: …%s…", f.Name, out[max(0, at-60):min(len(out), at+60)])
			}
			if shown := slices.Contains([]string{"json", "html", "xlsx"}, f.Name); !o.Anonymize && shown && at < 0 {
				t.Errorf("%s does not show the parameters", f.Name)
			}
		}
	}
}

// The name of a column that was measured is known from there alone.
func TestAnonymousReportsHaveNoMeasuredColumn(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sizes.csv")
	if err := os.WriteFile(file, []byte("relname,attname,p10,p90,p99\nitems,embedding,210,598,648\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := analysis.DefaultOptions()
	o.Anonymize = true
	r, err := analysis.Run(context.Background(), []string{"../samples/hnsw-page-walk", file}, o)
	if err != nil {
		t.Fatal(err)
	}
	said := false
	for _, f := range Formats {
		out := unpacked(t, write(t, f.Name, r, DefaultOptions()))
		said = said || strings.Contains(out, "pg_column_size of c")
		if at := strings.Index(out, "pg_column_size of embedding"); at >= 0 {
			t.Errorf("%s: …%s…", f.Name, out[at:min(len(out), at+60)])
		}
	}
	if !said {
		t.Error("no format tells the sizes")
	}
}

func TestAnonymousFixturesHaveNoName(t *testing.T) {
	hidden := secrets{}
	for _, s := range []string{
		"items", "items_embedding_hnsw", "queue_items", "idx_items_note", "shop", "owner_id", "tenant_id", "retries", "payload", "created_at",
	} {
		hidden.name(s)
	}
	own := vocabulary(t, fixture.Empty())
	v := view.Build(analysis.Anonymize(fixture.Incident(), analysis.Names{}))
	for _, f := range Formats {
		noneOf(t, f, v, hidden, own)
	}
}

func TestAnonymousReportsKeepTheFigures(t *testing.T) {
	plain, anonymous := fixture.Incident(), analysis.Anonymize(fixture.Incident(), analysis.Names{})
	for i := range plain.Findings {
		a, b := &plain.Findings[i], &anonymous.Findings[i]
		if a.ID != b.ID || a.Severity != b.Severity || a.Effect != b.Effect || a.Share != b.Share || len(a.Figures) != len(b.Figures) {
			t.Errorf("%s differs", a.ID)
		}
		for j := range a.Figures {
			if a.Figures[j].Value != b.Figures[j].Value || a.Figures[j].Unit != b.Figures[j].Unit {
				t.Errorf("%s: figure %d differs", a.ID, j)
			}
		}
	}
}
