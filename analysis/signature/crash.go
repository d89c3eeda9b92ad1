package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// crash is PGA508.
var crash = &Signature{
	ID: "PGA508", Name: "crash-or-restart", Max: finding.Critical,
	Felt: "All connections broke at once",
	What: "The server, or one of its processes, ended, and every session with it.",
	Why: "When a process dies by a signal, shared memory may be damaged: the postmaster ends all sessions, and replays the WAL since the last checkpoint before it lets anybody in. " +
		"Signal 9 is somebody's kill -9 or the kernel's out-of-memory killer; 11, 7 and 6 are a defect of the server, an extension or the hardware.",
	Fix:    "Find who or what ended the process: the kernel log for signal 9, a core dump for 11, 7 and 6. Shorter recovery costs more frequent checkpoints.",
	Verify: "Run pgassay on a later log: no process is terminated by a signal.",
	Needs:  []Need{needLog},
	Silent: []string{"the start of a log file, and a stop at its end", "background workers that exit at a shutdown", "a restart that was asked for is info"},
	Thresholds: []Threshold{
		{"effect", 2, "times", "that a crash counts as, since it costs every session"},
		{"long", 60, "s", "without service from which it counts as critical, as do two crashes"},
	},
	Detect: detectCrash,
}

func detectCrash(p *Pass) {
	l := serverLogOf(p)
	if l == nil {
		p.Lacks(lacksLog, "add the server log")
		return
	}
	byCause := map[string][]*outage{}
	var causes []string
	for _, o := range l.outages() {
		c := o.cause()
		if byCause[c] == nil {
			causes = append(causes, c)
		}
		byCause[c] = append(byCause[c], o)
	}
	slices.Sort(causes)
	for _, c := range causes {
		p.Report(l.outageFinding(p, c, byCause[c]), c == causeRestart)
	}
}

// outage is a time without service: from the first sign of its end to the line
// that says that the server accepts connections.
type outage struct {
	events   []*record.Event  // signs, by time
	exit     *record.Event    // the process that ended first; nil if none is told
	recovery *record.Event    // "was not properly shut down"
	shutdown *record.Event    // that was asked for
	ready    *record.Event    // nil while it lasts
	redo     [2]*record.Event // starts, done
}

// causes of outages beside signals and exit codes.
const (
	causeRestart   = "restart"
	causeImmediate = "immediate shutdown"
	causeSilent    = "unclean end"
)

// startGap is how long after a shutdown request a start may follow and still be
// its restart.
const startGap = 3600 * record.Second

// outages finds them. A shutdown that no start follows, and a start that nothing
// comes before, are none.
func (l *serverLog) outages() []*outage {
	var out []*outage
	var o *outage
	for _, e := range l.all(record.EventCrash, record.EventShutdown, record.EventServerStart, record.EventReady, record.EventRecovery) {
		if o != nil && e.LogTime.Sub(o.events[0].LogTime) > startGap {
			o = nil
		}
		if o == nil {
			if !l.opens(e) {
				continue
			}
			o = new(outage)
			out = append(out, o)
		}
		o.add(e)
		if e.Kind == record.EventReady {
			o = nil
		}
	}
	return slices.DeleteFunc(out, func(o *outage) bool { return o.cause() == causeRestart && o.ready == nil })
}

// opens reports whether the event is the first sign of an outage.
func (l *serverLog) opens(e *record.Event) bool {
	switch e.Kind {
	case record.EventCrash:
		return e.Exit == nil || ended(e.Exit)
	case record.EventShutdown:
		return true
	case record.EventServerStart:
		return e.LogTime.Sub(l.From) > record.Second
	}
	return false
}

// ended reports an end of a process that takes the server down: exit codes 0 and
// 1 of a backend do not (CleanupBackend in postmaster.c).
func ended(x *record.ProcessExit) bool { return x.Signal > 0 || x.Code > 1 }

func (o *outage) add(e *record.Event) {
	o.events = append(o.events, e)
	switch {
	case e.Kind == record.EventCrash && e.Exit != nil:
		if o.exit == nil && ended(e.Exit) {
			o.exit = e
		}
	case e.Kind == record.EventCrash:
		o.recovery = e
	case e.Kind == record.EventShutdown:
		o.shutdown = e
	case e.Kind == record.EventReady:
		o.ready = e
	case strings.HasPrefix(e.Text, "redo starts"):
		o.redo[0] = e
	case strings.HasPrefix(e.Text, "redo done"):
		o.redo[1] = e
	}
}

// cause is the signal or exit code, or how the server was ended.
func (o *outage) cause() string {
	switch {
	case o.exit != nil && o.exit.Exit.Signal > 0:
		return fmt.Sprintf("signal %d", o.exit.Exit.Signal)
	case o.exit != nil:
		return fmt.Sprintf("exit code %d", o.exit.Exit.Code)
	case o.recovery != nil && o.shutdown == nil:
		return causeSilent
	case o.recovery != nil:
		return causeImmediate
	}
	return causeRestart
}

// lasted is the time without service in seconds; 0 while it lasts.
func (o *outage) lasted() float64 {
	if o.ready == nil {
		return 0
	}
	return o.ready.LogTime.Sub(o.events[0].LogTime).Seconds()
}

func longestOutage(list []*outage) *outage {
	worst := list[0]
	for _, o := range list {
		if o.ready == nil && worst.ready != nil || o.lasted() > worst.lasted() {
			worst = o
		}
	}
	return worst
}

func (l *serverLog) outageFinding(p *Pass, cause string, list []*outage) finding.Finding {
	worst := longestOutage(list)
	first := worst.events[0]
	f := finding.Finding{
		Subject:  finding.Subject{Event: cause},
		Title:    worst.title(len(list)),
		Onset:    &finding.Onset{Time: first.LogTime, EventTime: first.LogTime, EventPos: first.Pos, Event: shorten(first.Text, 100), End: record.NoTime},
		Evidence: l.outagePlaces(list, worst),
		Actions:  outageActions(cause, worst),
		Verify:   []string{"run pgassay on a later log: no process is terminated, and no recovery"},
		N:        plural(len(list), "time") + " in " + span(l.Span().Seconds()) + " of log",
		Effect:   1,
	}
	if worst.ready != nil {
		f.Onset.End = worst.ready.LogTime
	}
	f.Figures = l.outageFigures(worst, len(list))
	f.Summary = l.outageSummary(worst, list)
	if cause == causeRestart {
		f.Confidence = confidenceOf(worst.shutdown != nil, true, true)
		f.WhyConfidence = "equation: " + yes(worst.shutdown != nil, "the shutdown request", "no shutdown request in the log") + "; event: the start; control: no recovery was needed"
		f.WillNotHelp = []string{"blaming the server for what was slow just after: its cache was empty"}
		f.Share = l.downShare(list)
		return f
	}
	f.RuledOut = []finding.RuledOut{worst.planned()}
	f.WillNotHelp = []string{"restart_after_crash = off: the server stays down", "larger shared_buffers or more connections: they make a shortage of memory worse"}
	f.Effect, f.Share = p.limit("effect"), 1
	if len(list) > 1 || worst.lasted() >= p.limit("long") || worst.ready == nil {
		f.Effect = max(criticalEffect, p.limit("effect"))
	}
	f.Notes = append(f.Notes, "effect is nominal; share is that of the sessions, all of which were ended")
	f.Confidence = confidenceOf(worst.exit != nil, worst.recovery != nil || worst.redo[0] != nil, worst.ready != nil)
	f.WhyConfidence = "equation: " + yes(worst.exit != nil, "the postmaster names the process and how it ended", "no line says which process ended") +
		"; event: " + yes(worst.recovery != nil || worst.redo[0] != nil, "recovery follows", "no recovery in the log") +
		"; control: " + yes(worst.ready != nil, "the server accepts connections again after it", "the log ends before the server is back")
	return f
}

// downShare is the share of the log's time without service.
func (l *serverLog) downShare(list []*outage) float64 {
	sum := 0.0
	for _, o := range list {
		sum += o.lasted()
	}
	return min(1, sum/l.Span().Seconds())
}

func (o *outage) title(times int) string {
	often := ""
	if times > 1 {
		often = fmt.Sprintf(", %d times", times)
	}
	switch {
	case o.exit != nil:
		x := o.exit.Exit
		how := fmt.Sprintf("exited with code %d", x.Code)
		if x.Signal > 0 {
			how = fmt.Sprintf("was killed by signal %d", x.Signal)
		}
		return fmt.Sprintf("A %s %s and took the server down%s", x.Process, how, often)
	case o.cause() == causeSilent:
		return "The server ended without a shutdown" + often
	case o.cause() == causeImmediate:
		return "The server was shut down in immediate mode and had to recover" + often
	}
	if o.shutdown == nil {
		return "The server was stopped and started again" + often
	}
	return "The server was restarted on request" + often
}

func (l *serverLog) outageSummary(o *outage, list []*outage) string {
	var t strings.Builder
	first := o.events[0]
	fmt.Fprintf(&t, "At %s: %s. ", clock(first.LogTime), shorten(cmp.Or(first.Text, "the server ended"), 120))
	if o.exit != nil && o.exit.Statement != nil {
		fmt.Fprintf(&t, "That process was running: %s. ", shorten(o.exit.Statement.Normalized, 120))
	}
	if o.ready != nil {
		fmt.Fprintf(&t, "%s later it accepted connections again.", span(o.lasted()))
	} else {
		t.WriteString("The log ends before it accepts connections again.")
	}
	if len(list) > 1 {
		fmt.Fprintf(&t, " In all %d times in this log.", len(list))
	}
	return t.String()
}

func (l *serverLog) outageFigures(o *outage, n int) []finding.Figure {
	var fs []finding.Figure
	if x := o.exit; x != nil {
		fs = append(fs, finding.Figure{What: "process", Text: fmt.Sprintf("%s %d", x.Exit.Process, x.Exit.ProcessID), Says: o.cause()})
	}
	if o.ready != nil {
		fs = append(fs, finding.Figure{What: "without service", Value: o.lasted(), Unit: "s", Text: span(o.lasted())})
	}
	if o.redo[0] != nil && o.redo[1] != nil {
		redo := o.redo[1].LogTime.Sub(o.redo[0].LogTime).Seconds()
		fs = append(fs, finding.Figure{What: "replay of WAL", Value: redo, Unit: "s", Text: span(redo), Indent: true})
	}
	cut, refused := 0, 0
	for _, e := range l.all(record.EventError, record.EventWarning) {
		if e.LogTime < o.events[0].LogTime.Add(-record.Second) || o.ready != nil && e.LogTime > o.ready.LogTime.Add(record.Second) {
			continue
		}
		switch e.SQLState {
		case stateCrashShutdown, stateAdminShutdown:
			cut++
		case stateCannotConnect:
			refused++
		}
	}
	return append(fs,
		finding.Figure{What: "sessions ended, as far as they logged it", Value: float64(cut), Unit: "sessions"},
		finding.Figure{What: "connections refused meanwhile", Value: float64(refused), Unit: "connections"},
		finding.Figure{What: "outages of this kind in the log", Value: float64(n), Unit: "outages"})
}

// outagePlaces are the signs of the worst, then the first sign of the others.
func (l *serverLog) outagePlaces(list []*outage, worst *outage) []finding.Evidence {
	var out []finding.Evidence
	for i, e := range worst.events {
		what := "then"
		switch {
		case i == 0:
			what = "first"
		case e == worst.ready:
			what = "latest"
		case len(out) >= maxListed:
			continue
		}
		out = append(out, placeOf(what, e))
	}
	for _, o := range list {
		if o != worst && len(out) < 2*maxListed {
			out = append(out, placeOf("also", o.events[0]))
		}
	}
	return out
}

func (o *outage) planned() finding.RuledOut {
	const rival = "a planned restart"
	if o.shutdown != nil {
		return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: o.shutdown.Text}
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "no shutdown request before it"}
}
