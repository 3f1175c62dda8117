-- Runs far from the others of their app: more than four standard deviations
-- plot: run deviations
select run, app, build, device, path, us_each, mean, deviations
from (
  select s.run, s.app, s.build, s.device, s.path, s.us_each, m.mean, (s.us_each - m.mean) / m.deviation as deviations
  from run_speeds s join (
    select app, device, cast(sum(us_each) as double) / count(*) as mean,
      sqrt((cast(sum(us_each * us_each) as double) - cast(sum(us_each) as double) * cast(sum(us_each) as double) / count(*))
        / (count(*) - 1)) as deviation
    from run_speeds group by app, device having count(*) > 2) m on m.app = s.app and m.device = s.device
  where m.deviation > 0) d
where deviations > 4e0 or deviations < -4e0
order by deviations desc, run limit 50
