package pglog

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/source"
)

// fuzzCarrier starts from the ways of shipping that the format reads and from
// the cases of platforms.
func fuzzCarrier(f *testing.F, format source.Format) {
	for _, w := range carriers {
		if w.format.Name == format.Name {
			data, _ := shipSample(f, w)
			f.Add(data[:min(len(data), 3000)])
		}
	}
	for _, c := range shippedCases {
		if c.format == format.Name {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkFormat(t, format, data) })
}

func FuzzSyslog(f *testing.F)        { fuzzCarrier(f, Syslog) }
func FuzzHeroku(f *testing.F)        { fuzzCarrier(f, Heroku) }
func FuzzJournald(f *testing.F)      { fuzzCarrier(f, Journald) }
func FuzzDocker(f *testing.F)        { fuzzCarrier(f, Docker) }
func FuzzCRI(f *testing.F)           { fuzzCarrier(f, CRI) }
func FuzzCloudWatch(f *testing.F)    { fuzzCarrier(f, CloudWatch) }
func FuzzCloudSQL(f *testing.F)      { fuzzCarrier(f, CloudSQL) }
func FuzzAzure(f *testing.F)         { fuzzCarrier(f, Azure) }
func FuzzAzureCSV(f *testing.F)      { fuzzCarrier(f, AzureCSV) }
func FuzzCloudNativePG(f *testing.F) { fuzzCarrier(f, CloudNativePG) }
func FuzzShipperJSON(f *testing.F)   { fuzzCarrier(f, ShipperJSON) }
func FuzzShipperCSV(f *testing.F)    { fuzzCarrier(f, ShipperCSV) }
func FuzzPgBouncer(f *testing.F)     { fuzzCarrier(f, PgBouncer) }

// FuzzHalves cuts logs in two at any place.
func FuzzHalves(f *testing.F) {
	type log struct {
		format source.Format
		data   []byte
		want   []string
	}
	var logs []log
	add := func(format source.Format, data []byte) {
		d := format.Detect(headOf(data))
		logs = append(logs, log{format, data, factsOf(parseCut(d, data, len(data)))})
	}
	add(Stderr, readSample(f, "pg18-extra.log"))
	add(CSVLog, readSample(f, "localized.csv"))
	for _, w := range carriers {
		if w.format.Name == Syslog.Name || w.format.Name == CRI.Name || w.format.Name == Docker.Name {
			data, _ := shipSample(f, w)
			add(w.format, data)
		}
	}
	f.Add(0, 7000)
	f.Add(1, 50000)
	f.Fuzz(func(t *testing.T, which, at int) {
		l := logs[max(which%len(logs), 0)]
		if at <= 0 || at >= len(l.data) {
			return
		}
		if got, ok := readTwo(l.format, l.data, at); ok && !slices.Equal(got, l.want) {
			t.Fatalf("cut at %d: %s", at, firstDifference(strings.Join(l.want, "\n"), strings.Join(got, "\n")))
		}
	})
}

func FuzzTranslate(f *testing.F) {
	for _, l := range languages() {
		for _, tr := range l.messages {
			f.Add([]byte(tr.native))
		}
	}
	ws := newWorkers(&source.Head{})
	f.Fuzz(func(t *testing.T, message []byte) {
		w := &worker{workers: ws}
		if out := w.english(message); len(out) > 4*len(message)+4096 {
			t.Fatalf("%d bytes of %d", len(out), len(message))
		}
		languageOf(message)
	})
}
