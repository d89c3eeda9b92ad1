package signature

import (
	"fmt"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/pglog"
	"github.com/pgassay/pgassay/parser/record"
)

// entries adds a log file with an entry every two seconds of each span.
func (h *hygiene) entries(file string, spans ...[2]float64) {
	text := ""
	for _, s := range spans {
		for at := s[0]; at < s[1]; at += 2 {
			text += fmt.Sprintf("%s [%d] LOG:  connection received: host=[local]\n", second(at).Std().Format("2006-01-02 15:04:05.000 UTC"), 1000+int(at)%7)
		}
	}
	h.log(file, pglog.Stderr, []byte(text))
	h.eventAt(spans[0][0], record.Event{Kind: record.EventReload})
	h.eventAt(spans[len(spans)-1][1], record.Event{Kind: record.EventReload})
}

// commits adds captures of pg_stat_database, one every 30 s.
func (h *hygiene) commits(from, to float64, each int) {
	n := 0
	for at := from; at < to; at += 30 {
		h.sample(record.ViewDatabase, second(at), "datname=db", kv("xact_commit", n))
		n += each
	}
}

func TestMissingFileIsAGapBetweenFiles(t *testing.T) {
	h := &hygiene{t: t}
	h.entries("postgresql-08.log", [2]float64{0, 3600})
	h.entries("postgresql-10.log", [2]float64{7200, 10800})
	f := h.one(logGap)
	wantText(t, "title", f.Title, "tells nothing for 60.0 minutes", "between postgresql-08.log and postgresql-10.log")
	if f.Severity != finding.Info || f.Confidence != finding.Likely {
		t.Errorf("%v %v without a counter", f.Severity, f.Confidence)
	}
	h.commits(3000, 8000, 500)
	if f = h.one(logGap); f.Severity != finding.Warning || f.Confidence != finding.Confirmed {
		t.Errorf("%v %v although the server committed", f.Severity, f.Confidence)
	}
	wantText(t, "rivals", f.RuledOut, "it committed 60,000 transactions meanwhile")
}

func TestSilencesThatAreNoGap(t *testing.T) {
	for name, fill := range map[string]func(h *hygiene){
		"every night": func(h *hygiene) {
			h.entries("a.log", [2]float64{0, 3600}, [2]float64{7200, 10800}, [2]float64{14400, 18000}, [2]float64{21600, 25200})
		},
		"the server did nothing": func(h *hygiene) {
			h.entries("a.log", [2]float64{0, 3600}, [2]float64{7200, 10800})
			h.commits(3000, 8000, 0)
		},
		"the server was down": func(h *hygiene) {
			h.entries("a.log", [2]float64{0, 3600}, [2]float64{7200, 10800})
			h.eventAt(3599, record.Event{Kind: record.EventShutdown})
		},
		"two files that cover each other": func(h *hygiene) {
			h.entries("a.log", [2]float64{0, 3600}, [2]float64{7200, 10800})
			h.entries("b.log", [2]float64{3000, 8000})
		},
		"a minute and a half": func(h *hygiene) {
			h.entries("a.log", [2]float64{0, 3600}, [2]float64{3690, 10800})
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &hygiene{t: t}
			fill(h)
			h.silent(logGap)
		})
	}
	(&hygiene{t: t}).lacks(logGap, "no server log")
}

func TestClockThatWasSetBack(t *testing.T) {
	h := &hygiene{t: t}
	h.entries("a.log", [2]float64{0, 600}, [2]float64{300, 900})
	f := h.one(logGap)
	wantText(t, "title", f.Title, "Time goes back by", "in a.log")
	wantText(t, "rivals", f.RuledOut, "the step is not an hour")
}
