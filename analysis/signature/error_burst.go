package signature

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// errorBurst is PGA506.
var errorBurst = &Signature{
	ID: "PGA506", Name: "error-burst", Max: finding.Warning,
	Felt: "The application sees many errors at once",
	What: "Statements fail with one SQLSTATE far more often than they usually do.",
	Why: "An error that comes in a burst has a cause that came with it: code that does not fit the schema, data that breaks a constraint, a resource that ran out, a wrong password. " +
		"A failed statement rolls its transaction back, and a client that tries again at once multiplies the load.",
	Fix:    "Find what changed just before the burst: a deploy, a migration, a job, a limit. The SQLSTATE says of what kind it is. Let clients wait before they try again.",
	Verify: "Run pgassay on a later log: errors of this SQLSTATE are back at their usual rate.",
	Needs:  []Need{needLog},
	Silent: []string{
		"errors at a steady rate, however many: they are the input's usual",
		"cancels and timeouts (507), deadlocks (502), connections refused while the server starts or stops (508)",
		"a handful of errors at once",
	},
	Thresholds: append(burstThresholds(20, "errors"),
		Threshold{"floor", 100, "errors", "in the burst below which the finding stays info"}),
	Detect: detectErrorBurst,
}

func detectErrorBurst(p *Pass) {
	l := serverLogOf(p)
	if l == nil {
		p.Lacks(lacksLog, "add the server log, with %e in log_line_prefix, or as csvlog or jsonlog")
		return
	}
	p.reportBursts(l, l.errorsByState(), func(f *finding.Finding, g *errorGroup, b *burst) {
		f.Actions = errorActions(g.key, b.Events[0])
		f.WillNotHelp = []string{"trying again at once: it repeats the error and adds load"}
	})
}

// errorsByState groups the errors that no other signature speaks of, by key.
func (l *serverLog) errorsByState() []*errorGroup {
	byKey := map[string]*errorGroup{}
	var out []*errorGroup
	for _, e := range l.all(record.EventError) {
		if interrupted(e) {
			continue
		}
		key := cmp.Or(e.SQLState, messageForm(e.Text))
		g := byKey[key]
		if g == nil {
			g = &errorGroup{key: key}
			byKey[key] = g
			out = append(out, g)
		}
		g.events = append(g.events, e)
	}
	slices.SortFunc(out, func(a, b *errorGroup) int { return cmp.Compare(a.key, b.key) })
	return out
}

// interrupted reports an error that another made: a cancel, a timeout, a
// shutdown, a server that is not up.
func interrupted(e *record.Event) bool {
	switch e.SQLState {
	case stateCanceled, stateLockNotAvailable, stateIdleInTransaction, stateTransactionTimeout, stateIdleSession, stateDeadlock,
		stateAdminShutdown, stateCrashShutdown, stateCannotConnect:
		return true
	}
	return false
}

// messageForm is a message without what varies in it: names in quotes and
// numbers.
func messageForm(text string) string {
	var b strings.Builder
	quoted := false
	for _, r := range text {
		switch {
		case r == '"':
			if quoted = !quoted; quoted {
				b.WriteString(`"…"`)
			}
		case quoted:
		case r >= '0' && r <= '9':
			if !strings.HasSuffix(b.String(), "#") {
				b.WriteByte('#')
			}
		default:
			b.WriteRune(r)
		}
	}
	return shorten(b.String(), 100)
}
