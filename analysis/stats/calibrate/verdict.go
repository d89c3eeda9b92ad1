package main

import (
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/analysis/simulation"
	"github.com/pgassay/pgassay/parser/record"
)

// verdict is what all signatures say of a simulated run.
type verdict struct {
	walk   *finding.Finding // PGA101, nil if silent
	alarms []string         // IDs of findings above info
}

// judge runs every signature over the workload.
func judge(w simulation.Workload) verdict {
	d := dataset.New(dataset.DefaultLimits(), func(text []byte) *record.Statement {
		return &record.Statement{Fingerprint: string(text), Normalized: string(text)}
	})
	d.Fold(w.Batch())
	p := signature.Run(d.Build(), signature.List, nil)
	var v verdict
	for i := range p.Findings {
		f := &p.Findings[i]
		if f.ID == "PGA101" {
			v.walk = f
		}
		if f.Severity > finding.Info {
			v.alarms = append(v.alarms, f.ID)
		}
	}
	slices.Sort(v.alarms)
	v.alarms = slices.Compact(v.alarms)
	return v
}

// falseAlarm reports whether a run without a cause got a finding above info, or
// any word of a walk.
func (v verdict) falseAlarm() bool { return v.walk != nil || len(v.alarms) > 0 }

// finds reports whether the walk was found, on its index.
func (v verdict) finds(w *simulation.Workload) bool {
	return v.walk != nil && v.walk.Subject.Index == "public."+w.Walks[0].Index
}

// dates reports whether the walk's vacuum is named as its event.
func (v verdict) dates(w *simulation.Workload) bool {
	return v.walk.Onset != nil && v.walk.Onset.EventTime == simulation.At(w.Vacuums[0].At)
}

// slope is the interval of the walk's slope; nil if it was found by its step.
func (v verdict) slope() *[2]float64 {
	if f := v.walk.Figures[0]; f.Unit == "buffers/page" {
		return f.Interval
	}
	return nil
}
