-- Handler times by device: is there a slow class?
-- plot: device p95_us
select device, sum(refreshes) as refreshes, min(case when upto >= 0.5e0 * total then lower_us end) as p50_us,
  min(case when upto >= 0.95e0 * total then lower_us end) as p95_us
from (
  select device, refreshes, lower_us, sum(refreshes) over (partition by device order by bucket) as upto,
    sum(refreshes) over (partition by device) as total
  from (select r.device, t.bucket, min(t.lower_us) as lower_us, sum(t.refreshes) as refreshes
    from time_buckets t join run_facts r on r.run = t.run group by r.device, t.bucket) b) c
group by device order by p95_us desc, device
