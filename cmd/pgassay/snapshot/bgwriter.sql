select now() as captured_at, current_database() as datname, s.*
from pg_stat_bgwriter s
