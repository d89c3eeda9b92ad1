package html

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report/internal/fixture"
)

// tab is a page in Chromium, with all that it complained of and asked for.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	messages []string
	requests []string
}

// browser starts Chromium. In CI it must be there: a page that nothing has
// looked at is not tested.
func browser(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.Env("TZ=America/New_York"))
	for _, flag := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		if os.Getenv("CI") != "true" {
			t.Skip("no Chromium on this machine: make deps installs it")
		}
		t.Fatalf("Chromium is needed: %v", err)
	}
	return ctx
}

// open shows the page of r in a new tab of this width.
func open(t *testing.T, ctx context.Context, r *analysis.Result, width int64) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(written(t, r)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.see); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	p.ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	address := url.URL{Scheme: "file", Path: file}
	p.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(address.String()))
	return p
}

func (p *tab) see(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		p.messages = append(p.messages, fmt.Sprint(e.Type, e.Args))
	case *runtime.EventExceptionThrown:
		p.messages = append(p.messages, e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		p.messages = append(p.messages, e.Entry.Text)
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// quiet fails if the page wrote to the console or asked for anything but
// itself and the data in it.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.messages {
		p.t.Errorf("console: %s", m)
	}
	for _, r := range p.requests {
		if !strings.HasPrefix(r, "data:") && !strings.HasSuffix(r, "/report.html") {
			p.t.Errorf("request: %.200s", r)
		}
	}
	if len(p.requests) == 0 {
		p.t.Error("not even the page was asked for: requests are not seen")
	}
}

// inked is the number of charts whose canvas is not blank.
const inked = `(() => {
	let n = 0;
	for (const c of document.querySelectorAll("figure canvas")) {
		const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		if (d.some((v) => v !== 0)) n++;
	}
	return n;
})()`

func TestPageDrawsItsChartsQuietly(t *testing.T) {
	chromium := browser(t)
	for name, c := range map[string]struct {
		result *analysis.Result
		charts int
	}{"incident": {planned(t), 3}, "healthy": {fixture.Healthy(), 0}, "empty": {fixture.Empty(), 0}, "hostile": {fixture.Hostile(), 3}} {
		for _, width := range []int64{1280, 390} {
			t.Run(fmt.Sprint(name, "-", width), func(t *testing.T) {
				p := open(t, chromium, c.result, width)
				if n := eval[int](p, inked); n != c.charts {
					t.Errorf("%d charts drawn, want %d", n, c.charts)
				}
				if w := eval[int64](p, "document.documentElement.scrollWidth"); w > width {
					t.Errorf("the page is %d wide in a window of %d", w, width)
				}
				p.quiet()
			})
		}
	}
}

func TestEverySampleGivesASmallQuietPage(t *testing.T) {
	chromium := browser(t)
	samples, err := filepath.Glob("../../samples/*/README.md")
	if err != nil || len(samples) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, readme := range samples {
		sample := filepath.Dir(readme)
		t.Run(filepath.Base(sample), func(t *testing.T) {
			r, err := analysis.Run(context.Background(), []string{sample}, analysis.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			if n := len(written(t, r)); n > 3<<20 {
				t.Errorf("%d bytes", n)
			}
			charts := 0
			for _, f := range r.Findings {
				charts += len(f.Series)
			}
			p := open(t, chromium, r, 1280)
			if n := eval[int](p, inked); n != charts {
				t.Errorf("%d charts drawn, want %d", n, charts)
			}
			p.quiet()
		})
	}
}

func TestTableFiltersAndSorts(t *testing.T) {
	p := open(t, browser(t), planned(t), 1280)
	const visible = `document.querySelectorAll("#statements tbody tr:not([hidden])").length`
	const firstShare = `document.querySelector("#statements tbody td").textContent`
	if n := eval[int](p, visible); n != 4 {
		t.Fatalf("%d statements", n)
	}
	p.do(chromedp.SendKeys(chromedp.CSS("#statements input"), "insert ITEMS"))
	if n := eval[int](p, visible); n != 1 {
		t.Errorf("%d statements after the filter", n)
	}
	if s := eval[string](p, `document.querySelector("#statements .filter .small").textContent`); s != "1 of 4 rows" {
		t.Errorf("filter says %q", s)
	}
	button := chromedp.CSS("#statements th:first-child button")
	for _, c := range []struct{ first, order string }{{"62 %", "descending"}, {"0.001 %", "ascending"}} {
		p.do(chromedp.Click(button))
		if s := eval[string](p, firstShare); s != c.first {
			t.Errorf("%s: %q is first, want %q", c.order, s, c.first)
		}
		if s := eval[string](p, `document.querySelector("#statements th").getAttribute("aria-sort")`); s != c.order {
			t.Errorf("aria-sort is %q, want %s", s, c.order)
		}
	}
	p.quiet()
}

// The browser runs in New York; the log is in CEST.
func TestTimesAreUTCOrTheLogsNeverTheBrowsers(t *testing.T) {
	p := open(t, browser(t), planned(t), 1280)
	if minutes := eval[int](p, "new Date(2026, 0, 1).getTimezoneOffset()"); minutes != 300 {
		t.Fatalf("the browser is %d minutes west of UTC, want 300", minutes)
	}
	const first = `document.querySelector("#vacuums time").textContent`
	const labels = `timeLabels(timeTicks(charts[0].full[0], charts[0].full[1], 60000, zoneOffset()), 60000, zoneOffset())[0]`
	if s := eval[string](p, first); s != "2026-11-30 14:20:14" {
		t.Errorf("UTC: %s", s)
	}
	if s := eval[string](p, labels); s != "14:18\n2026-11-30" {
		t.Errorf("axis in UTC: %q", s)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`zoneSelect.value = "7200000"; zoneSelect.dispatchEvent(new Event("change"));`))
	if s := eval[string](p, first); s != "2026-11-30 16:20:14" {
		t.Errorf("CEST: %s", s)
	}
	if s := eval[string](p, labels); s != "16:18\n2026-11-30" {
		t.Errorf("axis in CEST: %q", s)
	}
	if s := eval[string](p, `charts[0].plot.axes[0].label`); s != "time (CEST (UTC+02:00))" {
		t.Errorf("axis says %q", s)
	}
	p.quiet()
}

func TestChartIsReadAndZoomedByKeyboard(t *testing.T) {
	p := open(t, browser(t), planned(t), 1280)
	p.do(chromedp.Focus(chromedp.CSS(".chart")), chromedp.KeyEvent("+"))
	if r := eval[float64](p, `(s => (s.max - s.min) / (charts[0].full[1] - charts[0].full[0]))(charts[0].plot.scales.x)`); r > 0.51 || r < 0.49 {
		t.Errorf("plus shows %.2f of the span, want half", r)
	}
	p.do(chromedp.KeyEvent("0"), chromedp.Evaluate[chromedp.Void](`step(charts[0], 1); step(charts[0], 1);`))
	if s := eval[string](p, `document.getElementById("said").textContent`); !strings.HasPrefix(s, "2026-11-30 14:17:") || !strings.Contains(s, "buffers/row: ") {
		t.Errorf("the cursor says %q", s)
	}
	if shown := eval[bool](p, `!charts[0].tip.hidden`); !shown {
		t.Error("no tooltip at the cursor")
	}
	p.do(chromedp.Click(chromedp.CSS(".legend button")))
	if s := eval[string](p, `document.querySelector(".legend button").getAttribute("aria-pressed") + charts[0].plot.series[1].show`); s != "falsefalse" {
		t.Errorf("after a click on its key the line is %s", s)
	}
	p.quiet()
}

func TestMouseShowsATooltipAndZooms(t *testing.T) {
	p := open(t, browser(t), planned(t), 1280)
	over := `document.querySelector(".chart .u-over")`
	p.do(chromedp.Evaluate[chromedp.Void](over + `.scrollIntoView({block: "center"})`))
	x, y := eval[float64](p, over+`.getBoundingClientRect().x`), eval[float64](p, over+`.getBoundingClientRect().y`)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x+200, y+100))
	const tip = `charts[0].tip.hidden ? "" : charts[0].tip.textContent`
	if s := eval[string](p, tip); !strings.Contains(s, "2026-11-30 14:") || !strings.Contains(s, "index pages: ") {
		t.Errorf("tooltip %q", s)
	}
	const share = `(s => (s.max - s.min) / (charts[0].full[1] - charts[0].full[0]))(charts[0].plot.scales.x)`
	p.do(chromedp.DragAndDropXY(x+200, y+100, x+400, y+100))
	if r := eval[float64](p, share); r > 0.5 {
		t.Errorf("dragging over a part shows %.2f of the span", r)
	}
	p.do(chromedp.Click(chromedp.CSS(".legend button:last-child")))
	if r := eval[float64](p, share); r != 1 {
		t.Errorf("show all shows %.2f of the span", r)
	}
	p.quiet()
}

func TestPlanTreeFoldsAndPrintingUnfolds(t *testing.T) {
	p := open(t, browser(t), planned(t), 1280)
	p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("plan-1").open = true`),
		chromedp.Click(chromedp.CSS("table.tree tr:nth-child(2) button.fold")))
	const visible = `document.querySelectorAll("table.tree tbody tr:not([hidden])").length`
	if n := eval[int](p, visible); n != 2 {
		t.Errorf("%d nodes left, want 2", n)
	}
	pdf, err := chromedp.Run(p.ctx, chromedp.PrintToPDF())
	if err != nil || len(pdf) < 10_000 {
		t.Errorf("printed %d bytes: %v", len(pdf), err)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`beforePrint()`))
	if n := eval[int](p, `document.querySelectorAll("details:not([open])").length`); n != 0 {
		t.Errorf("%d parts stay folded in print", n)
	}
	p.quiet()
}

func TestHostileTextRunsNothingInTheBrowser(t *testing.T) {
	p := open(t, browser(t), fixture.Hostile(), 1280)
	const foreign = `[...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length + document.scripts.length`
	if n := eval[int](p, foreign); n != 2 {
		t.Errorf("%d scripts and handlers, want our 2", n)
	}
	if s := eval[string](p, `document.querySelector(".finding h2").textContent`); !strings.Contains(s, "<script>alert(1)</script>") || !strings.Contains(s, `\u202e`) {
		t.Errorf("title %q", s)
	}
	if s := eval[string](p, `document.querySelector("figcaption").textContent`); !strings.Contains(s, "<script>alert(1)</script>") {
		t.Errorf("chart title %q", s)
	}
	p.quiet()
}
