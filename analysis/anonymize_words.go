package analysis

import "strings"

// reserved are the words that PostgreSQL 17 reserves (appendix C of its
// manual): unquoted they are never a name.
var reserved = wordSet(`all analyse analyze and any array as asc asymmetric authorization binary both case cast check
collate collation column concurrently constraint create cross current_catalog current_date current_role current_schema
current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign
freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like
limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary
references returning right select session_user similar some symmetric system_user tablesample table then to trailing
true union unique user using variadic verbose when where window with`)

// structural are other words of SQL, its types and common functions that say
// nothing about a schema. A table of that name is replaced all the same.
var structural = wordSet(`add after alter always at atomic attach before begin between by call cascade checkpoint close
cluster comment commit conflict copy cube current cursor cycle database deallocate declare delete detach discard
distinct drop each escape exclude excluded exists explain extension extract filter first following force function
generated global grouping handler if immediate immutable include including increment index inherit insert instead
interval isolation key language last level listen load local lock locked logged match materialized maxvalue merge
minvalue mode move next no nothing notify nowait nulls of off operator option ordinality over overriding owned parallel
partial partition passing prepare preceding precision procedural procedure range read recursive refresh reindex release
rename repeatable replace replica reset restart restrict revoke role rollback rollup row rows rule savepoint schema
scroll sequence serializable session set setof sets share show skip snapshot stable start statement statistics stdin
stdout storage strict temp temporary ties time transaction trigger truncate type uncommitted unknown unlisten unlogged
until update vacuum valid validate values varying view volatile within without work wrapper write zone new old
bigint bigserial bit bool boolean box bytea char character cidr circle citext date daterange dec decimal double float
float4 float8 halfvec hstore inet int int2 int4 int4range int8 int8range integer json jsonb line lseg macaddr money
name national numeric numrange oid path point polygon real regclass serial smallint smallserial sparsevec text
timestamp timestamptz timetz tsquery tsrange tstzrange tsvector uuid varchar vector xml
abs age array_agg avg btrim cardinality ceil ceiling clock_timestamp coalesce concat count date_part date_trunc
dense_rank encode every exp floor format gen_random_uuid generate_series generate_subscripts greatest initcap
json_agg json_build_object jsonb_agg jsonb_array_elements jsonb_build_object lag lead least left length ln lower lpad
ltrim make_interval max md5 min mod now nullif nextval currval octet_length overlay percentile_cont position power
random rank regexp_matches regexp_replace repeat right round row_number row_to_json rpad rtrim setval sqrt
statement_timestamp string_agg strpos substr substring sum to_char to_date to_json to_jsonb to_number to_timestamp
to_tsquery to_tsvector transaction_timestamp trim trunc unnest upper width_bucket
btree hash gist spgist gin brin hnsw ivfflat bloom fillfactor ef_construction`)

// fileWords are what exports, archives and logging collectors call files.
var fileWords = wordSet(`postgresql postgres pg pglog logs log csv csvlog jsonlog json jsonl ndjson tsv txt text out gz zst bz2
xz lz4 zip tar tgz sql plan plans explain auto snapshot snapshots stat stats statio user all tables table indexes index
statements statement activity database databases settings locks sequences functions progress vacuum bgwriter pgassay yaml yml baseline report
checkpointer wal replication slots stdin export exports mon tue wed thu fri sat sun utc`)

// prefixWords may stand in a log_line_prefix.
var prefixWords = wordSet(`prefix user db database app application client host pid session line xid vxid tx time query id
m n t p q u d a r h b c l s v x i e`)

// indexSuffixes end names that PostgreSQL makes from those of tables and
// indexes.
var indexSuffixes = wordSet(`pkey key idx fkey seq check excl ccnew ccold not null`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func plainFileWord(w string) bool { return fileWords[w] }

func prefixWord(w string) bool { return prefixWords[strings.ToLower(w)] }

// postgresName reports whether a name is PostgreSQL's, or one that every
// installation has.
func postgresName(name string) bool {
	switch name {
	case "public", "postgres", "template0", "template1", "information_schema", "psql", "pgbench", "excluded", "ctid", "oid",
		"xmin", "xmax", "tableoid":
		return true
	}
	return strings.HasPrefix(name, "pg_") || pgvectorClass(name)
}

// pgvectorClass recognises pgvector's operator classes: vector_l2_ops …
func pgvectorClass(name string) bool {
	base, ok := strings.CutSuffix(name, "_ops")
	if !ok {
		return false
	}
	for _, t := range [...]string{"vector_", "halfvec_", "sparsevec_", "bit_"} {
		if metric, ok := strings.CutPrefix(base, t); ok {
			switch metric {
			case "l2", "ip", "cosine", "l1", "hamming", "jaccard":
				return true
			}
		}
	}
	return false
}
