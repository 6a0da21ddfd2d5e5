-- Works with programs from 0032 on.
--
-- Every kept number can be compared with the rows that it counts, and `doctor --repair` mends it: decision 21.

-- What `instance_days` counts and no delivery shows any more, because the delivery was sent again or deleted. Failures
-- without an attempt are here from the start: no column of theirs says on which day that was. So a day's numbers are those
-- of the rows, and these. Each row is a change; a background job adds them up.
create table days_without_rows (
  instance_id bigint not null,
  day date not null,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null
);

-- One trigger for each kind of statement writes all changes of numbers that deliveries cause. An update has the row from
-- before with the sign -1 and the row after it with +1. A message that went out stays in the history of its day, unless
-- the provider says that it failed after all: what an update takes out of 'sent' and 'failed' is `lost` to the rows.
create function count_updated_deliveries() returns trigger language plpgsql
-- The plan is the same for one row and for 100,000, and takes longer to make than to run for one. So nothing here joins.
set plan_cache_mode = force_generic_plan as $$
begin
  with versions as materialized (
    select 1 as sign, 0 as lost, job_id, instance_id, group_id, status, reason, delivered_at, read_at,
      coalesce(sent_at, intent_at) as moment
    from after where status in ('sent', 'failed', 'skipped')
    union all
    select -1, (status <> 'skipped' and id not in (select id from after where status in ('sent', 'failed')))::int,
      job_id, instance_id, group_id, status, reason, delivered_at, read_at, coalesce(sent_at, intent_at)
    from before where status in ('sent', 'failed', 'skipped')
  ), by_job as (
    insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read)
    select * from (
      select job_id, sum(sign * (status = 'sent')::int) as sent, sum(sign * (status = 'failed')::int) as failed,
        sum(sign * (status = 'skipped')::int) as skipped,
        sum(sign * (status = 'failed' and coalesce(reason->>'code', '') = 'outcome_unknown')::int) as unknown,
        sum(sign * (status = 'sent' and delivered_at is not null)::int) as delivered,
        sum(sign * (status = 'sent' and read_at is not null)::int) as read
      from versions group by job_id
    ) as changes
    where (sent, failed, skipped, unknown, delivered, read) <> (0, 0, 0, 0, 0, 0)
  ), by_day as (
    insert into delivery_changes (instance_id, group_id, day, sent_now, sent, delivered, read, failed)
    select * from (
      select instance_id, group_id, day_of(coalesce(moment, clock_now())),
        sum(sign * (status = 'sent')::int) as sent_now, sum((sign + lost) * (status = 'sent')::int) as sent,
        sum((sign + lost) * (delivered_at is not null)::int) as delivered,
        sum((sign + lost) * (read_at is not null)::int) as read, sum((sign + lost) * (status = 'failed')::int) as failed
      from versions where status <> 'skipped' group by 1, 2, 3
    ) as changes
    where (sent_now, sent, delivered, read, failed) <> (0, 0, 0, 0, 0)
  )
  insert into days_without_rows
  select * from (
    select instance_id, day_of(coalesce(moment, clock_now())), sum(n * (status = 'sent')::int) as sent,
      sum(n * (delivered_at is not null)::int) as delivered, sum(n * (read_at is not null)::int) as read,
      sum(n * (status = 'failed')::int) as failed
    from (select *, lost + case when moment is null then sign else 0 end as n from versions) as version
    where status <> 'skipped' and n <> 0 group by 1, 2
  ) as changes
  where (sent, delivered, read, failed) <> (0, 0, 0, 0);
  return null;
end $$;

-- For each row, because the rows of a new job are many and have no outcome yet.
create function count_inserted_delivery() returns trigger language plpgsql as $$
declare
  moment timestamptz := coalesce(new.sent_at, new.intent_at);
  day date := day_of(coalesce(moment, clock_now()));
  is_sent int := (new.status = 'sent')::int;
  is_failed int := (new.status = 'failed')::int;
  is_delivered int := (new.delivered_at is not null)::int;
  is_read int := (new.read_at is not null)::int;
begin
  insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read) values (new.job_id, is_sent, is_failed,
    (new.status = 'skipped')::int, is_failed * (coalesce(new.reason->>'code', '') = 'outcome_unknown')::int,
    is_sent * is_delivered, is_sent * is_read);
  if new.status <> 'skipped' then
    insert into delivery_changes (instance_id, group_id, day, sent_now, sent, delivered, read, failed)
    values (new.instance_id, new.group_id, day, is_sent, is_sent, is_delivered, is_read, is_failed);
    if moment is null then
      insert into days_without_rows values (new.instance_id, day, is_sent, is_delivered, is_read, is_failed);
    end if;
  end if;
  return null;
end $$;

-- Deliveries are deleted with their job, thousands in one statement.
create function count_deleted_deliveries() returns trigger language plpgsql as $$
begin
  insert into delivery_changes (instance_id, group_id, sent_now, sent, delivered, read, failed)
  select instance_id, group_id, -count(*), 0, 0, 0, 0 from gone where status = 'sent' group by instance_id, group_id;
  insert into days_without_rows
  select instance_id, day_of(coalesce(sent_at, intent_at)), count(*) filter (where status = 'sent'), count(delivered_at),
    count(read_at), count(*) filter (where status = 'failed')
  from gone where status in ('sent', 'failed') and coalesce(sent_at, intent_at) is not null group by 1, 2;
  return null;
end $$;

drop trigger deliveries_count on deliveries;
drop trigger deliveries_count_new on deliveries;
drop trigger deliveries_inserted_outcome on deliveries;
drop trigger deliveries_outcomes on deliveries;
drop trigger deliveries_gone on deliveries;
drop function count_delivery, count_outcome, count_outcomes, uncount_sent;
create trigger deliveries_count_updated after update on deliveries
  referencing old table as before new table as after for each statement execute function count_updated_deliveries();
create trigger deliveries_count_inserted after insert on deliveries
  for each row when (new.status in ('sent', 'failed', 'skipped')) execute function count_inserted_delivery();
create trigger deliveries_count_deleted after delete on deliveries
  referencing old table as gone for each statement execute function count_deleted_deliveries();

-- Where the numbers differ from the rows, and by how much: what must be added to each number. Empty, unless something is
-- broken. One statement sees numbers and rows as of one moment, so programs may write meanwhile.
--
-- `owner` is that of `count_changes`, 'group' and an id, 'job' and an id, 'day' with an instance's id (0 is the sum of all)
-- and a date, or 'people of' and a key of `people_counts`. The number of people has to agree only while nothing has
-- changed since it was counted.
create or replace function count_differences() returns table (owner text, counter text, n bigint)
language sql stable as $$
  with kept as (
    select owner, counter, n from counts where owner <> 'all' union all
    select * from count_changes union all
    select instance_id::text, 'sent', sent_now from delivery_changes union all
    select 'group ' || group_id, 'sent', sent from sent_to_groups union all
    select 'group ' || group_id, 'sent', sent_now from delivery_changes where group_id is not null
  ), rows as (
    select instance_id::text as owner, status as counter, count(*) as n from jobs group by 1, 2 union all
    select instance_id::text, group_counter(left_at), count(*) from groups group by 1, 2 union all
    select message_owner(instance_id, created_by_admin, created_by_user_id), 'messages', count(*) from messages
    group by 1 union all
    select instance_id::text, 'sent', count(*) from deliveries where status = 'sent' group by 1 union all
    select instance_id::text, 'sent', sent from sent_without_rows union all
    select 'group ' || group_id, 'sent', sent from sent_without_rows where group_id is not null union all
    select 'group ' || group_id, 'sent', count(*) from deliveries where status = 'sent' and group_id is not null
    group by 1
  ), totals as (
    select 'all' as owner, counter, sum(case owner when 'all' then -n else n end) as n from counts group by counter
  ), days as (
    select instance_id, day, -sent as sent, -delivered as delivered, -read as read, -failed as failed
    from instance_days where instance_id <> 0 union all
    select instance_id, day, -sent, -delivered, -read, -failed from delivery_changes where day is not null union all
    select instance_id, day, sent, delivered, read, failed from days_without_rows union all
    select instance_id, day_of(coalesce(sent_at, intent_at)), count(*) filter (where status = 'sent'),
      count(delivered_at), count(read_at), count(*) filter (where status = 'failed')
    from deliveries where status in ('sent', 'failed') and coalesce(sent_at, intent_at) is not null group by 1, 2
    union all
    select 0, day, case instance_id when 0 then -sent else sent end,
      case instance_id when 0 then -delivered else delivered end, case instance_id when 0 then -read else read end,
      case instance_id when 0 then -failed else failed end
    from instance_days
  ), of_jobs as (
    select job_id, -sent as sent, -failed as failed, -skipped as skipped, -unknown as unknown, -delivered as delivered,
      -read as read, 0 as failed_count
    from job_counts union all
    select id, 0, 0, 0, 0, 0, 0, -failed_count from jobs union all
    select job_id, count(*) filter (where status = 'sent'), count(*) filter (where status = 'failed'),
      count(*) filter (where status = 'skipped'),
      count(*) filter (where status = 'failed' and reason->>'code' = 'outcome_unknown'),
      count(*) filter (where status = 'sent' and delivered_at is not null),
      count(*) filter (where status = 'sent' and read_at is not null), count(*) filter (where status = 'failed')
    from deliveries where status in ('sent', 'failed', 'skipped') group by 1
  ), keys as (
    -- As visibleKey in server/src/features/dashboard/people.queries.ts.
    select distinct instances,
      translate(rtrim(encode(sha256(convert_to(instances, 'UTF8')), 'base64'), '='), '+/', '-_') as key
    from (
      select string_agg(instance_id::text, ',' order by instance_id) as instances from user_instances group by user_id
    ) as visible
    union all
    select null, 'all'
  ), people as (
    select k.key, c.people, c.participants, counted.people as people_now, counted.participants as participants_now
    from people_counts c join keys k on k.key = c.instances, lateral (
      select coalesce(sum(n), 0) as version from (
        select owner, n from counts where counter = 'people' and owner <> 'all' union all
        select owner, n from count_changes where counter = 'people'
      ) as part
      where k.instances is null or owner = any(string_to_array(k.instances, ','))
    ) as present, lateral (
      select count(*) as people, coalesce(sum(rows), 0) as participants from (
        select count(*) as rows from participants p join groups g on g.id = p.group_id
        where g.left_at is null and (k.instances is null or g.instance_id::text = any(string_to_array(k.instances, ',')))
        group by p.person_id
      ) as person
    ) as counted
    where c.version = present.version
  )
  select owner, counter, sum(n)::bigint from (
    select * from rows union all select owner, counter, -n from kept union all select * from totals
  ) as difference
  where counter <> 'people'
  group by owner, counter having sum(n) <> 0
  union all
  select 'day ' || instance_id || ' ' || day, counter, sum(n)::bigint
  from days, lateral (values ('sent', sent), ('delivered', delivered), ('read', read), ('failed', failed)) as v (counter, n)
  group by instance_id, day, counter having sum(n) <> 0
  union all
  -- Once the first delivery of a job was deleted for its age, its counts stay as they are.
  select 'job ' || job_id, counter, sum(n)::bigint
  from of_jobs join jobs j on j.id = job_id and j.final_counts is null, lateral (values ('sent', sent),
    ('failed', failed), ('skipped', skipped), ('unknown', unknown), ('delivered', delivered), ('read', read),
    ('failed_count', of_jobs.failed_count)) as v (counter, n)
  group by job_id, counter having sum(n) <> 0
  union all
  select 'people of ' || key, counter, n from people,
    lateral (values ('people', people_now - people), ('participants', participants_now - participants)) as v (counter, n)
  where n <> 0
$$;
