-- Works with programs from 0032 on.
--
-- Lists of contacts and sets of groups, to which jobs are sent: docs/decisions/0032-lists-and-sets-of-groups.md.

alter table users add can_use_contacts boolean not null default false;

create table lists (
  id bigint generated always as identity primary key,
  name text not null,
  -- A fixed list has the contacts of `list_contacts`. A filter finds its contacts when somebody looks or sends.
  kind text not null check (kind in ('fixed', 'filter')),
  -- A `ListFilter` of contract/src/lists.ts. The tags and fields in it can't be deleted.
  filter jsonb,
  -- For all users with the right to use contacts. Otherwise for those of `list_users`.
  is_for_all boolean not null default false,
  created_by_user_id bigint references users on delete set null,
  created_by_user_name text not null,
  created_at timestamptz not null default clock_now(),
  version int not null default 1,
  constraint lists_filter check ((kind = 'filter') = (filter is not null))
);
create unique index lists_name on lists (lower(name));
create index lists_creator on lists (created_by_user_id);

create table list_contacts (
  list_id bigint not null references lists on delete cascade,
  contact_id bigint not null references contacts on delete cascade,
  primary key (list_id, contact_id)
);
create index list_contacts_contact on list_contacts (contact_id);

create table list_users (
  list_id bigint not null references lists on delete cascade,
  user_id bigint not null references users on delete cascade,
  primary key (list_id, user_id)
);
create index list_users_user on list_users (user_id);

-- A set holds groups of one account.
create table group_sets (
  id bigint generated always as identity primary key,
  instance_id bigint not null references instances on delete cascade,
  name text not null,
  -- For all users who see the account. Otherwise for the owner and those of `group_set_users`.
  is_for_all boolean not null default false,
  created_by_user_id bigint references users on delete set null,
  created_by_user_name text not null,
  created_at timestamptz not null default clock_now(),
  version int not null default 1
);
-- With the owner, so that a taken name does not tell of sets that the owner may not see.
create unique index group_sets_name on group_sets (instance_id, created_by_user_id, lower(name));
create index group_sets_creator on group_sets (created_by_user_id);

create table group_set_groups (
  group_set_id bigint not null references group_sets on delete cascade,
  group_id bigint not null references groups on delete cascade,
  primary key (group_set_id, group_id)
);
create index group_set_groups_group on group_set_groups (group_id);

create table group_set_users (
  group_set_id bigint not null references group_sets on delete cascade,
  user_id bigint not null references users on delete cascade,
  primary key (group_set_id, user_id)
);
create index group_set_users_user on group_set_users (user_id);

-- Everybody may hear that lists have changed: the notification says nothing of them.
create function notify_lists() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes',
    '[{"feature": "lists", "id": null, "instanceId": null, "userId": null, "isShared": true}]');
  return null;
end $$;
create trigger lists_notify after insert or update or delete on lists
  for each statement execute function notify_lists();

create function notify_group_sets() returns trigger language plpgsql as $$
begin
  perform notify_change('groupSets', null, instance_id) from (select distinct instance_id from touched) as instances;
  return null;
end $$;
create trigger group_sets_notify_insert after insert on group_sets
  referencing new table as touched for each statement execute function notify_group_sets();
create trigger group_sets_notify_update after update on group_sets
  referencing new table as touched for each statement execute function notify_group_sets();
create trigger group_sets_notify_delete after delete on group_sets
  referencing old table as touched for each statement execute function notify_group_sets();

-- The size of each fixed list is kept, because a list may have a million contacts.
create function count_listed() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes select 'list ' || list_id, 'listed', sign * count(*) from touched group by list_id;
  if found then
    perform pg_notify('sendroom_changes',
      '[{"feature": "lists", "id": null, "instanceId": null, "userId": null, "isShared": true}]');
  end if;
  return null;
end $$;
create trigger list_contacts_count_new after insert on list_contacts
  referencing new table as touched for each statement execute function count_listed();
create trigger list_contacts_count_gone after delete on list_contacts
  referencing old table as touched for each statement execute function count_listed();

-- As in 0041-contacts.sql, and the contacts of each fixed list.
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
