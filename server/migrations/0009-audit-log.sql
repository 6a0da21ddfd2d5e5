-- Each entry tells who did what to what, when and from where. It outlives the rows that it describes, so it has no foreign
-- keys and holds the names of that time. Entries are only ever added.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_now(),
  -- Null if nobody was signed in.
  user_id bigint,
  user_name text not null,
  -- The network address of the request. Empty for commands on the server.
  address text not null,
  action text not null,
  object_type text,
  object_id bigint,
  object_name text not null,
  details jsonb not null,
  search_text text generated always as (unaccent_lower(
    user_name || ' ' || object_name || ' ' || address
      || ' ' || coalesce(details ->> 'text', '') || ' ' || coalesce(details ->> 'formerText', ''))) stored
);
create index audit_log_at on audit_log (at, id);
create index audit_log_action on audit_log (action, at, id);
create index audit_log_search on audit_log using gin (search_text gin_trgm_ops);
alter table audit_log alter search_text set statistics 400;
-- Two calls with the same idempotency key, at the same moment, create one job.
create unique index audit_log_job_created on audit_log (object_id) where action = 'job.create';

-- The only way to delete entries. The limit keeps the app, or whoever has taken it over, from emptying the log.
create function delete_old_audit(days int) returns bigint language plpgsql security definer
set search_path = public, pg_temp as $$
declare
  deleted bigint;
begin
  if days is null or days < 30 then
    raise exception 'audit entries are kept for at least 30 days, not %', days;
  end if;
  delete from audit_log where at < clock_now() - days * interval '1 day';
  get diagnostics deleted = row_count;
  return deleted;
end $$;
revoke execute on function delete_old_audit from public;

-- In the embedded cluster the app has a role of its own. In a database elsewhere the app owns the table.
do $$ begin
  if to_regrole('sendroom_app') is not null then
    revoke update, delete, truncate on audit_log from sendroom_app;
    grant execute on function delete_old_audit to sendroom_app;
  end if;
end $$;
