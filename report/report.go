package report

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/pgassay/pgassay/report/html"
	"github.com/pgassay/pgassay/report/view"
	"github.com/pgassay/pgassay/report/xlsx"
)

// Format is one output: a literal in Formats.
type Format struct {
	Name      string // for --format
	Extension string // with the dot, by which --report FILE is recognised
	Doc       string // one line for the help
	// Write lays out v. It does no I/O but w's, whose errors it returns, and
	// equal views give equal bytes.
	Write func(w io.Writer, v *view.View, o Options) error
	// WriteDir, of a format of several files, writes them into a folder, which
	// it makes if need be; nil for all others. Write packs the same files into
	// one archive.
	WriteDir func(dir string, v *view.View, o Options) error
}

// Options are what only the caller can know. Formats ignore what does not
// apply to them.
type Options struct {
	Width int  // columns of the terminal; below MinWidth counts as MinWidth
	Color bool // escape sequences for colour may be written
}

// MinWidth is the narrowest page that the terminal format lays out, in columns.
const MinWidth = 60

// DefaultOptions is a page of 80 columns without colour.
func DefaultOptions() Options { return Options{Width: 80} }

// Formats lists the outputs.
var Formats = []Format{
	{Name: "terminal", Extension: ".txt", Doc: "the report as text, for reading (default)", Write: Terminal},
	{Name: "json", Extension: ".json", Doc: "everything, for programs and baselines; schema_version 1", Write: JSON},
	{Name: "xlsx", Extension: ".xlsx", Doc: "a workbook with native charts", Write: workbook},
	{Name: "html", Extension: ".html", Doc: "a page with interactive charts, for reading offline and printing", Write: webPage},
	{Name: "markdown", Extension: ".md", Doc: "the report for tickets and job summaries, at most 1 MiB", Write: Markdown},
	{Name: "csv", Extension: ".csv.zip", Doc: "every table as CSV: an archive, or a folder with csv=DIR or DIR/", Write: CSV, WriteDir: CSVFolder},
	{Name: "sarif", Extension: ".sarif", Doc: "SARIF 2.1.0, for code scanning", Write: SARIF},
	{Name: "junit", Extension: ".xml", Doc: "JUnit, a test per signature and subject; not evaluated is skipped", Write: JUnit},
	{Name: "github", Extension: ".annotations", Doc: "annotations of GitHub Actions, for standard output", Write: GitHub},
	{Name: "gitlab", Extension: ".gitlab.json", Doc: "GitLab code quality; or gitlab=FILE.json", Write: GitLab},
}

func workbook(w io.Writer, v *view.View, _ Options) error { return xlsx.Write(w, v) }

func webPage(w io.Writer, v *view.View, _ Options) error { return html.Write(w, v) }

// ByName finds a format by its name.
func ByName(name string) (Format, bool) {
	return find(func(f *Format) bool { return f.Name == name })
}

// ByExtension finds a format by the extension of a file name; of several that
// fit, the longest counts.
func ByExtension(file string) (Format, bool) {
	name := strings.ToLower(filepath.Base(file))
	best, length := Format{}, 0
	for _, f := range Formats {
		if strings.HasSuffix(name, f.Extension) && len(f.Extension) > length && len(name) > len(f.Extension) {
			best, length = f, len(f.Extension)
		}
	}
	return best, length > 0
}

func find(match func(*Format) bool) (Format, bool) {
	for i := range Formats {
		if match(&Formats[i]) {
			return Formats[i], true
		}
	}
	return Format{}, false
}
