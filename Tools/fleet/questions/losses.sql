-- Traces that could not be read, or are incomplete
-- plot: fault runs
select fault, path, count(*) as runs, min(sentence) as sentence
from losses group by fault, path order by fault, path
