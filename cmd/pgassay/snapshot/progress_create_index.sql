select now() as captured_at, s.*, n.nspname as schemaname, c.relname, x.relname as indexrelname
from pg_stat_progress_create_index s
left join pg_class c on c.oid = s.relid and s.datname = current_database()
left join pg_namespace n on n.oid = c.relnamespace
left join pg_class x on x.oid = s.index_relid and s.datname = current_database()
