select
  now() as captured_at,
  current_database() as datname,
  s.*,
\if :wal
  pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, s.replay_lsn) as replay_lag_bytes,
\endif
  age(s.backend_xmin) as backend_xmin_age
from pg_stat_replication s
