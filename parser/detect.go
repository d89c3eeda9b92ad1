package parser

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// recognition is what detection says of one text: how to read it, or the loss
// that it is.
type recognition struct {
	format string
	det    *source.Detection
	from   int // where in the head the detection was made
	loss   string
	// strange says that no format fits.
	strange bool
}

// recognise finds the format of t: of those that fit the one with the highest
// score, of equal scores the earlier one, but a usable one first.
//
// prefixes are those of earlier files of the folder.
func (o *Options) recognise(t *source.Text, prefixes []string) (recognition, error) {
	if t.Binary() {
		return recognition{loss: binary}, nil
	}
	if r := o.best(t, 0, prefixes); r.det != nil {
		return r.refuse(), nil
	}
	r, err := o.recogniseLater(t, prefixes)
	if r.det == nil && t.HasNULs() {
		r.loss = binary
	}
	return r, err
}

const binary = "binary data, not text"

// recogniseLater looks beyond the first HeadSize bytes for a log: a piece that
// split left may begin inside an entry longer than that.
func (o *Options) recogniseLater(t *source.Text, prefixes []string) (recognition, error) {
	for from := source.HeadSize; !t.EOF && from < o.EntryCap; from += source.HeadSize {
		if err := t.Grow(from + source.HeadSize); err != nil {
			return recognition{}, err
		}
		if from >= len(t.Head) {
			break
		}
		r := o.best(t, from, prefixes)
		if r.det != nil && r.det.Reason == "" && r.det.Continues() {
			return r, nil
		}
	}
	return recognition{loss: o.misfit(t.Head), strange: true}, nil
}

// misfit says what was found and what would have been read.
func (o *Options) misfit(head []byte) string {
	names := make([]string, len(o.Formats))
	for i, f := range o.Formats {
		names[i] = f.Name
	}
	return fmt.Sprintf("no input format fits: it begins with %q, which is none of %s", firstLine(head), strings.Join(names, ", "))
}

// firstLine is the first line of head that is not blank, cut to what a message
// may quote, without double quotes of its own.
func firstLine(head []byte) string {
	const longest = 60
	head = bytes.TrimSpace(head[:min(len(head), source.HeadSize)])
	line, _, _ := bytes.Cut(head, []byte("\n"))
	runes := []rune(strings.ReplaceAll(string(line[:min(len(line), 4*longest)]), `"`, "'"))
	if len(runes) <= longest {
		return string(runes)
	}
	return string(runes[:longest]) + "…"
}

func (o *Options) best(t *source.Text, from int, prefixes []string) recognition {
	head := source.Head{
		Name:     t.Base,
		Data:     t.Head[from:],
		EOF:      t.EOF,
		Prefix:   o.Prefix,
		Prefixes: prefixes,
		Timezone: o.Timezone,
		AllPlans: o.AllPlans,
		Intern:   o.Intern,
	}
	best := recognition{from: from}
	for _, f := range o.Formats {
		if d := f.Detect(&head); d != nil && (best.det == nil || better(d, best.det)) {
			best.det, best.format = d, f.Name
		}
	}
	return best
}

// better reports whether a, of a later format, is to be preferred to b.
func better(a, b *source.Detection) bool {
	if a.Score != b.Score {
		return a.Score > b.Score
	}
	return a.Reason == "" && b.Reason != ""
}

// refuse turns a detection that cannot be used into a loss.
func (r recognition) refuse() recognition {
	if r.det.Reason == "" {
		return r
	}
	return recognition{loss: r.det.Reason}
}

// describe sets what detection tells of the file.
func (r recognition) describe(f *record.File) {
	f.Format = r.format
	if r.det != nil {
		f.Detail, f.Zone = r.det.Detail, r.det.Zone
		f.View, f.TimeFrom = r.det.View, r.det.TimeFrom
	}
}
