with busy as (
  -- Who holds a table or index exclusively would make its size wait: those
  -- tables have no sizes in this capture.
  select coalesce(i.indrelid, l.relation) as relid
  from pg_locks l left join pg_index i on i.indexrelid = l.relation
  where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
    and l.database = (select oid from pg_database where datname = current_database())
)
select
  now() as captured_at,
  current_database() as datname,
  s.*,
  c.relkind,
  c.relpersistence,
  c.relpages,
  c.reltuples::bigint as reltuples,
  c.relallvisible,
\if :pg18
  c.relallfrozen,
\endif
  c.relfilenode,
  c.relreplident,
  c.reloptions::text as reloptions,
  t.reloptions::text as toast_reloptions,
  parent.name as partition_parent,
  case when c.relkind <> 'p' then age(c.relfrozenxid) end as frozenxid_age,
  case when c.relkind <> 'p' then mxid_age(c.relminmxid) end as mxid_age,
  age(t.relfrozenxid) as toast_frozenxid_age,
  mxid_age(t.relminmxid) as toast_mxid_age,
  case when not waits.busy then pg_relation_size(c.oid) end as relation_size,
  case when not waits.busy then pg_table_size(c.oid) end as table_size,
  case when not waits.busy then pg_indexes_size(c.oid) end as indexes_size,
  case when not waits.busy then pg_total_relation_size(t.oid) end as toast_size,
  case when not waits.busy then pg_total_relation_size(c.oid) end as total_relation_size
from pg_stat_user_tables s
join pg_class c on c.oid = s.relid
left join pg_class t on t.oid = c.reltoastrelid
left join (
  select h.inhrelid, n.nspname || '.' || p.relname as name
  from pg_inherits h join pg_class p on p.oid = h.inhparent join pg_namespace n on n.oid = p.relnamespace
) parent on c.relispartition and parent.inhrelid = c.oid
cross join lateral (
  select exists (select from busy where busy.relid in (c.oid, t.oid)) as busy
) waits
