-- Works with programs from 0013 on.
--
-- Counts the rows from before 0015-counts.sql. This is a file of its own, because that one holds locks. Each statement
-- sees the rows and the changes of one moment, so programs may write meanwhile.
insert into count_changes select * from count_differences() where counter <> 'sent';

-- A failure before any attempt has no day that is known.
insert into delivery_changes
select instance_id, group_id, sum(sent_now), day, sum(sent), sum(delivered), sum(read), sum(failed)
from (
  select instance_id, group_id, (status = 'sent')::int as sent_now, day_of(coalesce(sent_at, intent_at)) as day,
    (status = 'sent')::int as sent, (delivered_at is not null)::int as delivered, (read_at is not null)::int as read,
    (status = 'failed' and coalesce(sent_at, intent_at) is not null)::int as failed
  from deliveries where status in ('sent', 'failed')
  union all
  select instance_id, group_id, -sent_now, day, -sent, -delivered, -read, -failed from delivery_changes
) as missing
group by instance_id, group_id, day;

-- Otherwise the first Admin who opens the dashboard would wait for this. The version is that of this moment.
insert into people_counts
select 'all', (select coalesce(sum(n), 0) from count_changes where counter = 'people'), count(*),
  coalesce(sum(person.rows), 0), clock_now()
from (
  select count(*) as rows from participants p join groups g on g.id = p.group_id where g.left_at is null
  group by p.person_id
) as person;
