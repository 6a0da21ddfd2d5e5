-- Works with programs from 0032 on.
--
-- Contacts, with the right to manage them: docs/decisions/0030-contacts.md.

alter table users add can_manage_contacts boolean not null default false;

create table contacts (
  id bigint generated always as identity primary key,
  -- Empty if only a number is known.
  name text not null,
  note text not null default '',
  -- Where the contact comes from: 'form', with the name of the user who filled it in.
  source text not null,
  source_name text not null,
  created_at timestamptz not null default clock_now(),
  version int not null default 1,
  -- The numbers of `contact_identities`, so that one index finds a contact by name, number and note.
  numbers text not null,
  -- The first space makes a word of the first one, too: see filter.ts.
  search_text text generated always as (unaccent_lower(' ' || name || ' ' || numbers || ' ' || note)) stored
);
create index contacts_name on contacts (name, id);
create index contacts_created_at on contacts (created_at, id);
create index contacts_search on contacts using gin (search_text gin_trgm_ops);
alter table contacts alter search_text set statistics 400;

-- WhatsApp knows a contact by these. Each belongs to one contact only.
create table contact_identities (
  -- 'phone' is a number in E.164 without +. 'lid' is the digits of a hidden number.
  kind text not null check (kind in ('phone', 'lid')),
  value text not null,
  contact_id bigint not null references contacts on delete cascade,
  -- The number that messages go to.
  is_primary boolean not null default false check (kind = 'phone' or not is_primary),
  constraint contact_identities_key primary key (kind, value)
);
create index contact_identities_contact on contact_identities (contact_id);
create unique index contact_identities_primary on contact_identities (contact_id) where is_primary;

-- The fields that an Admin has defined. Texts of messages name them by their key, so that never changes.
create table contact_fields (
  id bigint generated always as identity primary key,
  key text not null constraint contact_fields_key unique,
  name text not null,
  type text not null check (type in ('text', 'number', 'date', 'yesNo', 'choice')),
  -- A field of the type 'choice' takes one of these.
  choices text[] not null default '{}'
);

create table contact_values (
  contact_id bigint not null references contacts on delete cascade,
  -- No cascade: a field in use can't be deleted.
  field_id bigint not null references contact_fields,
  -- Every value has a single spelling, so that equal values are equal texts: 'true', '12.5', '2026-01-31'.
  value text not null,
  primary key (contact_id, field_id)
);
create index contact_values_field on contact_values (field_id, value, contact_id);
-- Without them PostgreSQL takes a value for rarer than it is, because it depends on the field.
create statistics contact_values_of_field (mcv) on field_id, value from contact_values;

create table tags (
  id bigint generated always as identity primary key,
  name text not null
);
create unique index tags_name on tags (lower(name));

create table contact_tags (
  contact_id bigint not null references contacts on delete cascade,
  tag_id bigint not null references tags on delete cascade,
  primary key (contact_id, tag_id)
);
create index contact_tags_tag on contact_tags (tag_id, contact_id);

-- The number of contacts is kept, because counting a million takes longer than a page.
create function count_contacts() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes select 'contacts', 'contacts', sign * count(*) from touched having count(*) > 0;
  return null;
end $$;
create trigger contacts_count_new after insert on contacts
  referencing new table as touched for each statement execute function count_contacts();
create trigger contacts_count_gone after delete on contacts
  referencing old table as touched for each statement execute function count_contacts();

-- As in 0037-every-number.sql, and the number of contacts.
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
