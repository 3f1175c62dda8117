-- The slowest handlers: quantiles of their times, merged over all runs
-- plot: name p95_us
select app, name, refreshes, p50_us, p95_us, p99_us
from view_quantiles order by p95_us desc, app, name limit 20
