-- How large the values of vector columns are, as percentiles of pg_column_size:
-- why an HNSW index is walked (PGA101), and whether vectors fit into their rows
-- (PGA605). Unlike the capture it reads tables, those with an index of pgvector
-- on a plain column: about a thousand pages of each, drawn at random. It
-- changes nothing, fetches no vector, and needs SELECT of the column. Once is
-- enough. psql 11 or later; give psql -X.

\set QUIET on
\set ECHO none
\set AUTOCOMMIT on
\set ON_ERROR_STOP off
\set ON_ERROR_ROLLBACK on
\timing off

begin transaction isolation level repeatable read, read only;
set local statement_timeout = '30s';
set local lock_timeout = '500ms';
set local search_path = pg_catalog;
set local timezone = 'UTC';

-- JSON has no control characters, so nothing is quoted or escaped again.
select /* pgassay */ format($query$copy (select /* pgassay */ row_to_json(r) from (
  select now() as captured_at, current_database() as datname, %L as schemaname, %L as relname, %L as attname,
    count(size) as n, min(size), percentile_disc(0.1) within group (order by size) as p10,
    percentile_disc(0.5) within group (order by size) as p50, percentile_disc(0.9) within group (order by size) as p90,
    percentile_disc(0.99) within group (order by size) as p99, max(size)
  from (select pg_column_size(%I) as size from %I.%I tablesample system (%s)) sampled
) r) to stdout with (format csv, quote e'\x01', delimiter e'\x02')$query$,
  n.nspname, t.relname, a.attname, a.attname, n.nspname, t.relname, round(least(100, 100000.0 * current_setting('block_size')::int / greatest(pg_relation_size(t.oid), 1)), 4))
from pg_class t
join pg_namespace n on n.oid = t.relnamespace
join pg_attribute a on a.attrelid = t.oid
where t.relkind in ('r', 'm') and has_column_privilege(t.oid, a.attnum, 'select')
  and exists (
    select from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
    where i.indrelid = t.oid and m.amname in ('hnsw', 'ivfflat') and i.indkey[0] = a.attnum)
order by n.nspname, t.relname
\gexec

commit;
