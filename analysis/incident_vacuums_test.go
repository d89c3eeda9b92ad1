package analysis

import "fmt"

// defaults are the settings of autovacuum as they come.
func (w *incidentWriter) defaults(version string) {
	w.settings("server_version", version, "autovacuum", "on", "autovacuum_vacuum_threshold", "50", "autovacuum_vacuum_scale_factor", "0.2",
		"autovacuum_vacuum_insert_threshold", "1000", "autovacuum_vacuum_insert_scale_factor", "0.2", "autovacuum_analyze_threshold", "50",
		"autovacuum_analyze_scale_factor", "0.1", "autovacuum_naptime", "60", "autovacuum_freeze_max_age", "200000000")
}

// indexOnly is the plan of an index-only scan.
func (w *incidentWriter) indexOnly(at, ms float64, relation, query string, loops, rows, fetches, hit, read int64) {
	w.plan(at, ms, query, fmt.Sprintf("Index Only Scan using %s_lookup on public.%s  (cost=0.56..1200.00 rows=%d width=8) (actual time=0.020..%.3f rows=%d loops=%d)\n"+
		"  Index Cond: (%s_id = ANY ($1))\n  Heap Fetches: %d\n  Buffers: shared hit=%d read=%d", relation, relation, rows, ms/float64(loops), rows, loops, relation, fetches, hit, read))
}

// incidentInsertKnob is argos-ci's pull request 2523: 235,000 inserts a month
// against an insert trigger of 750,159, and a query that looks back a month.
func incidentInsertKnob() map[string][]byte {
	w := newIncident(4)
	w.defaults("16.9")
	for k := range 15 { // two weeks
		t := float64(k) * day
		live := int64(3_745_796 + 7833*k)
		w.table(t, tableRow{name: "screenshots", live: live, dead: 19_331, ins: live + 400_000, pages: 136_000, allVisible: 118_000,
			insSinceVacuum: int64(470_000 + 7833*k), modSinceAnalyze: int64(20_000 + 7833*k%300_000), lastAutovacuum: stampOf(-60 * day), vacuums: 5, idxScan: int64(900_000 + 30_000*k)})
		for i := range 4 {
			w.indexOnly(t+float64(i)*5*hour+600, w.about(233.3, 0.04), "screenshots", "select count(*) from screenshots where screenshots_id = any ($1)", 298, 789, 163_249, 120_832, 734)
		}
	}
	return w.files()
}

// incidentInsertsOnly is super-productivity's pull request 9791: 8.6 million
// rows, 82.8 % of the pages visible, at most 25,000 deletes a night.
func incidentInsertsOnly() map[string][]byte {
	w := newIncident(6)
	w.defaults("16.9")
	for k := range 15 {
		t := float64(k) * day
		live := int64(8_600_000 + 35_000*k)
		w.table(t, tableRow{name: "operations", live: live, dead: int64(20_000 + 5_000*k), ins: live + int64(5_000*k), del: int64(5_000 * k), pages: 860_996, allVisible: 712_548,
			insSinceVacuum: int64(900_000 + 40_000*k), lastAutovacuum: stampOf(-21 * day), vacuums: 3, idxScan: int64(5_000_000 + 200_000*k)})
		for i := range 4 {
			w.indexOnly(t+float64(i)*5*hour+600, w.about(420, 0.05), "operations", "select count(*) from operations where operations_id = any ($1)", 1, 600_000, 103_200, 61_000, 2000)
		}
	}
	return w.files()
}

// incidentPinned is the queue beside a long transaction: 50 jobs a second, an
// analytics session that stays open from minute 15 on.
func incidentPinned() map[string][]byte { return pinnedQueue(100, 1.0/200) }

// pinnedQueue is a queue whose vacuums leave rows more a second, of which each
// makes a claim msPerRow slower.
func pinnedQueue(rows, msPerRow float64) map[string][]byte {
	w := newIncident(10)
	w.defaults("15.14")
	pinned := 15 * minute
	for k := range 60 { // an hour
		t := float64(k) * minute
		held := int64(0)
		if t > pinned {
			held = int64((t - pinned) * rows)
		}
		w.vacuum(vacuumLine{at: t + 30, seconds: 1, relation: "public.jobs", pages: 400 + held/60, scanned: 400 + held/60, removed: 6000 - min(held, 5990), remain: 2000 + held,
			notYet: held, cutoff: 5_000_000 + int64(min(t, pinned)*100), cutoffAge: max(2, int64(t-pinned)*100), deadPages: 300, deadItems: 6000 - min(held, 5990), indexScan: 1, indexes: []string{"jobs_pkey"}, indexPages: []int64{200 + held/300}, hits: 2000 + held/30, dirtied: 300})
		w.table(t, tableRow{name: "jobs", live: 2000, dead: held + 3000, ins: int64(k) * 3000, upd: int64(k) * 3000, del: int64(k) * 3000, pages: 400 + held/60, lastAutovacuum: lastOf(t, 31, minute), vacuums: int64(k)})
		w.activity(t, 501, "worker", "active", t-0.01, 5_000_000+int64(t*100), "delete from jobs where id = $1")
		if t >= pinned {
			w.activity(t, 777, "analytics", "idle in transaction", pinned, 5_000_000+int64(pinned*100), "select count(*) from orders")
		}
		w.duration(t+5, w.about(2+float64(held)*msPerRow, 0.1), 501, "worker", "select id from jobs where run_at <= now() order by priority, run_at limit 1 for update skip locked")
	}
	return w.files()
}

func (w *incidentWriter) activity(at float64, pid int, application, state string, since float64, xmin int64, query string) {
	w.row("activity", at, "datname", "shop", "pid", pid, "usename", "app", "application_name", application, "backend_start", stampOf(-hour),
		"xact_start", stampOf(since), "query_start", stampOf(since), "state_change", stampOf(since), "wait_event_type", "Client", "wait_event", "ClientRead",
		"state", state, "backend_xid", "", "backend_xmin", xmin, "query", query, "backend_type", "client backend")
}

// incidentBelowThreshold sat at 800,000 dead rows of 9,614,094 for 75 days: 42 %
// of its trigger.
func incidentBelowThreshold() map[string][]byte {
	w := newIncident(11)
	w.defaults("14.19")
	for k := range 40 {
		t := float64(k) * day
		upd := int64(2_000_000 + 8_000*k)
		w.table(t, tableRow{name: "payments", live: 9_614_094, dead: int64(490_000 + 8_000*k), ins: 12_000_000, upd: upd, hot: 200_000 + int64(k)*400, pages: 1_572_864, allVisible: 1_100_000,
			modSinceAnalyze: 400_000, lastAutovacuum: stampOf(-62 * day), lastAnalyz: stampOf(-3 * day), vacuums: 2, idxScan: int64(90_000_000 + 400_000*k)})
		w.index(t, "payments", "payments_pkey", "btree", "CREATE UNIQUE INDEX payments_pkey ON public.payments USING btree (id)", 30_000, int64(40_000_000+400_000*k))
		w.index(t, "payments", "payments_status_created_idx", "btree", "CREATE INDEX payments_status_created_idx ON public.payments USING btree (status, created_at)", 52_000, int64(9_000_000+90_000*k))
		w.index(t, "payments", "payments_status_idx", "btree", "CREATE INDEX payments_status_idx ON public.payments USING btree (status)", 41_000, 0)
		w.statement(t, 1, "update payments set status = $1, updated_at = $2 where id = $3", upd, float64(upd)*3.5, upd, upd*40, upd)
	}
	return w.files()
}

// incidentSmall is boardsesh's pull request 1970: never vacuumed, 22 fetches of
// 22 rows. Small cost: info at most.
func incidentSmall() map[string][]byte {
	w := newIncident(19)
	w.defaults("16.9")
	for k := range 10 {
		t := float64(k) * day
		w.table(t, tableRow{name: "climbs", live: int64(600_000 + 100*k), dead: 900, ins: int64(600_000 + 100*k), insSinceVacuum: int64(600_000+100*k) % 100_000, pages: 22_000, allVisible: 0, idxScan: int64(1000 * k)})
		for i := range 10 {
			w.indexOnly(t+float64(i)*hour, w.about(0.31, 0.1), "climbs", "select climbs_id from climbs where climbs_id = any ($1)", 1, 22, 22, 26, 0)
			w.plan(t+float64(i)*hour+60, w.about(95, 0.05), "select * from sessions where user_id = $1", "Seq Scan on public.sessions  (cost=0.00..900.00 rows=40000 width=60) (actual time=0.010..90.000 rows=40000 loops=1)\n  Buffers: shared hit=800")
		}
	}
	return w.files()
}

// incidentQueue is the queue under churn, up to the VACUUM that mended it: an
// index-only scan of 500,000 rows that fetches none, then 290,035 from the heap.
func incidentQueue() map[string][]byte {
	const query = "select count(*) from queue_items where queue_items_id = any ($1)"
	w := newIncident(30)
	w.defaults("16.9")
	scan := func(t, ms float64, fetches, hit int64) {
		for i := range 5 {
			w.indexOnly(t+float64(i)*10, w.about(ms, 0.02), "queue_items", query, 1, 500_000, fetches, hit, 0)
		}
	}
	row := func(t float64, dead, pages, visible, churn int64, vacuum string) {
		w.table(t, tableRow{name: "queue_items", live: 1_000_000, dead: dead, ins: 1_000_000 + churn, del: churn, pages: pages, allVisible: visible, insSinceVacuum: churn, lastVacuum: vacuum, lastAnalyz: vacuum, modSinceAnalyze: 2 * churn})
	}
	row(0, 0, 20_409, 20_409, 0, stampOf(-hour))
	scan(60, 102.982, 0, 1400)
	for k := range 10 {
		t := 10*minute + float64(k)*minute
		churn := int64(k+1) * 10_000
		row(t, churn, 20_409+200*int64(k+1), 20_409, churn, stampOf(-hour))
	}
	scan(25*minute, 196.898, 290_035, 291_400)
	row(30*minute, 100_000, 22_449, 8_530, 100_000, stampOf(-hour))
	return w.files()
}
