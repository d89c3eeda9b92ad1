package xlsx

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
)

// sheetElements is the order in which a worksheet may hold its elements
// (ECMA-376 part 1, 18.3.1.99); programs repair, or refuse, what differs.
var sheetElements = []string{
	"sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr", "sheetProtection",
	"protectedRanges", "scenarios", "autoFilter", "sortState", "dataConsolidate", "customSheetViews", "mergeCells",
	"phoneticPr", "conditionalFormatting", "dataValidations", "hyperlinks", "printOptions", "pageMargins", "pageSetup",
	"headerFooter", "rowBreaks", "colBreaks", "customProperties", "cellWatches", "ignoredErrors", "smartTags", "drawing",
	"legacyDrawing", "legacyDrawingHF", "picture", "oleObjects", "controls", "webPublishItems", "tableParts", "extLst",
}

func TestElementsOfSheetsStandInTheirOrder(t *testing.T) {
	for name, text := range parts(t, written(t, rich())) {
		if !strings.HasPrefix(name, "xl/worksheets/sheet") {
			continue
		}
		last, previous := 0, ""
		for _, e := range children(t, text) {
			at := slices.Index(sheetElements, e)
			if at < 0 || at < last || at == last && e == previous && e != "conditionalFormatting" {
				t.Errorf("%s: %s stands after %s", name, e, previous)
			}
			last, previous = at, e
		}
	}
}

// children are the names of the elements below the root.
func children(t *testing.T, text string) []string {
	t.Helper()
	var names []string
	d, depth := xml.NewDecoder(strings.NewReader(text)), 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if depth == 1 {
				names = append(names, e.Name.Local)
			}
			depth++
		case xml.EndElement:
			depth--
		}
	}
}
