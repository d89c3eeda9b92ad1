select
  now() as captured_at,
  s.database as datname,
  s.*,
  age(s.xmin) as xmin_age,
\if :wal
  pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, s.restart_lsn) as retained_bytes,
\endif
  age(s.catalog_xmin) as catalog_xmin_age
from pg_replication_slots s
