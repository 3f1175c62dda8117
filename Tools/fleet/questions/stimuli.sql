-- The stimuli that keep handlers busy longest
-- plot: stimulus us_each
select r.app, s.stimulus, sum(s.count) as times, sum(s.refreshes) as refreshes, sum(s.redundant) as redundant,
  sum(s.handler_ns) / 1e3 / sum(s.count) as us_each
from stimuli s join run_facts r on r.run = s.run
group by r.app, s.stimulus having sum(s.count) > 0
order by us_each desc, r.app, s.stimulus limit 20
