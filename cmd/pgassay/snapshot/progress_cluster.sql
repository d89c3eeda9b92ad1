select now() as captured_at, s.*, n.nspname as schemaname, c.relname
from pg_stat_progress_cluster s
left join pg_class c on c.oid = s.relid and s.datname = current_database()
left join pg_namespace n on n.oid = c.relnamespace
