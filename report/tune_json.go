package report

import (
	"encoding/json"
	"io"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/autovacuum"
)

// tuneJSON writes everything of the advice. Times are in UTC, spans in seconds,
// shares 0..1; what is not known is null.
func tuneJSON(w io.Writer, t *analysis.Tuning, _ Options) error {
	out := jsonTuning{
		SchemaVersion: SchemaVersion, Relation: utf8Of(t.Relation.Name), ServerName: utf8Of(t.Name), Server: utf8Of(t.Server), From: optional(t.From), To: optional(t.To),
		Losses: t.Losses, Tolerated: number(t.Tolerated), Lacks: t.Lacks, HeldBack: t.HeldBack, Reachable: t.Reachable,
		NeedsNaptime: number(t.NeedsNaptime), SQL: utf8Of(t.SQL()), Knob: string(t.Knob), Set: parametersOf(t.Set),
		Now: predictionOf(t.Now), Then: predictionOf(t.Then), Note: t.Limits.Note,
		Workload: jsonWorkload{number(t.Workload.Pages), number(t.Workload.Visible), number(t.Workload.Low), number(t.Workload.High),
			number(t.Workload.Growth), number(t.Workload.Inserts), number(t.Workload.Window), number(t.Workload.Skew)},
		Cost: jsonVacuumCost{t.Cost.Logged, number(t.Cost.Seconds), number(t.Cost.Buffers), number(t.Cost.WAL), t.Cost.Indexes, number(t.Cost.IndexPages)},
	}
	for _, d := range t.Dues {
		out.Triggers = append(out.Triggers, jsonDue{string(d.Trigger), number(d.Value), d.Off, parametersOf(d.Of), number(d.Now), number(d.Rate.PerSecond),
			number(d.In), number(d.Range.Lo), number(d.Range.Hi), optional(d.At)})
	}
	for _, d := range t.Decays {
		out.Decays = append(out.Decays, jsonDecay{d.What, d.Cycles, d.Between, number(d.Lost), number(d.Low), number(d.High)})
	}
	for i := range t.Passes {
		x := &t.Passes[i]
		out.Vacuums = append(out.Vacuums, jsonPass{optional(x.Vacuum.Start), optional(x.Vacuum.End), utf8Of(x.Vacuum.Pos.String()), string(x.Cause), x.Why,
			number(x.Dead), number(x.DeadLimit), number(x.Inserted), number(x.InsertedLimit)})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(out)
}

type jsonTuning struct {
	SchemaVersion int             `json:"schema_version"`
	Relation      string          `json:"relation"`
	ServerName    string          `json:"server_name,omitempty"`
	Server        string          `json:"server"`
	From          *string         `json:"from"`
	To            *string         `json:"to"`
	Losses        int64           `json:"losses"`
	Tolerated     number          `json:"max_heap_fetch_ratio"`
	Lacks         string          `json:"lacks,omitempty"`
	HeldBack      int             `json:"vacuums_held_back"`
	Reachable     bool            `json:"reachable"`
	NeedsNaptime  number          `json:"needs_naptime_s,omitempty"`
	SQL           string          `json:"sql"`
	Knob          string          `json:"knob"`
	Set           []jsonParameter `json:"set"`
	Now           jsonPrediction  `json:"now"`
	Then          jsonPrediction  `json:"then"`
	Triggers      []jsonDue       `json:"triggers"`
	Note          string          `json:"note,omitempty"`
	Workload      jsonWorkload    `json:"workload"`
	Cost          jsonVacuumCost  `json:"cost"`
	Decays        []jsonDecay     `json:"visibility"`
	Vacuums       []jsonPass      `json:"vacuums"`
}

type jsonParameter struct {
	Name  string `json:"name"`
	Value number `json:"value"`
	From  string `json:"from"`
}

func parametersOf(list []autovacuum.Parameter) []jsonParameter {
	out := []jsonParameter{}
	for _, p := range list {
		out = append(out, jsonParameter{p.Name, number(p.Value), string(p.Source)})
	}
	return out
}

type jsonPrediction struct {
	By      string `json:"by"`
	Period  number `json:"period_s"`
	PerHour number `json:"vacuums_per_hour"`
	Low     number `json:"worst_heap_fetch_ratio_low"`
	High    number `json:"worst_heap_fetch_ratio_high"`
	Busy    number `json:"worker_busy"`
}

func predictionOf(x autovacuum.Prediction) jsonPrediction {
	return jsonPrediction{string(x.By), number(x.Period), number(x.PerHour), number(x.Low), number(x.High), number(x.Busy)}
}

type jsonDue struct {
	Trigger   string          `json:"trigger"`
	Limit     number          `json:"limit"`
	Off       string          `json:"off,omitempty"`
	Of        []jsonParameter `json:"parameters"`
	Now       number          `json:"now"`
	PerSecond number          `json:"per_second"`
	In        number          `json:"in_s"`
	InLow     number          `json:"in_low_s"`
	InHigh    number          `json:"in_high_s"`
	At        *string         `json:"at"`
}

type jsonWorkload struct {
	Pages   number `json:"pages"`
	Visible number `json:"visible_after_vacuum"`
	Low     number `json:"touches_per_second_low"`
	High    number `json:"touches_per_second_high"`
	Growth  number `json:"new_pages_per_second"`
	Inserts number `json:"rows_per_second"`
	Window  number `json:"window_rows"`
	Skew    number `json:"skew"`
}

type jsonVacuumCost struct {
	Vacuums    int    `json:"vacuums"`
	Seconds    number `json:"elapsed_s"`
	Buffers    number `json:"buffers"`
	WAL        number `json:"wal_bytes"`
	Indexes    int    `json:"indexes"`
	IndexPages number `json:"index_pages"`
}

type jsonDecay struct {
	What    string `json:"measured_by"`
	Cycles  int    `json:"cycles"`
	Between int    `json:"between_bounds"`
	Lost    number `json:"lost"`
	Low     number `json:"low"`
	High    number `json:"high"`
}

type jsonPass struct {
	Start         *string `json:"start"`
	End           *string `json:"end"`
	Place         string  `json:"place"`
	Cause         string  `json:"cause"`
	Why           string  `json:"why"`
	Dead          number  `json:"dead"`
	DeadLimit     number  `json:"dead_limit"`
	Inserted      number  `json:"inserted"`
	InsertedLimit number  `json:"inserted_limit"`
}
