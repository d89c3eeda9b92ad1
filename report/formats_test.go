package report

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/internal/fixture"
	"github.com/pgassay/pgassay/report/view"
)

// fixtures are the results that every format is written from.
func fixtures() map[string]*analysis.Result {
	return map[string]*analysis.Result{
		"incident": fixture.Incident(), "healthy": fixture.Healthy(), "empty": fixture.Empty(), "hostile": fixture.Hostile(),
	}
}

// unpacked is the text of a report: of an archive that of its files.
func unpacked(t testing.TB, data []byte) string {
	t.Helper()
	if !bytes.HasPrefix(data, []byte("PK")) {
		return string(data)
	}
	var b strings.Builder
	for name, text := range archived(t, data) {
		b.WriteString(name + "\n" + text + "\n")
	}
	return b.String()
}

func archived(t testing.TB, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(text)
	}
	return out
}

func TestGoldenFormats(t *testing.T) {
	for _, name := range []string{"incident", "healthy", "empty"} {
		for _, format := range []string{"markdown", "junit", "github", "gitlab"} {
			f, _ := ByName(format)
			file := name + f.Extension
			t.Run(file, func(t *testing.T) { golden(t, file, write(t, format, fixtures()[name], DefaultOptions())) })
		}
	}
	hostile := shortHostile()
	hostile.Findings = fixture.Hostile().Findings[1:2]
	golden(t, "hostile.md", write(t, "markdown", hostile, DefaultOptions()))
	golden(t, "hostile.annotations", write(t, "github", hostile, DefaultOptions()))
}

func TestGoldenCSVFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "for it")
	if err := CSVFolder(dir, view.Build(fixture.Incident()), DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	packed := archived(t, write(t, "csv", fixture.Incident(), DefaultOptions()))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(packed) {
		t.Fatalf("%d files in the folder, %d in the archive: %v", len(entries), len(packed), err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || string(text) != packed[e.Name()] {
			t.Errorf("%s differs between folder and archive: %v", e.Name(), err)
		}
		if e.Name() != "series.csv" {
			golden(t, filepath.Join("incident.csv", e.Name()), text)
		}
	}
}

func TestTargetOfReport(t *testing.T) {
	for arg, want := range map[string]string{
		"a.txt": "terminal a.txt", "dir/a.JSON": "json dir/a.JSON", "a.md": "markdown a.md", "a.sarif": "sarif a.sarif",
		"junit.xml": "junit junit.xml", "a.junit.xml": "junit a.junit.xml", "sarif=out.json": "sarif out.json",
		"gitlab=gl-code-quality-report.json": "gitlab gl-code-quality-report.json", "a.gitlab.json": "gitlab a.gitlab.json",
		"tables/": "csv tables/", "csv=tables": "csv tables", "a.csv.zip": "csv a.csv.zip", "x=y.json": "json x=y.json",
		"github=-": "github -",
	} {
		f, path, err := Target(arg)
		if got := f.Name + " " + path; err != nil || got != want {
			t.Errorf("%s: %s, %v", arg, got, err)
		}
	}
	for _, arg := range []string{"", "a", "a.pdf", "pdf=a", "sarif=", ".json", "a.csv"} {
		if f, _, err := Target(arg); err == nil {
			t.Errorf("%q: %s", arg, f.Name)
		}
	}
	if _, _, err := Target("a.pdf"); !strings.Contains(err.Error(), "sarif (.sarif)") {
		t.Errorf("the known formats are not named: %v", err)
	}
	f, _ := ByName("csv")
	if !f.ToFolder("tables") || f.ToFolder("a.csv.zip") {
		t.Error("folder and archive are mixed up")
	}
}

// TestHostileTextsAreHarmless looks at every format for what no text of the
// input may bring about.
func TestHostileTextsAreHarmless(t *testing.T) {
	v := view.Build(fixture.Hostile())
	for _, f := range Formats {
		var b bytes.Buffer
		if err := f.Write(&b, v, DefaultOptions()); err != nil {
			t.Fatal(err)
		}
		out := unpacked(t, b.Bytes())
		if !utf8.ValidString(out) {
			t.Errorf("%s: not UTF-8", f.Name)
		}
		for _, r := range out {
			if unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) || f.Name != "json" && (r == '\u202e' || r == '\u2028') {
				t.Errorf("%s: %q", f.Name, r)
				break
			}
		}
		if f.Name == "json" || f.Name == "html" || f.Name == "xlsx" || f.Name == "csv" {
			continue // nothing that a log shows; other tests look at their markup
		}
		for line := range strings.SplitSeq(out, "\n") {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "::") && (f.Name != "github" || strings.HasPrefix(line, "::error::") || strings.HasPrefix(line, "::error file=a,")) {
				t.Errorf("%s: a workflow command: %.80s", f.Name, line)
			}
		}
	}
}

func TestHostileMarkdownMakesNoMarkup(t *testing.T) {
	out := string(write(t, "markdown", fixture.Hostile(), DefaultOptions()))
	outside := regexp.MustCompile("(?s)(````*)sql\n.*?\n````*\n|<pre lang=\"sql\">[^<]*</pre>").ReplaceAllString(out, "")
	for _, bad := range []string{"<script", "<b>", "e](", "k](", "@octocat", " #12", "https://", "##[", "\n::", " `g`", "| h |"} {
		if strings.Contains(outside, bad) {
			t.Errorf("%q outside of a code block", bad)
		}
	}
}

func TestHostileCSVHasNoFormula(t *testing.T) {
	for name, text := range archived(t, write(t, "csv", fixture.Hostile(), DefaultOptions())) {
		r := csv.NewReader(strings.NewReader(text))
		rows, err := r.ReadAll()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if !numeric(cell) && formula(cell) {
					t.Errorf("%s: %.60q", name, cell)
				}
			}
		}
	}
}

func numeric(s string) bool {
	_, err := fmt.Sscanf(s, "%g", new(float64))
	return err == nil && strings.Trim(s, "0123456789.e+-") == ""
}

func TestJUnitAndGitLabAreWellFormed(t *testing.T) {
	for name, r := range fixtures() {
		d := xml.NewDecoder(bytes.NewReader(write(t, "junit", r, DefaultOptions())))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: junit: %v", name, err)
			}
		}
		var issues []gitlabIssue
		if err := json.Unmarshal(write(t, "gitlab", r, DefaultOptions()), &issues); err != nil {
			t.Errorf("%s: gitlab: %v", name, err)
		}
		seen := map[string]bool{}
		for _, x := range issues {
			if seen[x.Fingerprint] || x.Fingerprint == "" || x.Location.Path == "" || strings.HasPrefix(x.Location.Path, "/") ||
				strings.HasPrefix(x.Location.Path, "..") || x.Location.Lines.Begin < 1 {
				t.Errorf("%s: gitlab: %+v", name, x)
			}
			seen[x.Fingerprint] = true
		}
	}
}

// many is a result with n findings of each severity, the most severe first.
func many(n int) *analysis.Result {
	r := fixture.Incident()
	walk := r.Findings[0]
	r.Findings = nil
	for _, s := range []finding.Severity{finding.Critical, finding.Warning, finding.Info} {
		for i := range n {
			f := walk
			f.Severity, f.Series = s, nil
			f.Subject.Relation = fmt.Sprintf("public.t%d", i)
			f.Summary = strings.Repeat("long ", 400)
			r.Findings = append(r.Findings, f)
		}
	}
	return r
}

func TestMarkdownFitsAJobSummary(t *testing.T) {
	out := write(t, "markdown", many(1000), DefaultOptions())
	if len(out) > MarkdownLimit || len(out) < MarkdownLimit*9/10 {
		t.Errorf("%d bytes", len(out))
	}
	if !bytes.Contains(out, []byte("more findings: in the json")) || !bytes.Contains(out, []byte("## Coverage")) || bytes.Contains(out, []byte("## INFO")) {
		t.Error("the cut is not stated, or not at the least severe")
	}
}

func TestAnnotationsBeyondTheLimitAreCounted(t *testing.T) {
	out := string(write(t, "github", many(12), DefaultOptions()))
	for level, want := range map[string]int{"error": 10, "warning": 10, "notice": 10} {
		if n := strings.Count(out, "\n::"+level+" "); n != want {
			t.Errorf("%d of %s", n, level)
		}
	}
	for _, rest := range []string{"2 more critical findings", "2 more warnings", "3 more notices", "PGA205 vacuum-blocked was not evaluated"} {
		if !strings.Contains(out, rest) {
			t.Errorf("%q is not told", rest)
		}
	}
}

func FuzzMarkdownText(f *testing.F) {
	f.Add(fixture.Markup)
	f.Add("1. a")
	f.Fuzz(func(t *testing.T, s string) {
		out := markdownText(view.Line(s))
		if strings.HasPrefix(out, "::") || strings.ContainsAny(out, "<>|") || strings.Contains(out, "##[") || listMarker(out) >= 0 {
			t.Errorf("%q became %q", s, out)
		}
	})
}

func FuzzFormats(f *testing.F) {
	f.Add(fixture.Markup, "a/b.log")
	f.Fuzz(func(t *testing.T, s, file string) {
		r := fixture.Incident()
		x := &r.Findings[0]
		x.ID, x.Name, x.Title, x.Summary, x.Subject.Statement = s, s, s, s, s
		x.Evidence[0].Pos.File, x.Actions[0].Do, x.Evidence[0].Excerpt = file, s, s
		for _, name := range []string{"markdown", "csv", "sarif", "junit", "github", "gitlab"} {
			if out := unpacked(t, write(t, name, r, DefaultOptions())); !utf8.ValidString(out) {
				t.Errorf("%s: not UTF-8", name)
			}
		}
	})
}

func BenchmarkMarkdown(b *testing.B) { benchmark(b, "markdown") }

func BenchmarkCSV(b *testing.B) { benchmark(b, "csv") }

func BenchmarkSARIF(b *testing.B) { benchmark(b, "sarif") }
