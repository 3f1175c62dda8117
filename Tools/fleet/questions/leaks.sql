-- Leaks by share of runs
-- plot: sentence share_percent
select r.app, l.signature, min(l.rule) as rule, min(coalesce(l.names, '')) as names, count(distinct l.run) as runs,
  min(a.runs) as runs_of_app, 1e2 * count(distinct l.run) / min(a.runs) as share_percent, min(l.sentence) as sentence
from leaks l join run_facts r on r.run = l.run join app_runs a on a.app = r.app
group by r.app, l.signature
order by share_percent desc, r.app, l.signature limit 50
