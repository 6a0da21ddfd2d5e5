-- Works with programs from 0032 on.
--
-- Channels of WhatsApp among the groups: docs/decisions/0043-channels.md. The chat id of a channel ends in @newsletter.

-- Channels have counters of their own, so that the totals of groups leave them out.
create function group_counter(left_at timestamptz, chat_id text) returns text language sql immutable
return case when left_at is null then '' else 'left ' end
  || case when chat_id like '%@newsletter' then 'channels' else 'groups' end;

create or replace function count_groups() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select instance_id::text, group_counter(left_at, chat_id), sign * count(*) from touched group by 1, 2;
  if tg_op = 'DELETE' then
    insert into count_changes select instance_id::text, 'people', 1 from touched group by 1;
  end if;
  return null;
end $$;

create or replace function count_moved_group() returns trigger language plpgsql as $$
begin
  insert into count_changes values (new.instance_id::text, group_counter(old.left_at, old.chat_id), -1),
    (new.instance_id::text, group_counter(new.left_at, new.chat_id), 1), (new.instance_id::text, 'people', 1);
  return null;
end $$;

create or replace function count_differences() returns table(owner text, counter text, n bigint) language sql stable as $$
  with kept as (
    select owner, counter, n from counts where owner <> 'all' union all
    select * from count_changes union all
    select instance_id::text, 'sent', sent_now from delivery_changes union all
    select 'group ' || group_id, 'sent', sent from sent_to_groups union all
    select 'group ' || group_id, 'sent', sent_now from delivery_changes where group_id is not null
  ), rows as (
    select instance_id::text as owner, status as counter, count(*) as n from jobs group by 1, 2 union all
    select instance_id::text, group_counter(left_at, chat_id), count(*) from groups group by 1, 2 union all
    select 'contacts', 'contacts', count(*) from contacts having count(*) > 0 union all
    select 'list ' || list_id, 'listed', count(*) from list_contacts group by 1 union all
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

drop function group_counter(timestamptz);

-- A program from before reads no channels, and would take all of an account's for left.
create function refuse_missing_channel() returns trigger language plpgsql as $$
begin
  return null;
end $$;
create trigger groups_refuse_missing_channel before update of missing_since on groups
  for each row when (
    new.chat_id like '%@newsletter' and new.missing_since is not null
    and current_setting('sendroom.knows_content', true) is distinct from 'true')
  execute function refuse_missing_channel();

-- Programs before 0074 would take a post that they do not find for not sent, and send it again. As for contents.
create or replace function refuse_look_up_of_content() returns trigger language plpgsql as $$
begin
  return case when new.chat_id not like '%@newsletter' and (select content from jobs where id = new.job_id) is null
    then new end;
end $$;
create or replace function refuse_check_of_content() returns trigger language plpgsql as $$
begin
  return case when not exists (
    select from jobs where instance_id = new.id and content is not null and has_deliveries
  ) and not exists (
    select from groups where instance_id = new.id and chat_id like '%@newsletter') then new end;
end $$;
