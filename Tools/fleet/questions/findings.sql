-- The findings that cost most, with their remedies
-- plot: sentence wasted_ns
select r.app, f.fingerprint, min(f.rule) as rule, count(distinct f.run) as runs, sum(f.count) as occurrences,
  sum(f.wasted_ns) as wasted_ns, min(f.sentence) as sentence, min(coalesce(f.remedy, '')) as remedy
from findings f join run_facts r on r.run = f.run where f.intention is null
group by r.app, f.fingerprint
order by wasted_ns desc, r.app, f.fingerprint limit 20
