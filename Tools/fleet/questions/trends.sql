-- Redundant refreshes and handler times by day
-- plot: day redundant_percent
select day, app, count(*) as runs, 1e2 * sum(redundant) / sum(refreshes) as redundant_percent,
  sum(handler_ns) / 1e3 / sum(refreshes) as us_each
from run_facts group by day, app having sum(refreshes) > 0
order by day, app
