package signature

// List holds every signature, by ID.
var List = []*Signature{
	linearPageWalk,
	walkEnded,
	vacuumSawtooth,
	vacuumBlocked,
	indexVacuumAnomaly,
	indexBloat,
	invalidIndex,
	rowMisestimate,
	filterDiscard,
	nestedLoopBlowUp,
	sortOrHashSpill,
	lossyBitmap,
	workersNotLaunched,
	jitOverhead,
	planningDominates,
	triggerTime,
	clientTime,
	coldRead,
	offsetOrCount,
	partitionsNotPruned,
	inconsistentPlan,
	fanOut,
	emptyFanOut,
	timeOutsideServer,
}
