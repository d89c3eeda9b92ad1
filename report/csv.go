package report

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// CSV packs the files of CSVFolder into a zip archive.
func CSV(w io.Writer, v *view.View, _ Options) error {
	z := zip.NewWriter(w)
	for _, table := range csvTables {
		f, err := z.Create(table.name)
		if err != nil {
			return err
		}
		if _, err := f.Write(table.encode(v)); err != nil {
			return err
		}
	}
	return z.Close()
}

// CSVFolder writes one file per table into dir, which it makes if need be. The
// files are RFC 4180 with a header that has the units; times are RFC 3339 in
// UTC, what is not known is empty. Texts are always quoted, so that
// fingerprints stay texts; a text that a spreadsheet would take for a formula
// has an apostrophe in front.
func CSVFolder(dir string, v *view.View, _ Options) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, table := range csvTables {
		if err := replaceFile(filepath.Join(dir, table.name), table.encode(v)); err != nil {
			return err
		}
	}
	return nil
}

// replaceFile makes the file whole or leaves what was there.
func replaceFile(name string, data []byte) error {
	temporary := name + "." + strconv.Itoa(os.Getpid()) + ".tmp"
	err := os.WriteFile(temporary, data, 0o666)
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err == nil {
		return nil
	}
	if gone := os.Remove(temporary); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return fmt.Errorf("write %s: %w", name, err)
}

// csvTable is one file. rows gives each row's cells in the header's order:
// string, bool, int, int64, float64, *float64, record.Time, record.Count, or
// nil where there is nothing.
type csvTable struct {
	name   string
	header []string
	rows   func(v *view.View, row func(cells ...any))
}

func (t *csvTable) encode(v *view.View) []byte {
	var b bytes.Buffer
	for i, title := range t.header {
		csvGap(&b, i)
		csvText(&b, title)
	}
	b.WriteString("\r\n")
	t.rows(v, func(cells ...any) {
		for i, cell := range cells {
			csvGap(&b, i)
			csvCell(&b, cell)
		}
		b.WriteString("\r\n")
	})
	return b.Bytes()
}

func csvGap(b *bytes.Buffer, column int) {
	if column > 0 {
		b.WriteByte(',')
	}
}

func csvCell(b *bytes.Buffer, cell any) {
	switch c := cell.(type) {
	case string:
		csvText(b, c)
	case bool:
		b.WriteString(strconv.FormatBool(c))
	case int:
		b.WriteString(strconv.Itoa(c))
	case int64:
		b.WriteString(strconv.FormatInt(c, 10))
	case float64:
		csvNumber(b, c)
	case *float64:
		if c != nil {
			csvNumber(b, *c)
		}
	case record.Time:
		b.WriteString(view.RFC3339(c))
	case record.Count:
		if c.Known {
			b.WriteString(strconv.FormatInt(c.N, 10))
		}
	}
}

func csvNumber(b *bytes.Buffer, v float64) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	}
}

// csvText quotes a printable text. Empty texts are left out, so that they read
// as nothing.
func csvText(b *bytes.Buffer, s string) {
	if s == "" {
		return
	}
	b.WriteByte('"')
	if formula(s) {
		b.WriteByte('\'')
	}
	b.WriteString(strings.ReplaceAll(s, `"`, `""`))
	b.WriteByte('"')
}

// formula reports whether a spreadsheet may evaluate the text (OWASP, CSV
// injection), full-width forms of the signs included.
func formula(s string) bool {
	s = strings.TrimLeft(s, " ")
	for _, sign := range [...]string{"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(s, sign) {
			return true
		}
	}
	return false
}
