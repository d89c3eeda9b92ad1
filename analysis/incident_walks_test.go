package analysis

import "math"

// incidentIssue1025 is pgvector's issue 1025: 30,000 rows of 30 non-zeros, then
// rows of 500; figures of 56 and 20 readings.
func incidentIssue1025() map[string][]byte {
	const query = "insert into items (embedding) values ($1)"
	w := newIncident(1)
	w.settings("server_version", "15.14", "auto_explain.log_min_duration", "0")
	pages, t := 1504.0, 0.0
	capture := func() {
		w.index(t, "items", "items_embedding_idx", "hnsw", "CREATE INDEX items_embedding_idx ON public.items USING hnsw (embedding sparsevec_l2_ops) WITH (m='4', ef_construction='8')", int64(pages), 0)
	}
	step := func(cost func() float64, growth float64) {
		capture()
		for k := range 4 {
			w.insert(t+1+float64(k)*2, cost(), "public.items", query)
		}
		t += 10
		pages += growth
	}
	for range 20 {
		step(func() float64 { return w.about(334, 0.02) }, 20.5)
	}
	w.vacuum(vacuumLine{at: t, seconds: 2, relation: "public.items", pages: 1300, scanned: 1300, removed: 600, remain: 29810,
		cutoffAge: 3, deadPages: 600, deadItems: 600, indexScan: 1, indexes: []string{"items_embedding_idx"}, indexPages: []int64{int64(pages)},
		hits: 5000, dirtied: 1200})
	for range 56 {
		step(func() float64 { return w.about(334, 0.02) + 1.02*(pages-230) }, 27.5)
	}
	capture()
	return w.files()
}

// incidentProduction is the walk in production: about 39 million rows, a
// fixed-size and a sparse column, flat for weeks, an autovacuum, and 29 hours
// later a mean cost that went from 1,107 to 42,403 buffers.
func incidentProduction() map[string][]byte {
	const query = "insert into documents (body, dense, terms) values ($1, $2, $3)"
	w := newIncident(2)
	w.settings("server_version", "16.9", "auto_explain.log_min_duration", "0")
	sparse, densePages, rows := 330_000.0, 2_400_000.0, int64(39_000_000)
	const vacuumed, lag = 4 * day, 29 * hour
	for k := range 96 { // every two hours for eight days
		t := float64(k) * 2 * hour
		w.index(t, "documents", "documents_dense_idx", "hnsw", "CREATE INDEX documents_dense_idx ON public.documents USING hnsw (dense vector_cosine_ops)", int64(densePages), 60)
		w.index(t, "documents", "documents_terms_idx", "hnsw", "CREATE INDEX documents_terms_idx ON public.documents USING hnsw (terms sparsevec_ip_ops)", int64(sparse), 102)
		w.table(t, tableRow{name: "documents", live: rows, dead: 900_000, ins: rows, pages: rows / 3})
		if t == vacuumed {
			w.vacuum(vacuumLine{at: t, seconds: 7200, relation: "public.documents", pages: 13_000_000, scanned: 13_000_000, removed: 906_375, remain: rows,
				cutoffAge: 40, deadPages: 640_000, deadItems: 906_375, indexScan: 1, indexes: []string{"documents_dense_idx", "documents_terms_idx"},
				indexPages: []int64{int64(densePages), int64(sparse)}, hits: 17_000_000, misses: 400_000, dirtied: 700_000})
		}
		for i := range 12 {
			cost := w.about(1107, 0.08)
			if t >= vacuumed+lag && i%10 == 4 { // rows larger than the freed slots
				cost += 0.99 * (sparse - 2000)
			}
			w.insert(t+60+float64(i)*500, cost, "public.documents", query)
		}
		sparse, densePages, rows = sparse+1500, densePages+2000, rows+36_000
	}
	return w.files()
}

// incidentSawtooth is windmill's pull request 9753: a sweep every 30 seconds
// whose time follows what the hourly vacuum leaves; mean 6.9 s, up to 41 s.
func incidentSawtooth() map[string][]byte {
	const query = "delete from job_perms where job_id not in (select id from queue)"
	w := newIncident(9)
	w.settings("server_version", "16.9", "log_min_duration_statement", "0", "log_autovacuum_min_duration", "0")
	dead := int64(0)
	for k := range 600 { // five hours
		t := float64(k) * 30
		phase := math.Mod(t+1500, hour) / hour
		w.duration(t, w.about(400+20_000*phase*phase, 0.2), 70, "worker", query)
		for i := range 3 {
			w.duration(t+2+float64(i)*8, w.about(3, 0.1), 80+i, "worker", "insert into job_perms (job_id, perms) values ($1, $2)")
		}
		dead += 6000
		if k%10 == 0 {
			w.table(t+1, tableRow{name: "job_perms", live: 20_000, dead: dead, ins: int64(k) * 6000, del: int64(k) * 6000, pages: 2000 + dead/100,
				lastAutovacuum: lastOf(t, 2100, hour), vacuums: int64((t + 1500) / hour), modSinceAnalyze: dead})
		}
		if math.Mod(t+30+1500, hour) < 30 {
			w.vacuum(vacuumLine{at: t + 29, seconds: 8, relation: "public.job_perms", pages: 9000, scanned: 9000, removed: dead, remain: 20_000,
				cutoffAge: 20, deadPages: 8000, deadItems: dead, indexScan: 1, indexes: []string{"job_perms_pkey"}, indexPages: []int64{4000}, hits: 30_000, dirtied: 9000})
			dead = 0
		}
	}
	return w.files()
}

// lastOf is the last time first + n·period up to t, as psql prints it.
func lastOf(t, first, period float64) string {
	if t < first {
		return ""
	}
	return stampOf(first - 1 + math.Floor((t-first)/period)*period)
}
