-- Tells the servers what changed, so that open pages move by themselves; each sends it to those who may see it.
-- Here is what changes seldom, at the place that no code can forget. How the deliveries of a job stand changes with
-- every message, and a NOTIFY holds up every other commit: the workers tell of that together, a few times a second.

create function tell_change(feature text, id bigint, instance_id bigint) returns void language sql as $$
  select pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', feature, 'id', id, 'instanceId', instance_id))::text)
$$;

create function tell_jobs() returns trigger language plpgsql as $$
begin
  perform tell_change('jobs', null, instance_id) from (select distinct instance_id from touched) as accounts;
  return null;
end $$;

create trigger jobs_told_insert after insert on jobs
  referencing new table as touched for each statement execute function tell_jobs();
create trigger jobs_told_delete after delete on jobs
  referencing old table as touched for each statement execute function tell_jobs();

create function tell_job() returns trigger language plpgsql as $$
begin
  perform tell_change('jobs', new.id, new.instance_id);
  return null;
end $$;

create trigger jobs_told_update after update of status, paused_at, scheduled_at on jobs
  for each row execute function tell_job();

create function tell_instance() returns trigger language plpgsql as $$
declare
  instance_id bigint := coalesce(new.id, old.id);
begin
  perform tell_change('instances', instance_id, instance_id);
  return null;
end $$;

create trigger instances_told after insert or delete on instances
  for each row execute function tell_instance();
-- The engine writes status and waiting with every message; hardly ever do they change.
create trigger instances_told_update
  after update of name, whats_app_number, is_active, expired_time, status, waiting on instances
  for each row when (
    (old.name, old.whats_app_number, old.is_active, old.expired_time, old.status, old.waiting)
      is distinct from
    (new.name, new.whats_app_number, new.is_active, new.expired_time, new.status, new.waiting)
  ) execute function tell_instance();

create function tell_sync() returns trigger language plpgsql as $$
begin
  perform tell_change('instances', new.id, new.id);
  perform tell_change('groups', new.id, new.id);
  return null;
end $$;

-- Its beginning and its end, not the lease that is renewed in between.
create trigger instances_told_sync after update of syncing_until, last_sync_at, sync_problem on instances
  for each row when (
    (old.syncing_until > clock_now(), old.last_sync_at, old.sync_problem)
      is distinct from
    (new.syncing_until > clock_now(), new.last_sync_at, new.sync_problem)
  ) execute function tell_sync();

-- What a user may see, or whether they are still signed in: for the open streams of that user.
create function tell_access() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'access', 'id', (to_jsonb(coalesce(new, old)) ->> tg_argv[0])::bigint))::text);
  return null;
end $$;

create trigger users_told after update of role, is_active on users
  for each row when ((old.role, old.is_active) is distinct from (new.role, new.is_active))
  execute function tell_access('id');
create trigger user_instances_told after insert or delete on user_instances
  for each row execute function tell_access('user_id');
create trigger sessions_told after delete on sessions
  for each row execute function tell_access('user_id');
