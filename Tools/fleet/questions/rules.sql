-- How many runs each rule finds something in
-- plot: rule runs
select rule, count(distinct run) as runs, sum(count) as occurrences
from (select run, rule, count from findings union all select run, rule, count from leaks) f
group by rule order by runs desc, rule
