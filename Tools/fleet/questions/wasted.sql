-- Views with the most redundant refreshes
-- plot: name redundant
select app, name, count(distinct run) as runs, sum(refreshes) as refreshes, sum(redundant) as redundant,
  1e2 * sum(redundant) / sum(refreshes) as redundant_percent, sum(wasted_ns) as wasted_ns
from view_runs group by app, name having sum(redundant) > 0
order by redundant desc, app, name limit 20
