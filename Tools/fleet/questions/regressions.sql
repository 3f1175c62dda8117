-- What got worse between two builds, beyond chance
-- plot: name change
select app, name, metric, runs_before, runs_after, mean_before, mean_after, change, low, high
from comparisons where low > 0
order by metric, app, name
