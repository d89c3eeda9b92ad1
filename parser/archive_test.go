package parser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pgassay/pgassay/parser/record"
)

const archivedLog = "2026-11-30 14:17:31.150 UTC [7] app@shop LOG:  duration: 12.500 ms  statement: select 1\n" +
	"2026-11-30 14:17:32.150 UTC [7] app@shop ERROR:  relation \"grün\" does not exist\n" +
	"2026-11-30 14:17:32.150 UTC [7] app@shop STATEMENT:  select *\n\tfrom grün\n"

func tarGz(t *testing.T, files map[string]string, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(files[name])), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func reportOf(t *testing.T, name string, data []byte) *Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Stream(context.Background(), []string{path}, Options{}, func(*record.Batch) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Files {
		r.Files[i].Name = strings.TrimPrefix(r.Files[i].Name, filepath.ToSlash(filepath.Dir(path))+"/")
	}
	return r
}

func TestMembersOfAnArchiveAreInputs(t *testing.T) {
	files := map[string]string{"z/b.log": archivedLog, "a.log": archivedLog, "photo.png": "\x89PNG\x00\x00", "empty.log": ""}
	r := reportOf(t, "logs.tar.gz", tarGz(t, files, "z/b.log", "a.log", "photo.png", "empty.log"))
	want := []string{
		`logs.tar.gz!a.log "stderr" 1`, `logs.tar.gz!empty.log "empty" 0`, `logs.tar.gz!photo.png "" 0`, `logs.tar.gz!z/b.log "stderr" 1`,
	}
	var got []string
	for _, f := range r.Files {
		got = append(got, fmt.Sprintf("%s %q %d", f.Name, f.Format, f.Executions))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if l := r.Files[2].Losses; len(l) != 1 || l[0].Kind != record.LossFile {
		t.Errorf("the picture: %v", l)
	}
}

func TestArchiveThatIsCutIsUsedUpToThere(t *testing.T) {
	files := map[string]string{"a.log": strings.Repeat(archivedLog, 3000)}
	data := tarGz(t, files, "a.log")
	r := reportOf(t, "logs.tgz", data[:len(data)*3/4])
	f := r.Files[0]
	if len(r.Files) != 1 || f.Executions == 0 || len(f.Losses) == 0 || f.Losses[len(f.Losses)-1].Kind != record.LossTruncated {
		t.Errorf("%d files, %d executions, %v", len(r.Files), f.Executions, f.Losses)
	}
}

func TestOneLogInAnyEncodingIsOneLog(t *testing.T) {
	utf := func(text string, order [2]int) []byte {
		var b []byte
		for _, u := range utf16.Encode([]rune(text)) {
			pair := [2]byte{byte(u), byte(u >> 8)}
			b = append(b, pair[order[0]], pair[order[1]])
		}
		return b
	}
	little, big := [2]int{0, 1}, [2]int{1, 0}
	crlf := strings.ReplaceAll(archivedLog, "\n", "\r\n")
	want := reportOf(t, "a.log", []byte(archivedLog)).Files[0]
	for name, data := range map[string][]byte{
		"carriage returns": []byte(crlf), "byte order mark": []byte("\ufeff" + archivedLog),
		"UTF-16LE": utf("\ufeff"+crlf, little), "UTF-16BE": utf("\ufeff"+crlf, big),
		"UTF-16LE without a mark": utf(crlf, little), "UTF-16BE without a mark": utf(crlf, big),
	} {
		got := reportOf(t, "a.log", data).Files[0]
		if got.Format != want.Format || got.Executions != want.Executions || got.Entries != want.Entries ||
			got.Understood != want.Understood || got.Lines != want.Lines || len(got.Losses) != len(want.Losses) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
		}
	}
}

func TestFirstTwentyPlacesOfUnreadableLinesAreTold(t *testing.T) {
	log := strings.Repeat(archivedLog, 5) + strings.Repeat("2026-11-30 14:17:33.150 UTC [7] app@shop nonsense without a severity\n", 30)
	losses := reportOf(t, "a.log", []byte(log)).Files[0].Losses
	var places, total int64
	for i, l := range losses {
		if l.Kind != record.LossLine {
			continue
		}
		places, total = places+1, total+l.Count
		if l.Pos.Line != int64(21+i) {
			t.Errorf("place %d is line %d", i, l.Pos.Line)
		}
	}
	if places != 20 || total != 30 {
		t.Errorf("%d places of %d lines: %v", places, total, losses)
	}
}
