-- Both names are empty where the setting is for all databases or all roles.
select
  now() as captured_at,
  d.datname,
  r.rolname,
  split_part(c.config, '=', 1) as name,
  substr(c.config, strpos(c.config, '=') + 1) as setting
from pg_db_role_setting s
cross join unnest(s.setconfig) as c(config)
left join pg_database d on d.oid = s.setdatabase
left join pg_roles r on r.oid = s.setrole
where split_part(c.config, '=', 1) in (select name from pg_settings where vartype <> 'string')
  or c.config ~ '^(auto_explain|hnsw|ivfflat|pg_stat_statements)\.'
order by d.datname, r.rolname, name
