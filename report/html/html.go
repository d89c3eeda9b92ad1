package html

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/pgassay/pgassay/report/view"
)

//go:embed assets
var assets embed.FS

// The parts of the script and of the style, in order. The licence of uPlot goes
// with it into every page.
var (
	scripts = []string{"uPlot.iife.min.js", "format.js", "axis.js", "chart_data.js", "chart_keys.js", "charts.js", "tables.js", "plans.js", "page.js"}
	styles  = []string{"uPlot.min.css", "page.css", "table.css"}
)

const licence = "uPlot.LICENSE"

// page is what assets/page.html lays out.
type page struct {
	*view.View
	Policy   string
	Style    template.CSS
	Script   template.JS
	Title    string
	Findings []section
	// MoreFindings is how many findings are left out.
	MoreFindings int
	Charts       []chart // data of the charts in Findings, by their order
	Zone         zone
	Tables       []table
	Plans        []plan
	MorePlans    int
}

// zone is what the switch of the time axis offers beside UTC.
type zone struct {
	Name   string // "CEST (UTC+02:00)"; "" without a choice
	Offset int64  // ms east of UTC
}

// Write writes v as a page. Errors are those of w.
func Write(w io.Writer, v *view.View) error {
	p := &page{View: v, Title: title(v), Zone: zoneOf(v)}
	p.Style, p.Script = template.CSS(style()), template.JS(script())
	p.Policy = policy(string(p.Style), string(p.Script))
	p.findings(v)
	p.Tables = tablesOf(v)
	p.plans(v)
	b := bufio.NewWriterSize(w, 64<<10)
	t := template.Must(template.ParseFS(assets, "assets/*.html"))
	if err := t.ExecuteTemplate(b, "page.html", p); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// title is what the tab of a browser shows: the worst finding.
func title(v *view.View) string {
	if len(v.Findings) > 0 && len(v.Incidents) > 0 {
		return "pgassay: " + view.Shorten(v.Findings[0].Title, 120)
	}
	return "pgassay: " + v.Headline
}

func zoneOf(v *view.View) zone {
	offset, name := v.Result.ZoneOffset, view.Line(v.Result.Zone)
	if !offset.Known || offset.N == 0 || offset.N < -86400 || offset.N > 86400 {
		return zone{}
	}
	minutes, sign := offset.N/60, '+'
	if minutes < 0 {
		minutes, sign = -minutes, '-'
	}
	return zone{fmt.Sprintf("%s (UTC%c%02d:%02d)", name, sign, minutes/60, minutes%60), offset.N * 1000}
}

func style() string {
	var b strings.Builder
	for _, name := range styles {
		b.WriteString(asset(name))
	}
	return b.String()
}

func script() string {
	var b strings.Builder
	b.WriteString("/*! uPlot\n" + asset(licence) + "*/\n")
	for _, name := range scripts {
		b.WriteString(asset(name))
		b.WriteByte('\n')
	}
	return b.String()
}

// asset is an embedded file; its name is one of this package's own.
func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // not built from this tree
	}
	return string(data)
}

// policy allows this style and this script only.
func policy(style, script string) string {
	return "default-src 'none'; style-src '" + hash(style) + "'; script-src '" + hash(script) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
