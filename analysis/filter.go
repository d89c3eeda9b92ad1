package analysis

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// filtering fixes the floating times of a filter as soon as the input tells the
// zone of its log.
type filtering struct {
	filter   dataset.Filter
	timezone string
	dataset  *dataset.Dataset
	zoned    bool
}

func newFiltering(o Options, d *dataset.Dataset) *filtering {
	f := &filtering{filter: o.Filter, timezone: o.Timezone, dataset: d}
	f.fix("")
	return f
}

// see is told of each batch before it is folded.
func (f *filtering) see(b *record.Batch) {
	if !f.zoned && b.File.Zone != "" {
		f.zoned = true
		f.fix(b.File.Zone)
	}
}

func (f *filtering) fix(zone string) {
	f.dataset.Filter(f.filter.In(func(clock record.Time) record.Time {
		utc := clock
		for range 2 { // the offset is that of the instant, not of the reading
			east := zoneOffset(zone, f.timezone, utc)
			utc = clock.Add(-record.Duration(east.N) * record.Second)
		}
		return utc
	}))
}

// filterText says what a filter asked for and what it left; "" without a filter.
// bare leaves out the names and patterns that it asked for.
func filterText(k *dataset.Kept, bare bool) string {
	if k == nil {
		return ""
	}
	f := &k.Filter
	var parts []string
	if f.Since.Known {
		parts = append(parts, "since "+clockText(f.Since.Time))
	}
	if f.Until.Known {
		parts = append(parts, "until "+clockText(f.Until.Time))
	}
	for _, n := range []struct {
		name  string
		names dataset.Names
	}{
		{"database", f.Database}, {"user", f.User}, {"application", f.Application}, {"host", f.Host}, {"session", f.Session},
		{"query", dataset.Names{Only: texts(f.Query.Only), Except: texts(f.Query.Except)}},
	} {
		parts = appendNames(parts, n.name, "", n.names.Only, bare)
		parts = appendNames(parts, n.name, "not ", n.names.Except, bare)
	}
	return strings.Join(parts, ", ") + ": " + keptText(k)
}

func clockText(t record.Time) string { return t.Std().Format("2006-01-02 15:04:05.999999 UTC") }

func texts(patterns []*regexp.Regexp) []string {
	var out []string
	for _, p := range patterns {
		out = append(out, "/"+p.String()+"/")
	}
	return out
}

func appendNames(parts []string, what, not string, names []string, bare bool) []string {
	switch {
	case len(names) == 0:
		return parts
	case bare:
		return append(parts, fmt.Sprintf("%s%s (%d given)", not, what, len(names)))
	}
	return append(parts, not+what+" "+strings.Join(names, " or "))
}

func keptText(k *dataset.Kept) string {
	var parts []string
	for _, p := range []struct {
		what string
		part dataset.Part
	}{{"executions", k.Executions}, {"vacuums", k.Vacuums}, {"events", k.Events}, {"snapshot rows", k.Samples}} {
		if p.part.All > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", p.part.Kept, p.part.All, p.what))
		}
	}
	if len(parts) == 0 {
		return "nothing to choose from"
	}
	s := strings.Join(parts, ", ") + " kept"
	if k.Untold > 0 {
		s += fmt.Sprintf("; %d executions were left out since the log does not tell what was asked for", k.Untold)
	}
	return s
}
