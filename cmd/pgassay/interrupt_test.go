package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgassay/pgassay/parser"
)

// interruptedReader is interrupted as a terminal's user does it, and then waits
// for input that never comes.
type interruptedReader struct{ sent bool }

func (r *interruptedReader) Read([]byte) (int, error) {
	if !r.sent {
		r.sent = true
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			return 0, err
		}
	}
	select {}
}

func TestInterruptLeavesNoFile(t *testing.T) {
	report := filepath.Join(t.TempDir(), "r.json")
	var stdout, stderr bytes.Buffer
	code := Main([]string{"check", "--report", report, "-"}, &interruptedReader{}, &stdout, &stderr, nil)
	if code != exitInterrupted || strings.TrimSpace(stderr.String()) != "pgassay: interrupted: no report is written" || stdout.Len() > 0 {
		t.Errorf("exit code %d, %q, %q", code, stderr.String(), stdout.String())
	}
	if left, err := os.ReadDir(filepath.Dir(report)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestProgressSaysHowFarAndGoesAway(t *testing.T) {
	for _, size := range []int64{0, 1 << 20} {
		var b bytes.Buffer
		p := newProgress(&b)
		p.show(parser.Progress{File: "a.log", Number: 1, All: 2, Bytes: 1 << 18, Read: 1 << 17, Size: size})
		if b.Len() > 0 {
			t.Errorf("a short run shows %q", b.String())
		}
		p.next = p.next.Add(-time.Minute)
		p.show(parser.Progress{File: "a\x1b.log", Number: 1, All: 2, Bytes: 1 << 19, Read: 1 << 19, Size: size})
		if shown := b.String(); !strings.Contains(shown, "1/2 a") || !strings.Contains(shown, "B/s") && !strings.Contains(shown, "kB") || strings.Contains(shown, "\x1b.log") {
			t.Errorf("size %d: %q", size, shown)
		}
		p.clear()
		if !strings.HasSuffix(b.String(), "\r") && !strings.HasSuffix(b.String(), "\x1b[2K") {
			t.Errorf("size %d: the line stays: %q", size, b.String())
		}
	}
}
