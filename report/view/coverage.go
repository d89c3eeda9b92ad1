package view

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Input is one file, or several of one kind in one folder ("snapshots/*.csv").
type Input struct {
	Name   string
	Format string // format, prefix, zone, version
	Read   string // how much of it, of which time, and whether it was understood
	Kinds  string // what was in it: "plans 8,585, vacuums 3"
}

// Loss is a piece of input that was not understood, or a cap that was hit.
type Loss struct {
	Place, Kind, Text string
	Count             int64
}

// String is "3 × unreadable plan (expected …)".
func (l Loss) String() string {
	s := l.Kind
	if l.Count > 1 {
		s = Count(l.Count) + " × " + s
	}
	if l.Text != "" {
		s += " (" + l.Text + ")"
	}
	return s
}

func (v *View) losses() {
	for _, l := range v.Result.Losses {
		switch l.Kind {
		case record.LossCap:
			v.Caps += max(l.Count, 1)
		case record.LossLanguage, record.LossTime, record.LossPrefix:
		default:
			v.Unreadable += max(l.Count, 1)
		}
		v.Losses = append(v.Losses, Loss{place(l.Pos), Line(string(l.Kind)), Line(l.Text), max(l.Count, 1)})
	}
}

func place(p record.Pos) string {
	if p.Line <= 0 {
		return Line(p.File)
	}
	return Line(p.String())
}

// foldFrom is the number of log files of one kind in one folder from which they
// are told as one; snapshots are from two.
const foldFrom = 5

// group is inputs of one kind; it is folded when there are enough of them.
type inputGroup struct {
	dir, ext string
	inputs   []*analysis.Input
	lost     int64
}

func foldInputs(r *analysis.Result, clock Clock) []Input {
	lost := map[string]int64{}
	for _, l := range r.Losses {
		lost[l.Pos.File] += max(l.Count, 1)
	}
	index := map[string]int{}
	var groups []inputGroup
	for i := range r.Inputs {
		in := &r.Inputs[i]
		dir, ext := source.Folder(in.Name), extension(path.Base(strings.ReplaceAll(in.Name, source.MemberMark, "/")))
		detail := in.Detail
		if in.View != "" {
			detail = "snapshot"
		}
		key := strings.Join([]string{dir, ext, in.Format, detail, in.Version}, "\x00")
		at, ok := index[key]
		if !ok {
			at = len(groups)
			index[key] = at
			groups = append(groups, inputGroup{dir: dir, ext: ext})
		}
		groups[at].inputs = append(groups[at].inputs, in)
		groups[at].lost += lost[in.Name]
	}
	var out []Input
	for i := range groups {
		out = append(out, groups[i].rows(lost, clock)...)
	}
	return out
}

func (g *inputGroup) rows(lost map[string]int64, clock Clock) []Input {
	if n := len(g.inputs); n >= foldFrom || n > 1 && g.inputs[0].View != "" {
		return []Input{g.folded(clock)}
	}
	var out []Input
	for _, in := range g.inputs {
		out = append(out, Input{Line(in.Name), formatLine(in), readLine(in, lost[in.Name], clock), Kinds(in.Kinds)})
	}
	return out
}

func (g *inputGroup) folded(clock Clock) Input {
	first := g.inputs[0]
	sum := analysis.Input{First: record.NoTime, Last: record.NoTime}
	views := map[record.View]bool{}
	for _, in := range g.inputs {
		sum.Bytes += in.Bytes
		sum.Lines += in.Lines
		sum.Entries += in.Entries
		sum.Understood += in.Understood
		sum.Samples += in.Samples
		sum.First, sum.Last = earlier(sum.First, in.First), max(sum.Last, in.Last)
		sum.Kinds = addKinds(sum.Kinds, in.Kinds)
		if in.View != "" {
			views[in.View] = true
		}
	}
	sum.Snapshots, sum.Interval = g.snapshots()
	name := folderPrefix(g.dir) + "*" + g.ext
	kind := formatLine(first)
	if len(views) > 0 {
		kind = Line(first.Format) + ", " + viewNames(views)
	}
	return Input{
		Name:   Line(name),
		Format: kind,
		Read:   Count(int64(len(g.inputs))) + " files, " + readLine(&sum, g.lost, clock),
		Kinds:  Kinds(sum.Kinds),
	}
}

// snapshots counts the captures of the view that has most, and gives their
// distance where all views agree on it: an export may write a file per view, per
// capture, or both.
func (g *inputGroup) snapshots() (int64, record.Duration) {
	captures, most := map[record.View][]record.Time{}, int64(0)
	for _, in := range g.inputs {
		captures[in.View] = append(captures[in.View], in.Captures...)
	}
	intervals := map[record.Duration]bool{}
	interval := record.Duration(0)
	for _, seconds := range captures {
		times, distance := analysis.Captures(seconds)
		most = max(most, int64(len(times)))
		interval = distance
		intervals[distance] = true
	}
	if len(intervals) > 1 {
		interval = 0
	}
	return most, interval
}

// folderPrefix is what stands before the names of the files in a folder.
func folderPrefix(dir string) string {
	archive, top := strings.CutSuffix(dir, source.MemberMark+".")
	switch {
	case top:
		return archive + source.MemberMark
	case dir == ".":
		return ""
	}
	return strings.TrimSuffix(dir, "/") + "/"
}

func viewNames(views map[record.View]bool) string {
	names := make([]string, 0, len(views))
	for v := range views {
		names = append(names, Line(string(v)))
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// extension is everything after the first dot of a compressed name's last two:
// ".csv.gz".
func extension(name string) string {
	ext := path.Ext(name)
	switch ext {
	case ".gz", ".zst", ".bz2", ".xz", ".lz4":
		return path.Ext(strings.TrimSuffix(name, ext)) + ext
	}
	return ext
}

func formatLine(in *analysis.Input) string {
	var parts []string
	for _, p := range []string{in.Format, in.Detail, in.Zone, Server(in.Version)} {
		if p = Line(p); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

func readLine(in *analysis.Input, lost int64, clock Clock) string {
	parts := []string{Quantity(float64(in.Bytes), "bytes")}
	if in.Lines > 0 {
		parts = append(parts, Counted(in.Lines, "line", "lines"))
	}
	if in.Samples > 0 {
		parts = append(parts, Counted(in.Snapshots, "snapshot", "snapshots"))
		if in.Interval > 0 {
			parts = append(parts, "every "+Span(in.Interval))
		}
	}
	if Known(in.First) && Known(in.Last) {
		parts = append(parts, clock.At(in.First)+" to "+clock.At(in.Last))
	}
	return strings.Join(append(parts, understood(in, lost)), ", ")
}

// Kinds is "plans 8,585, vacuums 3".
func Kinds(kinds []parser.KindCount) string {
	parts := make([]string, 0, len(kinds))
	for _, k := range kinds {
		parts = append(parts, Line(k.Kind)+" "+Count(k.Count))
	}
	return strings.Join(parts, ", ")
}

// addKinds sums two lists by kind; kinds that only the second has come last.
func addKinds(sum, more []parser.KindCount) []parser.KindCount {
	for _, k := range more {
		i := slices.IndexFunc(sum, func(s parser.KindCount) bool { return s.Kind == k.Kind })
		if i < 0 {
			sum = append(sum, k)
			continue
		}
		sum[i].Count += k.Count
	}
	return sum
}

// earlier is the earlier of two times, of which either may be unknown.
func earlier(a, b record.Time) record.Time {
	if !Known(a) || Known(b) && b < a {
		return b
	}
	return a
}

func understood(in *analysis.Input, lost int64) string {
	switch {
	case in.Entries+in.Samples == 0 && lost == 0:
		return "nothing in it"
	case in.Understood >= in.Entries && lost == 0:
		return "all understood"
	case in.Understood >= in.Entries:
		return Counted(lost, "loss", "losses")
	}
	s := Count(in.Understood) + " of " + Count(in.Entries) + " entries understood"
	if lost > 0 {
		s += ", " + Counted(lost, "loss", "losses")
	}
	return s
}
