-- The builds side by side
-- plot: build redundant_percent
select app, build, count(*) as runs, sum(refreshes) as refreshes, 1e2 * sum(redundant) / sum(refreshes) as redundant_percent,
  sum(handler_ns) / 1e3 / sum(refreshes) as us_each
from run_facts group by app, build having sum(refreshes) > 0
order by app, build
