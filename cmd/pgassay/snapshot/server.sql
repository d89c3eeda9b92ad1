select
  now() as captured_at,
  current_database() as datname,
  current_setting('server_version') as server_version,
  current_setting('server_version_num')::int as server_version_num,
\if :control
  (select system_identifier::text from pg_control_system()) as system_identifier,
\endif
  pg_is_in_recovery() as in_recovery,
  pg_postmaster_start_time() as postmaster_start_time,
  pg_conf_load_time() as conf_load_time,
  current_setting('block_size')::int as block_size,
\if :wal
  case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end as wal_lsn,
\endif
\if :pg13
  pg_snapshot_xmax(pg_current_snapshot())::text as next_xid,
\else
  txid_snapshot_xmax(txid_current_snapshot())::text as next_xid,
\endif
  (select string_agg(extname || ' ' || extversion, ', ' order by extname) from pg_extension) as extensions
