package report

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report/internal/fixture"
	"github.com/pgassay/pgassay/report/view"
)

// told is what a format says of one finding; figures it does not tell are -1.
type told struct {
	Severity      string
	Effect, Share float64
}

// TestFormatsAgree writes the same result in every format and reads it back.
func TestFormatsAgree(t *testing.T) {
	for name, r := range fixtures() {
		want := map[string]told{}
		for i := range r.Findings {
			f := &r.Findings[i]
			want[f.Fingerprint()] = told{f.Severity.String(), f.Effect, f.Share}
		}
		for format, read := range map[string]func(*testing.T, []byte) map[string]told{
			"json": toldByJSON, "sarif": toldBySARIF, "csv": toldByCSV, "xlsx": toldByXLSX, "gitlab": toldByGitLab,
		} {
			got := read(t, write(t, format, r, DefaultOptions()))
			if len(got) != len(want) {
				t.Errorf("%s in %s: %d findings, not %d", name, format, len(got), len(want))
			}
			for fingerprint, w := range want {
				g := got[fingerprint]
				if g.Effect < 0 {
					g.Effect, g.Share = w.Effect, w.Share
				}
				if g != w {
					t.Errorf("%s in %s: %s is %v, not %v", name, format, fingerprint, g, w)
				}
			}
		}
		countsAgree(t, name, r)
	}
}

// countsAgree looks at the formats that name no fingerprint.
func countsAgree(t *testing.T, name string, r *analysis.Result) {
	t.Helper()
	c := view.Build(r).Counts
	var suites junitReport
	if err := xml.Unmarshal(write(t, "junit", r, DefaultOptions()), &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Failures != c.Critical+c.Warning {
		t.Errorf("%s: %d failures in junit, not %d", name, suites.Failures, c.Critical+c.Warning)
	}
	for format, marks := range map[string][3]string{
		"terminal": {"\nCRITICAL  ", "\nWARNING   ", "\nINFO      "},
		"markdown": {"\n## CRITICAL: ", "\n## WARNING: ", "\n## INFO: "},
	} {
		out := string(write(t, format, r, DefaultOptions()))
		for i, n := range []int{c.Critical, c.Warning, c.Info} {
			if got := strings.Count(out, marks[i]); got != n {
				t.Errorf("%s: %d of %q in %s, not %d", name, got, marks[i], format, n)
			}
		}
	}
	out := string(write(t, "github", r, DefaultOptions()))
	for level, n := range map[string]int{"error": c.Critical, "warning": c.Warning} {
		if got := strings.Count(out, "\n::"+level+" file="); got != n {
			t.Errorf("%s: %d of %s in github, not %d", name, got, level, n)
		}
	}
}

// TestFiguresAgree looks for the text of every figure of the working.
func TestFiguresAgree(t *testing.T) {
	v := view.Build(fixture.Incident())
	markdown := string(write(t, "markdown", v.Result, DefaultOptions()))
	tables := archived(t, write(t, "csv", v.Result, DefaultOptions()))
	book := sheetOf(t, write(t, "xlsx", v.Result, DefaultOptions()), "Figures")
	for _, f := range v.Findings {
		for i, row := range f.Working {
			if row.Figure == "" {
				continue
			}
			if !strings.Contains(markdown, "| "+markdownText(row.Figure)+" |") {
				t.Errorf("%s: %q is not in markdown", f.ID, row.Figure)
			}
			if i < len(f.Raw.Figures) && !strings.Contains(tables["figures.csv"], `"`+row.Figure+`"`) {
				t.Errorf("%s: %q is not in csv", f.ID, row.Figure)
			}
			if !strings.Contains(fmt.Sprint(book), row.Figure) {
				t.Errorf("%s: %q is not in xlsx", f.ID, row.Figure)
			}
		}
	}
}

func toldByJSON(t *testing.T, data []byte) map[string]told {
	var doc struct {
		Findings []struct {
			Fingerprint, Severity string
			Effect, Share         float64
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]told{}
	for _, f := range doc.Findings {
		out[f.Fingerprint] = told{f.Severity, f.Effect, f.Share}
	}
	return out
}

func toldBySARIF(t *testing.T, data []byte) map[string]told {
	out := map[string]told{}
	for _, r := range sarifOf(t, data).Runs[0].Results {
		if map[string]string{"critical": "error", "warning": "warning", "info": "note"}[r.Properties.Severity] != r.Level {
			t.Errorf("%s is %s and %s", r.RuleID, r.Properties.Severity, r.Level)
		}
		out[r.PartialFingerprints["pgassay/v1"]] = told{r.Properties.Severity, r.Properties.Effect, r.Properties.Share}
	}
	return out
}

func toldByCSV(t *testing.T, data []byte) map[string]told {
	rows, err := csv.NewReader(strings.NewReader(archived(t, data)["findings.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return toldByRows(t, rows, "fingerprint", "severity", "effect_x", "share_of_time")
}

func toldByXLSX(t *testing.T, data []byte) map[string]told {
	return toldByRows(t, sheetOf(t, data, "Findings"), "Fingerprint", "Severity", "Effect (cost ÷ baseline)", "Share of time")
}

func toldByRows(t *testing.T, rows [][]string, fingerprint, severity, effect, share string) map[string]told {
	t.Helper()
	column := map[string]int{}
	for i, title := range rows[0] {
		column[title] = i
	}
	number := func(row []string, title string) float64 {
		cell := row[column[title]]
		if cell == "" {
			return 0
		}
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Errorf("%s: %v", title, err)
		}
		return v
	}
	out := map[string]told{}
	for _, row := range rows[1:] {
		out[row[column[fingerprint]]] = told{row[column[severity]], number(row, effect), number(row, share)}
	}
	return out
}

func toldByGitLab(t *testing.T, data []byte) map[string]told {
	var issues []gitlabIssue
	if err := json.Unmarshal(data, &issues); err != nil {
		t.Fatal(err)
	}
	out := map[string]told{}
	for _, x := range issues {
		if !strings.Contains(x.Description, "was not evaluated") {
			out[x.Fingerprint] = told{map[string]string{"critical": "critical", "major": "warning", "info": "info"}[x.Severity], -1, -1}
		}
	}
	return out
}

// sheetOf reads the raw cells of a sheet out of a workbook's XML.
func sheetOf(t *testing.T, data []byte, name string) [][]string {
	t.Helper()
	parts := archived(t, data)
	var sheet struct {
		Rows []struct {
			Cells []struct {
				Ref    string `xml:"r,attr"`
				Type   string `xml:"t,attr"`
				Value  string `xml:"v"`
				Inline string `xml:"is>t"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	var shared struct {
		Text []struct {
			T string `xml:"t"`
		} `xml:"si"`
	}
	parsePart(t, parts, sheetPart(t, parts, name), &sheet)
	if _, ok := parts["xl/sharedStrings.xml"]; ok {
		parsePart(t, parts, "xl/sharedStrings.xml", &shared)
	}
	var rows [][]string
	for _, r := range sheet.Rows {
		row := make([]string, 40)
		for _, c := range r.Cells {
			text := c.Value + c.Inline
			if c.Type == "s" {
				i, err := strconv.Atoi(c.Value)
				if err != nil {
					t.Fatal(err)
				}
				text = shared.Text[i].T
			}
			row[columnOfCell(c.Ref)] = text
		}
		rows = append(rows, row)
	}
	return rows
}

// columnOfCell is 27 for "AB3".
func columnOfCell(ref string) int {
	column := 0
	for _, letter := range strings.TrimRight(ref, "0123456789") {
		column = column*26 + int(letter-'A') + 1
	}
	return column - 1
}

// sheetPart is the part of the workbook that holds the sheet.
func sheetPart(t *testing.T, parts map[string]string, name string) string {
	t.Helper()
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var links struct {
		Link []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	parsePart(t, parts, "xl/workbook.xml", &book)
	parsePart(t, parts, "xl/_rels/workbook.xml.rels", &links)
	for _, s := range book.Sheets {
		for _, l := range links.Link {
			if s.Name == name && l.ID == s.ID {
				return path.Join("xl", strings.TrimPrefix(l.Target, "/xl/"))
			}
		}
	}
	t.Fatalf("no sheet %s", name)
	return ""
}

func parsePart(t *testing.T, parts map[string]string, part string, v any) {
	t.Helper()
	if err := xml.Unmarshal([]byte(parts[part]), v); err != nil {
		t.Fatalf("%s: %v", part, err)
	}
}
