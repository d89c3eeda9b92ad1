package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/report/view"
)

// progress keeps one line on a terminal up to date: bytes of the files as they
// are, bytes per second and, where the size of all is known, the time left.
// Nobody waits for it: errors of writing are ignored.
type progress struct {
	w    io.Writer
	next time.Time                // when the line may change
	bar  *progressbar.ProgressBar // nil before the first block is read
	seen bool
}

// progressDelay is how long a run is silent, progressPause how long a line
// stands at least.
const (
	progressDelay = 500 * time.Millisecond
	progressPause = 100 * time.Millisecond
)

func newProgress(w io.Writer) *progress { return &progress{w: w, next: time.Now().Add(progressDelay)} }

func (p *progress) show(now parser.Progress) {
	if p.bar == nil {
		p.bar = p.newBar(now.Size)
	}
	if time.Now().Before(p.next) {
		return
	}
	p.next, p.seen = time.Now().Add(progressPause), true
	read := now.Read
	what := fmt.Sprintf("%d/%d %s", now.Number, now.All, view.Shorten(view.Line(now.File), 30))
	if now.Size == 0 {
		read = now.Bytes
		what += " " + view.Quantity(float64(read), "bytes")
	}
	p.bar.Describe(what)
	_ = p.bar.Set64(read)
}

// newBar is a bar up to size bytes, or a spinner if size is 0.
func (p *progress) newBar(size int64) *progressbar.ProgressBar {
	if size == 0 {
		size = -1
	}
	return progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(p.w),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetWidth(16),
		progressbar.OptionSetSpinnerChangeInterval(0), // it moves with the bytes, not by itself
	)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.seen {
		_ = p.bar.Clear()
	}
}
