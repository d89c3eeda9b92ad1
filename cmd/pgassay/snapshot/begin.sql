-- It reads statistics and catalogs of one database and changes nothing. A
-- member of pg_monitor sees all there is, any other role a part. What a version
-- lacks or a role may not read costs that part alone. PostgreSQL 12 to 19, psql
-- 11 or later; give psql -X, so that nobody's .psqlrc is read.

\set QUIET on
\set ECHO none
\set AUTOCOMMIT on
\set ON_ERROR_STOP off
\set ON_ERROR_ROLLBACK on
\timing off

-- How many statements of pg_stat_statements are read at most: -v statements=N.
\if :{?statements}
\else
  \set statements 5000
\endif

-- One transaction is one capture: captured_at is its time in every row.
begin transaction isolation level repeatable read, read only;
set local statement_timeout = '30s';
set local lock_timeout = '500ms';
set local search_path = pg_catalog;
set local datestyle = 'ISO, YMD';
set local intervalstyle = 'postgres';
set local timezone = 'UTC';
set local standard_conforming_strings = on;

select /* pgassay */
  version >= 130000 as pg13, version >= 150000 as pg15, version >= 180000 as pg18,
  case current_setting('server_encoding') when 'SQL_ASCII' then 'SQL_ASCII' else 'UTF8' end as encoding
from (select current_setting('server_version_num')::int) as server(version)
\gset
set local client_encoding = :'encoding';
\if :pg15
  set local stats_fetch_consistency = 'snapshot';
\endif

-- pg_stat_statements lives in any schema, and its columns are those of the
-- extension's version, not of the server's.
select /* pgassay */ coalesce(min(n.nspname), 'pg_catalog') as statements_schema
from pg_extension e join pg_namespace n on n.oid = e.extnamespace
where e.extname = 'pg_stat_statements' and has_schema_privilege(n.oid, 'usage')
\gset
select /* pgassay */ case when count(*) > 0 then 'total_exec_time' else 'total_time' end as statements_time
from pg_attribute
where attrelid = to_regclass(format('%I.pg_stat_statements', :'statements_schema')) and attname = 'total_exec_time'
\gset

-- Some roles may not read the first, some services do not have the second. What
-- is asked has no value in it that changes, so that a statement of this script
-- is one entry of pg_stat_statements.
\set control off
\set wal off
select /* pgassay */ has_function_privilege('pg_control_system()', 'execute') as control
\gset
select /* pgassay */ case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end is not null as wal
\gset
