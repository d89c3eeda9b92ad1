package finding

// Verdicts on a candidate of an Attribution beside those on rivals.
const (
	// Explains: its equation holds, or what it leaves of the cost is noise.
	Explains Verdict = "explains"
	// NotToldApart: it explains the cost as well as another candidate does, and
	// the input cannot say which of them it is.
	NotToldApart Verdict = "not told apart"
)

// Attribution is one candidate cause of a changed cost, and what the readings
// say of it. A finding lists them with the largest share first, those that
// cannot be measured last.
type Attribution struct {
	Candidate string // "pages of items_embedding_hnsw", "concurrency"
	Verdict   Verdict
	// Share is the part of the cost's variance that it explains: alone if it
	// explains the cost, else what it adds to what does; 0..1, nil if not
	// measured.
	Share *float64
	// Slope is the cost per unit of the candidate with its 95 % interval, the
	// band it was held against, and the corrected p-value of Partial; nil if not
	// measured.
	Slope *Figure
	// Raw is the correlation with the cost, Partial the one given what explains
	// it; nil if not measured.
	Raw, Partial *float64
	// N is the number of independent readings, EffectiveN what they are worth
	// for their autocorrelation.
	N          int
	EffectiveN float64
	Why        string // for the verdict; for "not measurable" what is missing
}
