package signature

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// began is a confirmed warning about a subject that began at a second, of 1,000
// observed ones, and ended at another if that is not 0.
func began(id string, s finding.Subject, from, to float64) finding.Finding {
	o := &finding.Onset{Time: second(from), EventTime: record.NoTime, End: record.NoTime}
	if to != 0 {
		o.End = second(to)
	}
	return finding.Finding{ID: id, Severity: finding.Warning, Confidence: finding.Confirmed, Subject: s, Onset: o}
}

func but(f finding.Finding, change func(*finding.Finding)) finding.Finding {
	change(&f)
	return f
}

// The incidents are written as "PGA101(PGA106 PGA103) PGA201".
func TestOneCauseIsOneIncident(t *testing.T) {
	items := finding.Subject{Relation: "public.items", Index: "public.items_idx", Fingerprint: "insert"}
	insert, other := finding.Subject{Fingerprint: "insert"}, finding.Subject{Fingerprint: "other"}
	queue, analytics := finding.Subject{Relation: "public.queue", Session: "analytics"}, finding.Subject{Session: "analytics"}
	jobs := finding.Subject{Relation: "public.jobs", Session: "analytics"}
	weak := func(f *finding.Finding) { f.Severity = finding.Info }
	unsure := func(f *finding.Finding) { f.Confidence = finding.Possible }
	always := func(f *finding.Finding) { f.Onset = nil }
	waits := func(v finding.Verdict) func(*finding.Finding) {
		return func(f *finding.Finding) { f.RuledOut = []finding.RuledOut{{Rival: "lock waits", Verdict: v}} }
	}
	for _, c := range []struct {
		name string
		in   []finding.Finding
		want string
	}{
		{"a walk and its latency", []finding.Finding{began("PGA106", insert, 510, 0), began("PGA101", items, 500, 0)}, "PGA101(PGA106)"},
		{"latency of another statement", []finding.Finding{began("PGA101", items, 500, 0), began("PGA106", other, 510, 0)}, "PGA101 PGA106"},
		{"latency long before the walk", []finding.Finding{began("PGA101", items, 500, 0), began("PGA106", insert, 400, 0)}, "PGA101 PGA106"},
		{"latency long after its start", []finding.Finding{began("PGA101", items, 500, 0), began("PGA106", insert, 700, 0)}, "PGA101 PGA106"},
		{"a trend of the whole input", []finding.Finding{began("PGA101", items, 500, 0), but(began("PGA103", insert, 0, 0), always)}, "PGA101(PGA103)"},
		{"a trend that a walk outlived", []finding.Finding{began("PGA101", items, 100, 300), began("PGA103", insert, 600, 0)}, "PGA101 PGA103"},
		{"nobody reads the index that is walked", []finding.Finding{began("PGA101", items, 500, 0), began("PGA211", items, 10, 0)}, "PGA101(PGA211)"},
		{"nobody reads another index", []finding.Finding{began("PGA101", items, 500, 0), began("PGA211", finding.Subject{Index: "public.other"}, 10, 0)}, "PGA101 PGA211"},
		{"sawtooth, decay and threshold", []finding.Finding{began("PGA201", queue, 100, 0), but(began("PGA203", queue, 0, 0), always), began("PGA202", queue, 900, 0)}, "PGA201(PGA203 PGA202)"},
		{"decay and threshold alone", []finding.Finding{began("PGA203", queue, 900, 0), began("PGA202", queue, 900, 0)}, "PGA202(PGA203)"},
		{"threshold of another table", []finding.Finding{began("PGA202", queue, 900, 0), began("PGA203", jobs, 900, 0)}, "PGA202 PGA203"},
		{"a pinned horizon: its holder, a second table, and the sawtooth it brings", []finding.Finding{
			began("PGA205", queue, 300, 800), began("PGA205", jobs, 300, 800), began("PGA201", queue, 400, 0), began("PGA202", queue, 500, 0), began("PGA405", analytics, 300, 800)},
			"PGA205(PGA205 PGA201 PGA202 PGA405)"},
		{"a sawtooth that was there before", []finding.Finding{began("PGA205", queue, 300, 800), began("PGA201", queue, 100, 0)}, "PGA205 PGA201"},
		{"bloat after the horizon moved", []finding.Finding{began("PGA205", queue, 300, 500), began("PGA208", queue, 800, 0)}, "PGA205 PGA208"},
		{"HOT lost, then bloat", []finding.Finding{began("PGA209", queue, 600, 0), began("PGA214", queue, 500, 0)}, "PGA214(PGA209)"},
		{"bloat, then HOT lost", []finding.Finding{began("PGA209", queue, 200, 0), began("PGA214", queue, 500, 0)}, "PGA209 PGA214"},
		{"HNSW repair in a vacuum", []finding.Finding{began("PGA207", queue, 500, 600), began("PGA601", queue, 500, 600)}, "PGA601(PGA207)"},
		{"a queue for a lock behind an idle transaction", []finding.Finding{began("PGA501", queue, 320, 400), began("PGA405", analytics, 300, 0)}, "PGA405(PGA501)"},
		{"latency in a queue", []finding.Finding{began("PGA501", queue, 300, 500), but(began("PGA106", finding.Subject{Relation: "public.queue"}, 310, 0), waits(finding.NotRuledOut))}, "PGA501(PGA106)"},
		{"latency without lock waits", []finding.Finding{began("PGA501", queue, 300, 500), but(began("PGA106", finding.Subject{Relation: "public.queue"}, 310, 0), waits(finding.RuledOutVerdict))}, "PGA501 PGA106"},
		{"refused connections", []finding.Finding{began("PGA506", finding.Subject{Event: "53300"}, 300, 0), began("PGA407", finding.Subject{}, 300, 0)}, "PGA407(PGA506)"},
		{"other errors meanwhile", []finding.Finding{began("PGA506", finding.Subject{Event: "42703"}, 300, 0), began("PGA407", finding.Subject{}, 300, 0)}, "PGA506 PGA407"},
		{"a cause that costs little", []finding.Finding{began("PGA202", queue, 900, 0), but(began("PGA201", queue, 100, 0), weak)}, "PGA202 PGA201"},
		{"a cause less sure than its side", []finding.Finding{began("PGA202", queue, 900, 0), but(began("PGA201", queue, 100, 0), unsure)}, "PGA202 PGA201"},
		{"the incident stands where its worst side did", []finding.Finding{began("PGA202", queue, 900, 0), began("PGA101", items, 500, 0), began("PGA201", queue, 100, 0)}, "PGA201(PGA202) PGA101"},
	} {
		if got := incidentText(incidents(&dataset.Model{From: second(0), To: second(1000)}, c.in)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func incidentText(list []finding.Finding) string {
	var out []string
	ids := map[string]string{}
	for i := range list {
		f := &list[i]
		switch {
		case f.Cause == "":
			ids[f.Fingerprint()] = f.ID
			out = append(out, f.ID)
		case !strings.HasSuffix(out[len(out)-1], ")"):
			out[len(out)-1] += "(" + f.ID + ")"
		default:
			out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], ")") + " " + f.ID + ")"
		}
		if f.Cause != "" && !strings.HasPrefix(out[len(out)-1], ids[f.Cause]+"(") {
			return fmt.Sprintf("%s stands behind another finding than its cause", f.ID)
		}
	}
	return strings.Join(out, " ")
}

// The walk from side to cause ends: no mechanism is, over others, a side of
// itself.
func TestSidesEnd(t *testing.T) {
	causes := map[string][]string{}
	for _, s := range sides {
		for _, id := range s.IDs {
			if id != s.Of {
				causes[id] = append(causes[id], s.Of)
			}
		}
	}
	var walk func(id string, path []string)
	walk = func(id string, path []string) {
		for _, above := range path {
			if above == id {
				t.Fatalf("%v %s", path, id)
			}
		}
		for _, c := range causes[id] {
			walk(c, append(path, id))
		}
	}
	for id := range causes {
		walk(id, nil)
	}
}
