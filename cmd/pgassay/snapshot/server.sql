select
  now() as captured_at,
  current_database() as datname,
  current_setting('server_version') as server_version,
  current_setting('server_version_num')::int as server_version_num,
  nullif(:'system_identifier', '') as system_identifier,
  pg_is_in_recovery() as in_recovery,
  pg_postmaster_start_time() as postmaster_start_time,
  pg_conf_load_time() as conf_load_time,
  current_setting('block_size')::int as block_size,
  nullif(:'wal_lsn', '')::pg_lsn as wal_lsn,
\if :pg13
  pg_snapshot_xmax(pg_current_snapshot())::text as next_xid,
\else
  txid_snapshot_xmax(txid_current_snapshot())::text as next_xid,
\endif
  (select string_agg(extname || ' ' || extversion, ', ' order by extname) from pg_extension) as extensions
