select
  now() as captured_at,
  s.database as datname,
  s.*,
  age(s.xmin) as xmin_age,
  age(s.catalog_xmin) as catalog_xmin_age,
  pg_wal_lsn_diff(nullif(:'wal_lsn', '')::pg_lsn, s.restart_lsn) as retained_bytes
from pg_replication_slots s
