-- Works with programs from 0013 on.
--
-- The numbers that the dashboard and the lists show, so that nobody counts a million rows. Triggers keep them, so that no
-- code can forget one, and an older program keeps them too.
--
-- Each change of a number is a row of its own (…_changes), because an insert waits for no other transaction. A worker adds
-- these rows to the totals every few seconds (platform/counts.ts). So a number is its total plus the changes left.

-- `owner` is an instance's id, 'user' and an id for the templates of a Member, 'shared' for the templates of Admins, or
-- 'nobody' for the templates of a deleted Member. In the totals, 'all' is the sum of all owners. `counter` is 'messages',
-- 'groups', 'left groups', 'sent' (deliveries that count as sent now), or the status of jobs. 'people' grows by one with
-- each statement that changes who is in a group that counts.
create table count_changes (
  owner text not null,
  counter text not null,
  n bigint not null
);
create table counts (
  owner text not null,
  counter text not null,
  n bigint not null,
  primary key (owner, counter)
) with (fillfactor = 70);

-- The outcomes of messages. `sent_now` counts the deliveries that are sent now: a restart and a deletion take theirs away.
-- The other four are history and stay. They belong to the day in Vietnam on which the message was sent; a failure without
-- one to the day of the attempt, or of the failure if there was none.
create table delivery_changes (
  instance_id bigint not null,
  group_id bigint,
  sent_now bigint not null,
  day date,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null
);
-- Instance 0 is the sum of all instances, also of deleted ones.
create table instance_days (
  instance_id bigint not null,
  day date not null,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null,
  primary key (instance_id, day)
) with (fillfactor = 70);
-- The deliveries to each group that are sent now. The indexes find the groups with the most. There is no foreign key,
-- because its check would lock groups that a sync writes.
create table sent_to_groups (
  group_id bigint primary key,
  instance_id bigint not null,
  sent bigint not null
);
-- Sent deliveries whose rows were deleted for their age. They count on, and nothing else tells how many they were.
create table sent_without_rows (
  instance_id bigint not null,
  group_id bigint,
  sent bigint not null
);
create index sent_to_groups_most on sent_to_groups (sent desc, group_id);
create index sent_to_groups_instance on sent_to_groups (instance_id, sent desc, group_id);

-- How many distinct people are in the groups of these instances (ids separated by commas, or 'all'). Such a number is no
-- sum, so it is counted, but not by those who wait for it. It is current while the counter 'people' has this version.
create table people_counts (
  instances text primary key,
  version bigint not null,
  people bigint not null,
  -- How many rows were counted for it.
  participants bigint not null,
  counted_at timestamptz not null
);

create function day_of(moment timestamptz) returns date language sql immutable
  return (moment at time zone 'Asia/Ho_Chi_Minh')::date;

-- Runs for each message. With a plan that it keeps it takes half the time: 15 µs.
create function count_delivery() returns trigger language plpgsql set plan_cache_mode = 'auto' as $$
declare
  -- Null if the row is new.
  was text := coalesce(old.status, '');
  sent int := (new.status = 'sent')::int - (was = 'sent')::int;
  -- A message that went out stays in the history, unless the provider says that it failed after all.
  is_outcome boolean := new.status in ('sent', 'failed');
begin
  insert into delivery_changes values (new.instance_id, new.group_id, sent,
    day_of(coalesce(new.sent_at, new.intent_at, clock_now())),
    case when is_outcome then sent else 0 end,
    (old.delivered_at is null and new.delivered_at is not null)::int,
    (old.read_at is null and new.read_at is not null)::int,
    case when is_outcome then (new.status = 'failed')::int - (was = 'failed')::int else 0 end);
  return null;
end $$;

drop trigger deliveries_sent on deliveries;
drop trigger deliveries_inserted_sent on deliveries;
drop function count_sent;
create trigger deliveries_count after update of status, delivered_at, read_at on deliveries
  for each row when (
    (old.status = 'sent') <> (new.status = 'sent') or old.status <> 'failed' and new.status = 'failed'
    or old.delivered_at is null and new.delivered_at is not null or old.read_at is null and new.read_at is not null
  ) execute function count_delivery();
create trigger deliveries_count_new after insert on deliveries
  for each row when (new.status in ('sent', 'failed')) execute function count_delivery();

-- Called by the trigger that exists already, `deliveries_gone`. Older programs read `sent_counts`: it stays as it is, and
-- the next release drops it.
create or replace function uncount_sent() returns trigger language plpgsql as $$
begin
  insert into delivery_changes
  select instance_id, group_id, -count(*), null, 0, 0, 0, 0 from gone where status = 'sent'
  group by instance_id, group_id;
  return null;
end $$;

create function message_owner(instance_id bigint, is_admins boolean, author bigint) returns text language sql immutable
  return case when instance_id is not null then instance_id::text when is_admins then 'shared'
    when author is not null then 'user ' || author else 'nobody' end;

create function count_messages() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select message_owner(instance_id, created_by_admin, created_by_user_id), 'messages', sign * count(*) from touched
  group by 1;
  return null;
end $$;
create trigger messages_count_new after insert on messages
  referencing new table as touched for each statement execute function count_messages();
create trigger messages_count_gone after delete on messages
  referencing old table as touched for each statement execute function count_messages();

create function count_moved_message() returns trigger language plpgsql as $$
begin
  insert into count_changes values
    (message_owner(old.instance_id, old.created_by_admin, old.created_by_user_id), 'messages', -1),
    (message_owner(new.instance_id, new.created_by_admin, new.created_by_user_id), 'messages', 1);
  return null;
end $$;
create trigger messages_count_moved after update of instance_id, created_by_admin, created_by_user_id on messages
  for each row when (
    message_owner(old.instance_id, old.created_by_admin, old.created_by_user_id)
      <> message_owner(new.instance_id, new.created_by_admin, new.created_by_user_id)
  ) execute function count_moved_message();

create function count_jobs() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select instance_id::text, status, sign * count(*) from touched group by instance_id, status;
  return null;
end $$;
create trigger jobs_count_new after insert on jobs
  referencing new table as touched for each statement execute function count_jobs();
create trigger jobs_count_gone after delete on jobs
  referencing old table as touched for each statement execute function count_jobs();

create function count_moved_job() returns trigger language plpgsql as $$
begin
  insert into count_changes values (old.instance_id::text, old.status, -1), (new.instance_id::text, new.status, 1);
  return null;
end $$;
create trigger jobs_count_moved after update of status on jobs
  for each row when (old.status <> new.status) execute function count_moved_job();

create function group_counter(left_at timestamptz) returns text language sql immutable
  return case when left_at is null then 'groups' else 'left groups' end;

create function count_groups() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select instance_id::text, group_counter(left_at), sign * count(*) from touched group by 1, 2;
  if tg_op = 'DELETE' then
    insert into count_changes select instance_id::text, 'people', 1 from touched group by 1;
  end if;
  return null;
end $$;
create trigger groups_count_new after insert on groups
  referencing new table as touched for each statement execute function count_groups();
create trigger groups_count_gone after delete on groups
  referencing old table as touched for each statement execute function count_groups();

create function count_moved_group() returns trigger language plpgsql as $$
begin
  insert into count_changes values (new.instance_id::text, group_counter(old.left_at), -1),
    (new.instance_id::text, group_counter(new.left_at), 1), (new.instance_id::text, 'people', 1);
  return null;
end $$;
create trigger groups_count_moved after update of left_at on groups
  for each row when ((old.left_at is null) <> (new.left_at is null)) execute function count_moved_group();

-- A group that is deleted with its participants has counted itself.
create function count_people() returns trigger language plpgsql as $$
begin
  insert into count_changes
  select g.instance_id::text, 'people', 1
  from (select distinct group_id from touched) t join groups g on g.id = t.group_id
  group by 1;
  return null;
end $$;
create trigger participants_count_new after insert on participants
  referencing new table as touched for each statement execute function count_people();
create trigger participants_count_gone after delete on participants
  referencing old table as touched for each statement execute function count_people();

-- Where the numbers differ from the rows, and by how much: what must be added to each number. Empty, unless something is
-- broken. The next migration fills the numbers by this, and tests check that it stays empty.
create function count_differences() returns table (owner text, counter text, n bigint) language sql stable as $$
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
  )
  select owner, counter, sum(n)::bigint from (
    select * from rows union all select owner, counter, -n from kept union all select * from totals
  ) as difference
  where counter <> 'people'
  group by owner, counter having sum(n) <> 0
$$;
