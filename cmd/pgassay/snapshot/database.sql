select
  now() as captured_at,
  s.*,
  d.datistemplate,
  d.datallowconn,
  age(d.datfrozenxid) as frozenxid_age,
  mxid_age(d.datminmxid) as mxid_age,
  case when s.datname = current_database() then pg_database_size(s.datid) end as database_size
from pg_stat_database s
left join pg_database d on d.oid = s.datid
