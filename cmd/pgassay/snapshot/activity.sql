select
  now() as captured_at,
  s.*,
  age(s.backend_xid) as backend_xid_age,
  age(s.backend_xmin) as backend_xmin_age,
  case when s.wait_event_type = 'Lock' then pg_blocking_pids(s.pid) end as blocked_by
from pg_stat_activity s
where s.pid <> pg_backend_pid()
