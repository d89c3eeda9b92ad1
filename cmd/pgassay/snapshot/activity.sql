select now() as captured_at, s.*, age(s.backend_xid) as backend_xid_age, age(s.backend_xmin) as backend_xmin_age
from pg_stat_activity s
where s.pid <> pg_backend_pid()
