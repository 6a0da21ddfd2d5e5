-- Works with programs from 0032 on.
--
-- What the days counted before 0037-every-number.sql and no row shows. A file of its own, because that one locks the
-- deliveries. One statement sees numbers and rows as of one moment, so programs may write meanwhile.
insert into days_without_rows
select instance_id::bigint, day::date, -coalesce(sum(n) filter (where counter = 'sent'), 0),
  -coalesce(sum(n) filter (where counter = 'delivered'), 0), -coalesce(sum(n) filter (where counter = 'read'), 0),
  -coalesce(sum(n) filter (where counter = 'failed'), 0)
from (
  select split_part(owner, ' ', 2) as instance_id, split_part(owner, ' ', 3) as day, counter, n
  from count_differences() where owner like 'day %' and owner not like 'day 0 %'
) as difference
group by 1, 2;
