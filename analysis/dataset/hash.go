package dataset

import "github.com/pgassay/pgassay/parser/record"

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
	minute    = 60 * record.Second
)

// chunkHash hashes the unit of sampling: one minute of one session; without a
// session, of one backend.
func chunkHash(x *Exec) uint64 {
	h := uint64(fnvOffset)
	for i := 0; i < len(x.Session); i++ {
		h = (h ^ uint64(x.Session[i])) * fnvPrime
	}
	h = mix(h ^ uint64(x.ProcessID))
	return mix(h ^ uint64(int64(x.Time)/int64(minute)))
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
