-- Numbers, switches and choices of every setting; of texts only these, since
-- others may hold secrets. What this session has set for itself is shown as it
-- would be without.
select
  now() as captured_at,
  current_database() as datname,
  name,
  case when source = 'session' then reset_val else setting end as setting,
  unit,
  source,
  boot_val,
  pending_restart
from pg_settings
where (vartype <> 'string'
  or name in ('server_version', 'server_encoding', 'lc_messages', 'log_destination', 'log_line_prefix', 'log_timezone',
    'log_filename', 'shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries',
    'default_table_access_method', 'synchronous_standby_names'))
  and name not in ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable')
union all
-- Of modules that this session has not loaded.
select now(), current_database(), name, current_setting(name, true), null, null, null, null
from unnest(array[
  'auto_explain.log_analyze', 'auto_explain.log_buffers', 'auto_explain.log_format', 'auto_explain.log_min_duration',
  'auto_explain.log_nested_statements', 'auto_explain.log_parameter_max_length', 'auto_explain.log_settings',
  'auto_explain.log_timing', 'auto_explain.log_triggers', 'auto_explain.log_verbose', 'auto_explain.log_wal',
  'auto_explain.sample_rate',
  'hnsw.ef_search', 'hnsw.iterative_scan', 'hnsw.max_scan_tuples', 'hnsw.scan_mem_multiplier',
  'ivfflat.iterative_scan', 'ivfflat.max_probes', 'ivfflat.probes',
  'pg_stat_statements.max', 'pg_stat_statements.track', 'pg_stat_statements.track_planning']) as name
where current_setting(name, true) <> '' and name not in (select s.name from pg_settings s)
order by name
