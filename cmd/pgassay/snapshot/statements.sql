-- Without those whose text is hidden from this role, and without this script's.
select now() as captured_at, d.datname, pg_get_userbyid(s.userid) as usename, s.*
from :"statements_schema".pg_stat_statements s
left join pg_database d on d.oid = s.dbid
where s.query <> '<insufficient privilege>' and s.query not like '%/* pgassay */%'
order by s.:statements_time desc
limit :statements
