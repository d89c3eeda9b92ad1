package xlsx

import (
	"fmt"
	"io"
	"sort"

	"github.com/pgassay/pgassay/report/view"
	"github.com/xuri/excelize/v2"
)

// Sheets in order. The optional ones are left out when they have no
// row.
const (
	summarySheet     = "Summary"
	findingsSheet    = "Findings"
	figuresSheet     = "Figures"
	attributionSheet = "Attribution"
	evidenceSheet    = "Evidence"
	statementsSheet  = "Statements"
	tablesSheet      = "Tables"
	indexesSheet     = "Indexes"
	plansSheet       = "Plans"
	vacuumsSheet     = "Vacuum timeline"
	eventsSheet      = "Events"
	seriesSheet      = "Series"
	inputsSheet      = "Inputs"
	lossesSheet      = "Losses"
	signaturesSheet  = "Signatures"
)

// book is the workbook being written. The first error stops all further work.
type book struct {
	file   *excelize.File
	styles styles
	view   *view.View
	places *places
	// charts is the cell of each finding's first chart, "" if it has none.
	charts []string
	// triggers is the cell of each table's chart of dead rows.
	triggers map[string]string
	err      error
}

// Write writes v as a workbook. Sheets are streamed: memory holds their
// compressed parts, and large sheets pass through files in os.TempDir. Errors
// are those of w, of these files and of the workbook library.
func Write(w io.Writer, v *view.View) error {
	b := &book{file: excelize.NewFile(), view: v, charts: make([]string, len(v.Findings)), triggers: map[string]string{}}
	defer func() { _ = b.file.Close() }() // removes its files: nothing to lose
	b.file.SetZipWriter(newSortedZip)
	b.keep(b.file.SetSheetName("Sheet1", summarySheet))
	b.styles = b.newStyles()
	b.find()
	series := b.collect()
	b.summary()
	for _, t := range []*table{
		b.findings(), b.figures(), b.attribution(), b.evidence(), b.statements(), b.relations(), b.indexes(), b.plans(), b.vacuums(), b.events(),
	} {
		b.table(t)
	}
	series.write()
	for _, t := range []*table{b.inputs(), b.losses(), b.signatures()} {
		b.table(t)
	}
	b.properties()
	if b.err == nil {
		_, b.err = b.file.WriteTo(w)
	}
	if b.err != nil {
		return fmt.Errorf("write workbook: %w", b.err)
	}
	return nil
}

// keep remembers the first error.
func (b *book) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// properties fixes what would otherwise differ from run to run: the workbook is
// dated by its data.
func (b *book) properties() {
	at := "2000-01-01T00:00:00Z"
	if to := b.view.Result.To; view.Known(to) {
		at = to.Std().Format("2006-01-02T15:04:05Z")
	}
	b.keep(b.file.SetDocProps(&excelize.DocProperties{
		Creator: "pgassay", LastModifiedBy: "pgassay", Title: "pgassay report", Created: at, Modified: at,
	}))
	b.file.SetActiveSheet(0)
	// The library adds the content types of images in the order of a map.
	if t := b.file.ContentTypes; t != nil {
		sort.Slice(t.Defaults, func(i, j int) bool { return t.Defaults[i].Extension < t.Defaults[j].Extension })
	}
}
