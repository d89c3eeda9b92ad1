package pglog

import (
	"errors"
	"fmt"
	"strings"
)

// escapes are the letters of log_line_prefix in PostgreSQL 10 to 18 that print
// a value; %q and %% are none.
const escapes = "audrhLbpPtmnQieclsvx"

// freeEscapes may print any text; the others have a grammar of their own.
const freeEscapes = "audrhLbi"

// Places of letters in escapes.
const (
	fieldApplication = iota
	fieldUser
	fieldDatabase
	fieldRemote
	fieldHost
	fieldLocal
	fieldBackendType
	fieldPID
	fieldLeaderPID
	fieldTime
	fieldTimeMS
	fieldEpoch
	fieldQueryID
	fieldCommandTag
	fieldSQLState
	fieldSessionID
	fieldLineNum
	fieldSessionStart
	fieldVirtualTxID
	fieldTxID
	fieldSkip // of escapeSkip
	fieldCount
)

// escapeSkip is an escape of our own: whatever stands before the severity. It
// is written "…" and never stored.
const (
	escapeSkip  = '*'
	skipMark    = "…"
	maxPrefix   = 1024 // bytes of a log_line_prefix
	maxPadding  = 256
	maxValue    = 512 // bytes of one value of a line
	matchBudget = 256 // values tried for one line before giving up
)

// op is one step of a prefix: a literal, the end for processes without a
// session (%q), or a value.
type op struct {
	literal string
	letter  byte // 'q', one of escapes, escapeSkip; 0 for a literal
	field   int
	width   int
	left    bool // padded on the right
	free    bool // may hold any text; the literal that follows ends it
}

// prefix is a compiled log_line_prefix.
type prefix struct {
	text string
	ops  []op
	has  [fieldCount]bool
	// unknown are letters behind % that no version prints anything for.
	unknown []byte
}

// compilePrefix compiles a log_line_prefix. Escapes that PostgreSQL does not
// know print nothing, as they do there.
func compilePrefix(text string) (*prefix, error) {
	if len(text) > maxPrefix {
		return nil, fmt.Errorf("log_line_prefix is longer than %d bytes", maxPrefix)
	}
	p := &prefix{text: text}
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], skipMark):
			p.add(op{letter: escapeSkip, field: fieldSkip, free: true})
			i += len(skipMark)
		case text[i] != '%':
			p.literal(text[i : i+1])
			i++
		default:
			n, err := p.escape(text[i:])
			if err != nil {
				return nil, fmt.Errorf("log_line_prefix %q: %w", text, err)
			}
			i += n
		}
	}
	return p, nil
}

// escape compiles the escape that text starts with and answers its length.
func (p *prefix) escape(text string) (int, error) {
	i := 1
	left := i < len(text) && text[i] == '-'
	if left {
		i++
	}
	width := 0
	for i < len(text) && text[i]-'0' < 10 {
		if width = width*10 + int(text[i]-'0'); width > maxPadding {
			return 0, fmt.Errorf("padding wider than %d", maxPadding)
		}
		i++
	}
	if i == len(text) {
		return 0, errors.New("ends inside an escape")
	}
	letter := text[i]
	switch field := strings.IndexByte(escapes, letter); {
	case letter == '%':
		p.literal("%")
	case letter == 'q':
		p.add(op{letter: 'q'})
	case field >= 0:
		p.has[field] = true
		p.add(op{letter: letter, field: field, width: width, left: left, free: strings.IndexByte(freeEscapes, letter) >= 0})
	default:
		p.unknown = append(p.unknown, letter)
	}
	return i + 1, nil
}

func (p *prefix) add(o op) { p.ops = append(p.ops, o) }

func (p *prefix) literal(text string) {
	if n := len(p.ops); n > 0 && p.ops[n-1].letter == 0 {
		p.ops[n-1].literal += text
		return
	}
	p.add(op{literal: text})
}

// hasAny reports whether the prefix prints one of the escapes.
func (p *prefix) hasAny(letters string) bool {
	for i := range letters {
		if p.has[strings.IndexByte(escapes, letters[i])] {
			return true
		}
	}
	return false
}

// lacks names what the analysis will miss with this prefix and carrier.
func (p *prefix) lacks(c *carrier) []string {
	var lacks []string
	if !p.hasAny("pc") && !c.hasPID {
		lacks = append(lacks, "prefix has no %p or %c: sessions cannot be paired")
	}
	if !p.hasAny("mtn") && !c.hasTime {
		lacks = append(lacks, "prefix has no %m, %t or %n: entries have no time")
	}
	return lacks
}

// anchor is the prefix up to its process id or, without one, its time, with
// the rest skipped: it reads lines that the whole prefix does not explain. nil
// if the prefix does not start that way.
func (p *prefix) anchor() *prefix {
	end := 0
	for i, o := range p.ops {
		if o.letter == 'q' || o.free {
			break
		}
		if o.letter != 0 && strings.IndexByte("mtnp", o.letter) >= 0 {
			end = i + 1
		}
	}
	if end == 0 || end == len(p.ops) {
		return nil
	}
	a := &prefix{ops: append([]op(nil), p.ops[:end]...)}
	for _, o := range a.ops {
		if o.letter != 0 {
			a.has[o.field] = true
		}
	}
	a.add(op{letter: escapeSkip, field: fieldSkip, free: true})
	return a
}
