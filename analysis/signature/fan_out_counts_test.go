package signature

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

const (
	listOrders = "SELECT id FROM orders WHERE customer_id = $1 ORDER BY id DESC LIMIT $2"
	oneProduct = "SELECT name, price FROM products WHERE id = $1"
	onePicture = "SELECT url FROM pictures WHERE product_id = $1"
)

// minuteCalls is one statement in one minute.
type minuteCalls struct{ calls, rows, ms float64 }

// countedMinutes are captures of pg_stat_statements a minute apart; runs of the
// list statement swing with the load between 600 and 2,400 a minute.
func countedMinutes(t *testing.T, minutes int, load func(minute int, runs float64, draw *rand.Rand) map[string]minuteCalls) *hygiene {
	h := &hygiene{t: t}
	draw := rand.New(rand.NewPCG(14, 1))
	sum := map[string]minuteCalls{}
	for k := range minutes + 1 {
		for id, query := range []string{listOrders, oneProduct, onePicture, "BEGIN", "UPDATE stock SET n = n - $1 WHERE id = $2"} {
			c, ok := sum[query]
			if !ok && k > 0 {
				continue
			}
			h.sample(record.ViewStatements, second(60*float64(k)), "dbid=5", "query="+query, kv("queryid", id), kv("calls", int(c.calls)), kv("rows", int(c.rows)), kv("total_exec_time", int(c.ms)))
		}
		runs := math.Round(1500 + 900*math.Sin(float64(k)))
		for query, c := range load(k, runs, draw) {
			s := sum[query]
			sum[query] = minuteCalls{s.calls + c.calls, s.rows + c.rows, s.ms + c.ms}
		}
	}
	return h
}

// aboutCount is a Poisson count of that mean.
func aboutCount(mean float64, draw *rand.Rand) float64 {
	return max(0, math.Round(mean+math.Sqrt(mean)*draw.NormFloat64()))
}

// loopOf20 asks for each of 20 rows once. A capture cuts a request or two.
func loopOf20(_ int, runs float64, draw *rand.Rand) map[string]minuteCalls {
	calls := 20*runs + float64(draw.IntN(40)-20)
	return map[string]minuteCalls{
		listOrders: {runs, 20 * runs, 1.5 * runs},
		oneProduct: {calls, calls, 0.3 * calls},
		onePicture: {calls, calls, 0.1 * calls},
		"BEGIN":    {runs, 0, 0},
		"UPDATE stock SET n = n - $1 WHERE id = $2": {aboutCount(300, draw), 300, 600},
	}
}

func TestFanOutByCountsAlone(t *testing.T) {
	f := countedMinutes(t, 12, loopOf20).one(fanOut)
	if f.Severity != finding.Warning || f.Confidence != finding.Possible || f.Subject.Statement != oneProduct || f.Subject.Parent != listOrders {
		t.Errorf("%s %s on %s of %s", f.Severity, f.Confidence, f.Subject.Statement, f.Subject.Parent)
	}
	if per := figure(t, f, "calls of the child ÷ calls of the parent"); per.Value < 19.9 || per.Value > 20.1 {
		t.Errorf("%v calls per run, want 20", per.Value)
	}
	wantText(t, "equation", f.WhyConfidence, "rows of the parent 1.00")
	wantText(t, "summary", f.Summary, "once for each row", "by mean time it is number 3 of", "not measurable")
	wantText(t, "figures", f.Figures, "also for each run: SELECT url FROM pictures")
	wantText(t, "action", f.Actions[0].Do, "WHERE id = any($1)")
	wantText(t, "rivals", f.RuledOut, "{wall time not measurable", "{two statements that follow the same load ruled out", "{a timer ruled out")
	if len(f.Evidence) != 3 || f.Evidence[1].Pos.IsZero() || f.Evidence[1].Value < f.Evidence[0].Value {
		t.Errorf("places %+v", f.Evidence)
	}
}

func TestFanOutByCountsOfAWholeNumber(t *testing.T) {
	f := countedMinutes(t, 12, func(_ int, runs float64, _ *rand.Rand) map[string]minuteCalls {
		return map[string]minuteCalls{listOrders: {runs, runs, runs}, oneProduct: {6 * runs, 6 * runs, 2 * runs}}
	}).one(fanOut)
	wantText(t, "equation", f.WhyConfidence, "6.00, a whole number")
}

func TestFanOutByCountsOfLittleWorkIsInfo(t *testing.T) {
	f := countedMinutes(t, 12, func(_ int, runs float64, _ *rand.Rand) map[string]minuteCalls {
		runs = math.Round(runs / 100)
		return map[string]minuteCalls{listOrders: {runs + 10, 20 * (runs + 10), 1}, oneProduct: {20 * (runs + 10), 20 * (runs + 10), 4 * (runs + 10)}}
	}).one(fanOut)
	if f.Severity != finding.Info {
		t.Errorf("a few calls a second are %s", f.Severity)
	}
}

func TestCountsThatAreNoLoop(t *testing.T) {
	for name, load := range map[string]func(int, float64, *rand.Rand) map[string]minuteCalls{
		"independent statements that follow one load": func(_ int, runs float64, draw *rand.Rand) map[string]minuteCalls {
			return map[string]minuteCalls{listOrders: {aboutCount(runs, draw), 20 * runs, runs}, oneProduct: {aboutCount(6*runs, draw), 6 * runs, 2 * runs}}
		},
		"timers with a fixed ratio": func(int, float64, *rand.Rand) map[string]minuteCalls {
			return map[string]minuteCalls{listOrders: {100, 0, 20}, oneProduct: {1000, 0, 100}}
		},
		"a batch of a thousand, now and then": func(k int, _ float64, _ *rand.Rand) map[string]minuteCalls {
			n := float64(1 + k%3)
			return map[string]minuteCalls{listOrders: {n, 1000 * n, 20}, oneProduct: {1000 * n, 1000 * n, 300 * n}}
		},
		"children that are slow themselves": func(_ int, runs float64, _ *rand.Rand) map[string]minuteCalls {
			return map[string]minuteCalls{listOrders: {runs, 20 * runs, runs}, oneProduct: {20 * runs, 20 * runs, 100 * runs}}
		},
		"children that return many rows": func(_ int, runs float64, _ *rand.Rand) map[string]minuteCalls {
			return map[string]minuteCalls{listOrders: {runs, 20 * runs, runs}, oneProduct: {20 * runs, 2000 * runs, 10 * runs}}
		},
		"transaction control": func(_ int, runs float64, _ *rand.Rand) map[string]minuteCalls {
			return map[string]minuteCalls{"BEGIN": {20 * runs, 0, 0}, listOrders: {runs, runs, runs}}
		},
	} {
		t.Run(name, func(t *testing.T) { noLoop(t, countedMinutes(t, 12, load)) })
	}
}

func TestFewCapturesShowNoLoop(t *testing.T) {
	noLoop(t, countedMinutes(t, 5, loopOf20))
}

// noLoop asks for silence that is no clean bill: only durations could give one.
func noLoop(t *testing.T, h *hygiene) {
	t.Helper()
	p := h.run(fanOut)
	for _, f := range p.Findings {
		t.Errorf("says %q, must stay silent", f.Title)
	}
	if len(p.NotEvaluated) != 1 || p.NotEvaluated[0].Lacks != "durations of all statements" {
		t.Errorf("not evaluated: %v", p.NotEvaluated)
	}
}
