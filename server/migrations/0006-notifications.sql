-- Triggers notify the servers of changes, so that open pages update themselves. Each server passes a change on to the
-- users who may see it. The format is in server/src/platform/changes.ts.
--
-- The triggers cover what changes seldom, because no code can forget a trigger. The progress of a job changes with every
-- message, and a NOTIFY holds up every other commit: the workers collect progress and notify a few times a second.

create function notify_change(feature text, id bigint, instance_id bigint) returns void language sql as $$
  select pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', feature, 'id', id, 'instanceId', instance_id))::text)
$$;

create function notify_jobs() returns trigger language plpgsql as $$
begin
  perform notify_change('jobs', null, instance_id) from (select distinct instance_id from touched) as instances;
  return null;
end $$;

create trigger jobs_notify_insert after insert on jobs
  referencing new table as touched for each statement execute function notify_jobs();
create trigger jobs_notify_delete after delete on jobs
  referencing old table as touched for each statement execute function notify_jobs();

create function notify_job() returns trigger language plpgsql as $$
begin
  perform notify_change('jobs', new.id, new.instance_id);
  return null;
end $$;

create trigger jobs_notify_update after update of status, paused_at, scheduled_at on jobs
  for each row execute function notify_job();

create function notify_instance() returns trigger language plpgsql as $$
declare
  instance_id bigint := coalesce(new.id, old.id);
begin
  perform notify_change('instances', instance_id, instance_id);
  return null;
end $$;

create trigger instances_notify after insert or delete on instances
  for each row execute function notify_instance();
-- The engine writes `status` and `waiting` with every message, but their values seldom change.
create trigger instances_notify_update
  after update of name, whats_app_number, is_active, expired_time, status, waiting on instances
  for each row when (
    (old.name, old.whats_app_number, old.is_active, old.expired_time, old.status, old.waiting)
      is distinct from
    (new.name, new.whats_app_number, new.is_active, new.expired_time, new.status, new.waiting)
  ) execute function notify_instance();
create trigger instances_notify_restricted after update of restricted_until on instances
  for each row when (old.restricted_until is distinct from new.restricted_until) execute function notify_instance();

create function notify_sync() returns trigger language plpgsql as $$
begin
  perform notify_change('instances', new.id, new.id);
  perform notify_change('groups', new.id, new.id);
  return null;
end $$;

-- Pages show when a sync begins and ends. They need not hear of each renewed lease in between.
create trigger instances_notify_sync after update of syncing_until, last_sync_at, sync_problem on instances
  for each row when (
    (old.syncing_until > clock_now(), old.last_sync_at, old.sync_problem)
      is distinct from
    (new.syncing_until > clock_now(), new.last_sync_at, new.sync_problem)
  ) execute function notify_sync();

-- Groups, jobs and messages show the name of their instance and are deleted with it.
create function notify_name() returns trigger language plpgsql as $$
begin
  perform notify_change('groups', old.id, old.id);
  perform notify_change('jobs', null, old.id);
  perform notify_change('messages', null, old.id);
  return null;
end $$;

create trigger instances_notify_name after update of name on instances
  for each row when (old.name is distinct from new.name) execute function notify_name();
create trigger instances_notify_end after delete on instances
  for each row execute function notify_name();

-- Only its author (and every Admin) sees a message without an instance.
create function notify_messages() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'messages', 'id', null, 'instanceId', instance_id, 'userId', author))::text)
  from (
    select distinct instance_id, case when instance_id is null then created_by_user_id end as author from touched
  ) as audiences;
  return null;
end $$;

create trigger messages_notify_insert after insert on messages
  referencing new table as touched for each statement execute function notify_messages();
-- An update may move a message to another instance: those who see the new row and those who saw the old one hear of it.
create trigger messages_notify_update after update on messages
  referencing new table as touched for each statement execute function notify_messages();
create trigger messages_notify_leave after update on messages
  referencing old table as touched for each statement execute function notify_messages();
create trigger messages_notify_delete after delete on messages
  referencing old table as touched for each statement execute function notify_messages();

-- A user may see other things from now on, or is signed out: this reaches only the open streams of that user. The
-- argument is the column with the user's id.
create function notify_access() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'access', 'id', (to_jsonb(coalesce(new, old)) ->> tg_argv[0])::bigint))::text);
  return null;
end $$;

create trigger users_notify after update of role, is_active on users
  for each row when ((old.role, old.is_active) is distinct from (new.role, new.is_active))
  execute function notify_access('id');
create trigger user_instances_notify after insert or delete on user_instances
  for each row execute function notify_access('user_id');
create trigger sessions_notify after delete on sessions
  for each row execute function notify_access('user_id');
