-- The development versions before 0.1.0 had nineteen migrations, since folded into 0001 to 0006. This script changes a
-- database that has all nineteen into what 0001 to 0006 create. Only the order of columns differs. See migrate.ts.

alter table users rename found_by to search_text;
alter table instances rename found_by to search_text;
alter table groups rename found_by to search_text;
alter table messages rename found_by to search_text;
alter table jobs rename found_by to search_text;
alter table jobs rename fresh_from to cursor;
alter table jobs rename noted to log_line_count;
alter index deliveries_given_back rename to deliveries_requeued;

alter table credited_messages rename to matched_messages;
alter table matched_messages rename freed_at to released_at;
alter table matched_messages rename constraint credited_messages_pkey to matched_messages_pkey;
alter index credited_messages_freed rename to matched_messages_released;

-- Since PostgreSQL 18 `not null` is a constraint with a name of its own, which a renamed column does not change.
do $$
declare
  renamed record;
begin
  for renamed in
    select conrelid::regclass as relation, conname as old_name, attname as column_name
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'n' and conrelid in ('jobs'::regclass, 'matched_messages'::regclass)
      and conname <> format('%s_%s_not_null', conrelid::regclass, attname)
  loop
    execute format('alter table %s rename constraint %I to %s_%s_not_null',
      renamed.relation, renamed.old_name, renamed.relation, renamed.column_name);
  end loop;
end $$;

-- The generated columns use this function, so it keeps its identity.
alter function plain(text) rename to unaccent_lower;
alter function containing(text) rename to like_pattern;

-- These arguments have other names now, which `create or replace` does not change.
drop function cap_free_at(jsonb, text, int, timestamptz);
drop function cap_free_at_if_set(jsonb, text, int, timestamptz);
drop function spend(jsonb, text, timestamptz, int);
drop function spend_and_forget(jsonb, text, timestamptz, int);

create function cap_free_at_if_set(usage jsonb, kind text, cap int, moment timestamptz)
returns timestamptz language sql stable as $$
  select to_timestamp(min(hour + 25) * 3600)
  from (
    select hour, sum(n) over () as used, sum(n) over () - sum(n) over (order by hour) as used_then
    from (select substr(key, 2)::bigint as hour, value::int as n from jsonb_each_text(usage)
          where left(key, 1) = kind and substr(key, 2)::bigint >= hour_of(moment) - 24) b
  ) w
  where cap > 0 and used >= cap and used_then < cap
$$;

create function cap_free_at(usage jsonb, kind text, cap int, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when cap > 0 then cap_free_at_if_set(usage, kind, cap, moment) end
$$;

create function record_usage_and_forget(usage jsonb, kind text, moment timestamptz, n int)
returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(key, amount) filter (where amount > 0), '{}')
  from (
    select key, sum(amount) as amount
    from (
      select key, value::int as amount from jsonb_each_text(usage)
      where substr(key, 2)::bigint >= hour_of(moment) - 24
      union all
      select kind || hour_of(moment), n
    ) entry
    group by key
  ) total
$$;

create function record_usage(usage jsonb, kind text, moment timestamptz, n int)
returns jsonb language sql stable as $$
  select case when (usage ->> (kind || hour_of(moment)))::int + n > 0
    then jsonb_set(usage, array[kind || hour_of(moment)], to_jsonb((usage ->> (kind || hour_of(moment)))::int + n))
    else record_usage_and_forget(usage, kind, moment, n) end
$$;

-- The triggers refer to their functions by identity: both are renamed, and the functions get their new bodies.

alter function free_credits() rename to release_matches;
alter function tell_change(text, bigint, bigint) rename to notify_change;
alter function tell_jobs() rename to notify_jobs;
alter function tell_job() rename to notify_job;
alter function tell_instance() rename to notify_instance;
alter function tell_sync() rename to notify_sync;
alter function tell_name() rename to notify_name;
alter function tell_messages() rename to notify_messages;
alter function tell_access() rename to notify_access;

alter trigger deliveries_gone_credits on deliveries rename to deliveries_release_matches;
alter trigger jobs_told_insert on jobs rename to jobs_notify_insert;
alter trigger jobs_told_delete on jobs rename to jobs_notify_delete;
alter trigger jobs_told_update on jobs rename to jobs_notify_update;
alter trigger instances_told on instances rename to instances_notify;
alter trigger instances_told_update on instances rename to instances_notify_update;
alter trigger instances_told_restricted on instances rename to instances_notify_restricted;
alter trigger instances_told_sync on instances rename to instances_notify_sync;
alter trigger instances_told_name on instances rename to instances_notify_name;
alter trigger instances_told_end on instances rename to instances_notify_end;
alter trigger messages_told_insert on messages rename to messages_notify_insert;
alter trigger messages_told_update on messages rename to messages_notify_update;
alter trigger messages_told_leave on messages rename to messages_notify_leave;
alter trigger messages_told_delete on messages rename to messages_notify_delete;
alter trigger users_told on users rename to users_notify;
alter trigger user_instances_told on user_instances rename to user_instances_notify;
alter trigger sessions_told on sessions rename to sessions_notify;

create or replace function release_matches() returns trigger language plpgsql as $$
begin
  update matched_messages m set released_at = clock_now()
  from gone
  where m.instance_id = gone.instance_id and m.provider_message_id = gone.provider_message_id
    and m.delivery_id = gone.id;
  return null;
end $$;

create or replace function notify_jobs() returns trigger language plpgsql as $$
begin
  perform notify_change('jobs', null, instance_id) from (select distinct instance_id from touched) as instances;
  return null;
end $$;

create or replace function notify_job() returns trigger language plpgsql as $$
begin
  perform notify_change('jobs', new.id, new.instance_id);
  return null;
end $$;

create or replace function notify_instance() returns trigger language plpgsql as $$
declare
  instance_id bigint := coalesce(new.id, old.id);
begin
  perform notify_change('instances', instance_id, instance_id);
  return null;
end $$;

create or replace function notify_sync() returns trigger language plpgsql as $$
begin
  perform notify_change('instances', new.id, new.id);
  perform notify_change('groups', new.id, new.id);
  return null;
end $$;

create or replace function notify_name() returns trigger language plpgsql as $$
begin
  perform notify_change('groups', old.id, old.id);
  perform notify_change('jobs', null, old.id);
  perform notify_change('messages', null, old.id);
  return null;
end $$;

create or replace function notify_messages() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'messages', 'id', null, 'instanceId', instance_id, 'userId', author))::text)
  from (
    select distinct instance_id, case when instance_id is null then created_by_user_id end as author from touched
  ) as audiences;
  return null;
end $$;
