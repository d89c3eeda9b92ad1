begin;
commit;
create extension if not exists pg_stat_statements
create index memories_bucket on memories (tenant_id, bucket_id)
create index orders_created on orders (created_at) include (customer_id, total)
create index orders_customer on orders (customer_id, created_at)
create table buckets (id int primary key, tenant_id int not null, enabled bool not null default true)
create table customers (id int primary key, name text not null, region int not null)
create table memories (id bigserial primary key, tenant_id int not null, bucket_id int not null, body text, score real)
create table orders (id bigint generated always as identity primary key, customer_id int not null references customers, total numeric not null, created_at timestamptz not null default now())
declare c cursor for select * from t;
delete from queue_items where id % 1000 = $1
delete from t where id >= 2000000;
drop table if exists customers, orders cascade
drop table if exists memories, buckets
execute p(5,'it''s; here');
execute q(3);
fetch 3 from c;
insert into buckets select g, 1, true from generate_series($1::int,$2::int) g
insert into buckets select g, 1, true from generate_series(1,50) g
insert into customers select g, md5(g::text), g%20 from generate_series(1,10000) g
insert into items (embedding) values ($1)
insert into items (embedding) values ($1), ($2), ($3), ($4), ($5)
insert into items (embedding) values ($1), ($2), ($3), ($4), ($5), ($6), ($7), ($8), ($9), ($10)
insert into memories (tenant_id,bucket_id,body,score) select 1, 1+g%50, md5(g::text), random() from generate_series(1,12000) g
insert into orders (customer_id, total) values ($1, $2)
insert into orders (customer_id,total,created_at) select 1+(random()*(10000-1))::int, random()*100, now()-random()*interval '90 days' from generate_series(1,100000) g
insert into queue_items (state,priority,available_at,payload) select 'ready', g%10, now()-random()*interval '30 days', repeat(md5(g::text),4) from generate_series(1,$1) g
insert into t select i, 'x', 1 from generate_series(2000000,2000003) i;
insert into t values ($1 + 1000000, 'ins'||$2, $3) on conflict do nothing;
prepare p(int,text) as select * from t where id=$1 and v<>$2;
prepare q(int) as select * from t where id=$1;
select $1 + 1;
select 'semi;colon', 	'tab	inside', 	"id" from t where v = 'o''clock; x'   and n > 5 limit 1;
select * from t a join t b using(n) where a.id < 3 limit 5;
select count(*)        from t where n = x
select count(*) from (select * from t a order by v desc, id) x;
select count(*) from (select * from t order by v,id desc) x;
select count(*) from queue_items
select count(*) from t where id < 10;
select count(*) from t where n = 7;
select count(*) from t;
select f(3);
select f(4)
select id from buckets where tenant_id = $1 and enabled
select id from queue_items where id >= $1 order by id limit 1
select id, score from memories where tenant_id = $1 and bucket_id = $2 order by score desc limit 20
select n, count(*) from t group by n order by 2 desc limit 3;
select name, region from customers where id = $1
select o.id, o.total, o.created_at from orders o where o.customer_id = $1 order by o.created_at desc limit 20
select region, count(*), sum(total) from orders join customers c on c.id = customer_id where created_at > now() - interval '1 day' group by region
select sum(priority) from (select id, priority from queue_items where state='ready' order by available_at, id limit 100000) ready_jobs
select v
select v, n from t where id = $1 and v <> 'q;''z';
set auto_explain.log_min_duration=-1
set enable_seqscan=off;
set log_min_duration_statement=0;
set log_min_duration_statement=0; update t set v='m' where id=1;
set max_parallel_workers_per_gather=2;
set min_parallel_index_scan_size=0;
set min_parallel_table_scan_size=0;
set parallel_setup_cost=0;
set parallel_tuple_cost=0;
set work_mem='64kB';
update customers set region = $2 where id = $1
vacuum analyze
vacuum analyze memories
select 1 garbage ) (
selct 1

with moved as (delete from queue where id < 5 returning *) insert into archive select * from moved
with d as (delete from queue where id < 5 returning *) select count(*) from d
select * from a, b.c d, lateral f(a.x) g where exists (select 1 from "Odd Name" o where o.id = a.id) for update of a
update only public.t set a = 1 from u where u.id = t.id
truncate table t
reindex index concurrently idx_queue_ready
explain analyze select * from t where a = 1
merge into t using s on t.a = s.a when not matched by source then delete
select extract(year from x), * from json_table(d, p columns (a int)) j, t2 where a is distinct from b
create materialized view mv as select * from t
start transaction isolation level serializable
end
abort
select 'unterminated
select "unterminated
select 1 /* unterminated
select a from t where b = $x$ no end
(select a from t) union all (select b from u)
table t
values (1, 2), (3, 4)
create or replace function f() returns int language sql as $$ select 1 $$
set log_min_duration_statement=0; update t set v='m' where id=1
