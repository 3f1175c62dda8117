-- Views over the tables of `weir facts`, in SQL that DuckDB and Spark understand alike.
--
-- Means and deviations come from sums of whole numbers, so that both engines compute the same digits in any order of rows.

create or replace temporary view run_facts as
select run, path, coalesce(app, program) as app, coalesce(build, '') as build, coalesce(device, '') as device,
  coalesce(test, '') as test, coalesce(day, '') as day, refreshes, redundant, handler_ns, wasted_ns, timed
from runs;

create or replace temporary view app_runs as
select app, count(*) as runs from run_facts group by app;

-- Each view of each run: all refreshes of handlers of one node.
create or replace temporary view view_runs as
select r.run, r.app, r.build, r.device, r.day, x.name, sum(x.refreshes) as refreshes, sum(x.redundant) as redundant,
  sum(x.handler_ns) as handler_ns, sum(x.wasted_ns) as wasted_ns
from refreshes x join run_facts r on r.run = x.run
group by r.run, r.app, r.build, r.device, r.day, x.name;

create or replace temporary view run_speeds as
select run, app, build, device, path, cast(floor(handler_ns / (1e3 * refreshes)) as bigint) as us_each
from run_facts where timed and refreshes > 0;

-- What is compared between builds: whole numbers, one for each view of each run.
create or replace temporary view measures as
select app, build, name, 'redundant refreshes per run' as metric, cast(redundant as bigint) as x from view_runs
union all
select v.app, v.build, v.name, 'handler microseconds per refresh' as metric,
  cast(floor(v.handler_ns / (1e3 * v.refreshes)) as bigint) as x
from view_runs v join run_facts r on r.run = v.run where r.timed and v.refreshes > 0;

create or replace temporary view measure_sums as
select app, name, metric, build, count(*) as n, cast(sum(x) as double) as s, cast(sum(x * x) as double) as q
from measures group by app, name, metric, build;

-- Differences of means with their confidence interval: `z` holds for all comparisons together (Bonferroni).
create or replace temporary view comparisons as
select app, name, metric, runs_before, runs_after, mean_before, mean_after, mean_after - mean_before as change,
  mean_after - mean_before - z * deviation as low, mean_after - mean_before + z * deviation as high
from (
  select b.app, b.name, b.metric, b.n as runs_before, a.n as runs_after, b.s / b.n as mean_before, a.s / a.n as mean_after,
    sqrt((b.q - b.s * b.s / b.n) / (b.n - 1) / b.n + (a.q - a.s * a.s / a.n) / (a.n - 1) / a.n) as deviation, p.z
  from measure_sums b
  join measure_sums a on a.app = b.app and a.name = b.name and a.metric = b.metric
  join parameters p on b.build = p.build_before and a.build = p.build_after
  where a.n > 1 and b.n > 1) c;

-- Bucket b begins at (8 + b mod 8) * 2 ^ (b div 8 - 3) nanoseconds.
create or replace temporary view time_buckets as
select t.run, h.name, t.bucket, t.refreshes, (8 + t.bucket % 8) * pow(2e0, floor(t.bucket / 8e0) - 3e0) / 1e3 as lower_us
from times t join handlers h on h.run = t.run and h.handler = t.handler;

create or replace temporary view view_quantiles as
select app, name, sum(refreshes) as refreshes, min(case when upto >= 0.5e0 * total then lower_us end) as p50_us,
  min(case when upto >= 0.95e0 * total then lower_us end) as p95_us,
  min(case when upto >= 0.99e0 * total then lower_us end) as p99_us
from (
  select app, name, refreshes, lower_us, sum(refreshes) over (partition by app, name order by bucket) as upto,
    sum(refreshes) over (partition by app, name) as total
  from (
    select r.app, t.name, t.bucket, min(t.lower_us) as lower_us, sum(t.refreshes) as refreshes
    from time_buckets t join run_facts r on r.run = t.run group by r.app, t.name, t.bucket) b) c
group by app, name;
