select
  now() as captured_at,
  current_database() as datname,
  s.*,
  age(s.backend_xmin) as backend_xmin_age,
  pg_wal_lsn_diff(nullif(:'wal_lsn', '')::pg_lsn, s.replay_lsn) as replay_lag_bytes
from pg_stat_replication s
