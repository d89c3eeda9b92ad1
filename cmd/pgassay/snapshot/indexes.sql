with busy as (
  -- Who holds a table or index exclusively would make its size and definition
  -- wait: those are empty in this capture.
  select relation
  from pg_locks
  where locktype = 'relation' and mode = 'AccessExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())
)
select
  now() as captured_at,
  current_database() as datname,
  s.*,
  c.relpages,
  c.reltuples::bigint as reltuples,
  c.relfilenode,
  c.reloptions::text as reloptions,
  parent.name as partition_parent,
  a.amname,
  i.indisvalid,
  i.indisready,
  i.indislive,
  i.indisunique,
  i.indisprimary,
  i.indisexclusion,
  i.indisreplident,
  i.indisclustered,
  used.conname,
  used.contype,
  case when not waits.busy then pg_get_indexdef(s.indexrelid) end as indexdef,
  case when not waits.busy then pg_relation_size(s.indexrelid) end as index_size
from pg_stat_user_indexes s
join pg_index i on i.indexrelid = s.indexrelid
join pg_class c on c.oid = s.indexrelid
join pg_am a on a.oid = c.relam
left join (
  select h.inhrelid, n.nspname || '.' || p.relname as name
  from pg_inherits h join pg_class p on p.oid = h.inhparent join pg_namespace n on n.oid = p.relnamespace
) parent on parent.inhrelid = s.indexrelid
left join (
  -- Its own constraint, else a foreign key that refers to it.
  select distinct on (conindid) conindid, conname, contype
  from pg_constraint
  where conindid <> 0
  order by conindid, contype = 'f', conname
) used on used.conindid = s.indexrelid
cross join lateral (
  select exists (select from busy where busy.relation in (s.relid, s.indexrelid)) as busy
) waits
