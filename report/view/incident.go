package view

import (
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

// Incident is one mechanism above info, with the findings that are sides of it.
type Incident struct {
	Label string // of its most severe finding
	Lead  int    // the finding that names the mechanism, in View.Findings
	Sides []int  // in View.Findings
	// Story is the incident in one paragraph: what was felt and since when, the
	// mechanism, what it is not, how sure, and what to do first.
	Story string
}

// maxStories is how many incidents a page opens with.
const maxStories = 8

// Stories are the incidents that a page opens with, the worst first. Their
// leads are Told: the page need not repeat the summary.
func (v *View) Stories() []Incident { return v.Incidents[:min(len(v.Incidents), maxStories)] }

// What a story quotes of long lists and texts.
const (
	storyRivals = 4
	storySides  = 4
	storyAction = 240 // columns
)

// incidents gathers the findings by their cause. A side whose cause is not in
// the report, since it is suppressed, stands for itself.
func (v *View) incidents() {
	leads := map[string]int{}
	for i := range v.Findings {
		if f := v.Findings[i].Raw; f.Cause == "" {
			leads[f.Fingerprint()] = i
		}
	}
	worst, sides := make([]finding.Severity, len(v.Findings)), make([][]int, len(v.Findings))
	for i := range v.Findings {
		f := &v.Findings[i]
		lead, ok := leads[f.Raw.Cause]
		if !ok {
			lead = i
		}
		if worst[lead] = max(worst[lead], f.Raw.Severity); lead != i {
			sides[lead] = append(sides[lead], i)
			f.SideOf = v.Findings[lead].ID + " " + Line(v.Findings[lead].Raw.Name)
		}
	}
	for i := range v.Findings {
		if worst[i] > finding.Info && v.Findings[i].SideOf == "" {
			v.incident(Incident{Label: label(worst[i]), Lead: i, Sides: sides[i]})
		}
	}
}

// incident tells the next incident and marks its findings.
func (v *View) incident(x Incident) {
	f := &v.Findings[x.Lead]
	f.Told = len(v.Incidents) < maxStories
	f.Account = v.account(f, x.Sides)
	x.Story = f.Account
	if len(f.Actions) > 0 {
		x.Story += " Do first: " + firstSentences(Line(f.Actions[0].Do), storyAction)
	}
	v.Incidents = append(v.Incidents, x)
	f.Incident, f.Story = len(v.Incidents), x.Story
	for _, i := range x.Sides {
		v.Findings[i].Incident = len(v.Incidents)
	}
}

func (v *View) account(f *Finding, sides []int) string {
	felt := f.Title
	if f.Felt != "" {
		felt = f.Felt
	}
	if server := Line(f.Raw.Subject.Server); server != "" && f.Felt != "" {
		felt = "On " + server + ": " + felt
	}
	if f.Since != "" {
		felt += ", " + f.Since
	}
	parts := []string{felt + ".", f.Summary, ruledOutBeside(f), sureness(f.Raw.Confidence)}
	if names := v.sideNames(sides); names != "" {
		parts = append(parts, "Other sides of it: "+names+".")
	}
	return sentences(parts)
}

// firstSentences keeps the whole sentences that fit into width; a first one that
// does not is shortened.
func firstSentences(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	if end := strings.LastIndex(prefix(s, width), ". "); end > 0 {
		return s[:end+1]
	}
	return Shorten(s, width)
}

// sentences joins the parts that are not empty.
func sentences(parts []string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

// ruledOutBeside names what was ruled out and does not stand in the summary.
func ruledOutBeside(f *Finding) string {
	var rivals []string
	for _, r := range f.Raw.RuledOut {
		if name := Line(r.Rival); r.Verdict == finding.RuledOutVerdict && !strings.Contains(f.Summary, name) {
			rivals = append(rivals, name)
		}
	}
	if len(rivals) == 0 {
		return ""
	}
	return "Ruled out: " + strings.Join(rivals[:min(len(rivals), storyRivals)], ", ") + "."
}

// sureness says what the confidence rests on, as the rule for it does.
func sureness(c finding.Confidence) string {
	switch c {
	case finding.Confirmed:
		return "This is confirmed: its equation, its event and a control agree."
	case finding.Likely:
		return "This is likely: of its equation, its event and a control one is missing."
	}
	return "This is possible, no more: the input shows little of the mechanism."
}

// sideNames is "PGA402 empty-fan-out and PGA403 time-outside-the-server".
func (v *View) sideNames(sides []int) string {
	var names []string
	for _, i := range sides {
		name := v.Findings[i].ID + " " + Line(v.Findings[i].Raw.Name)
		if len(names) == storySides {
			name = Counted(int64(len(sides)-storySides), "more finding", "more findings")
		}
		if names = append(names, name); len(names) > storySides {
			break
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
