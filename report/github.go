package report

import (
	"io"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// maxAnnotations is how many annotations of each level a step shows; GitHub
// drops the others without a word.
const maxAnnotations = 10

// maxAnnotation is the longest message, in columns: in UTF-8 below the 64 KiB
// that an annotation may have.
const maxAnnotation = 16_000

// GitHub writes findings as annotations of GitHub Actions, those that tell an
// incident first, then their sides, each the most severe first: critical as
// error, warning as warning, info and what is the same as in the baseline as
// notice; then the statements that became dearer as warnings.
// What a step would not show, what is suppressed, what was not evaluated and
// what was lost is told in a last notice.
func GitHub(w io.Writer, v *view.View, _ Options) error {
	var b strings.Builder
	b.WriteString(annotationData(v.Headline) + "\n")
	shown := map[string]int{}
	add := func(level string, at spot, title, message string) {
		most := maxAnnotations
		if level == "notice" {
			most-- // the last one is for the rest
		}
		if shown[level]++; shown[level] <= most {
			annotation(&b, level, at, title, message)
		}
	}
	for _, f := range sidesLast(v) {
		title := f.ID + " " + view.Line(f.Raw.Name)
		if f.Status != "" {
			title += " (" + f.Status + ")"
		}
		add(githubLevel(f), spots(v, f)[0], title, verdict(f))
	}
	if v.Comparison != nil {
		for i := range v.Comparison.Regressions {
			add("warning", spot{}, "statement dearer", dearer(&v.Comparison.Regressions[i]))
		}
	}
	if rest := githubRest(v, shown); rest != "" {
		annotation(&b, "notice", spot{}, "pgassay", view.Shorten(rest, maxAnnotation))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sidesLast are the findings, those last that are a side of another, so that a
// cut takes no incident while it leaves a side.
func sidesLast(v *view.View) []*view.Finding {
	var list, sides []*view.Finding
	for i := range v.Findings {
		if f := &v.Findings[i]; f.SideOf == "" {
			list = append(list, f)
		} else {
			sides = append(sides, f)
		}
	}
	return append(list, sides...)
}

func githubLevel(f *view.Finding) string {
	switch {
	case accepted(f):
		return "notice"
	case f.Raw.Severity == finding.Critical:
		return "error"
	case f.Raw.Severity == finding.Warning:
		return "warning"
	}
	return "notice"
}

// githubRest says what the annotations leave out, of which there are shown of
// each level; "" if nothing.
func githubRest(v *view.View, shown map[string]int) string {
	var parts []string
	add := func(n, most int, what string) {
		if n > most {
			parts = append(parts, strconv.Itoa(n-most)+" more "+what+" not shown here")
		}
	}
	add(shown["error"], maxAnnotations, "critical findings")
	add(shown["warning"], maxAnnotations, "warnings")
	add(shown["notice"], maxAnnotations-1, "notices")
	if v.Comparison != nil {
		parts = append(parts, v.Comparison.Head)
	}
	for i := range v.Suppressed {
		s := &v.Suppressed[i]
		parts = append(parts, s.Line+" "+view.Shorten(subjectOr(&s.Finding, "server"), maxCell)+" is "+suppression(s))
	}
	for _, n := range v.NotEvaluated {
		parts = append(parts, lacking(n))
	}
	if n := v.Unreadable; n > 0 {
		parts = append(parts, view.Counted(n, "piece of input was", "pieces of input were")+" not understood")
	}
	parts = append(parts, v.Notes...)
	if v.Caps > 0 {
		parts = append(parts, "a limit was reached "+view.Counted(v.Caps, "time", "times")+": the figures are not complete")
	}
	return strings.Join(parts, "\n")
}

func annotation(b *strings.Builder, level string, at spot, title, message string) {
	b.WriteString("::" + level + " ")
	if at.path != "" {
		b.WriteString("file=" + annotationProperty(at.path) + ",")
	}
	if at.line > 0 {
		b.WriteString("line=" + strconv.FormatInt(at.line, 10) + ",")
	}
	b.WriteString("title=" + annotationProperty(title) + "::" + annotationData(message) + "\n")
}

// annotationData escapes a message as the runner unescapes it.
func annotationData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// annotationProperty escapes the value of file= and title=.
func annotationProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
