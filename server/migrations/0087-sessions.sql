-- Works with programs from 0032 on.
--
-- Sessions end after a time without use, get a new token when the password is entered once more, and are listed. A
-- program from before ends a session at `expires_at`, and refuses the former token at once.

alter table sessions
  add id bigint generated always as identity,
  -- The end of the session however often it is used. `expires_at` is the earlier of this and the end without use. Null:
  -- a program from before has opened the session, which then has no end without use.
  add ends_at timestamptz,
  -- The last use, written once a minute at most, and the address and the browser that it came from.
  add used_at timestamptz not null default clock_now(),
  add address text not null default '',
  add browser text not null default '',
  -- The token before the last one, which other requests may still be using.
  add former_hash bytea,
  add former_until timestamptz;
update sessions set ends_at = expires_at;
-- A key is locked by everybody who uses the session, so the token, which changes meanwhile, can't be one.
alter table sessions drop constraint sessions_pkey, add primary key (id);
create index sessions_token_hash on sessions (token_hash);
create index sessions_former_hash on sessions (former_hash) where former_hash is not null;

alter table troubles drop constraint troubles_kind_check, add constraint troubles_kind_check check (kind in (
  'account_down', 'account_expiring', 'job_failed', 'job_stuck', 'approval_waiting', 'approval_given', 'changes_asked',
  'approval_overdue', 'approval_overridden', 'series_approval', 'series_paused', 'series_missed', 'backup_failed',
  'disk_low', 'new_browser'));

-- A sign-in from a new browser is nobody's business but the user's.
create or replace function report_trouble() returns trigger language plpgsql as $$
declare
  is_of_series boolean := new.kind in ('series_approval', 'series_paused', 'series_missed')
    or new.kind = 'changes_asked' and new.host <> '';
begin
  insert into webhook_events (type, data)
  select 'trouble.' || case when new.ended_at is null then 'began' else 'ended' end,
    json_build_object('troubleId', new.id, 'kind', new.kind, 'instanceId', nullif(new.instance_id, 0),
      'jobId', nullif(new.job_id, 0), 'seriesId', case when is_of_series then new.host::bigint end,
      'host', case when not is_of_series then nullif(new.host, '') end, 'reason', new.reason->>'code')
  where new.kind <> 'new_browser' and exists (
    select from webhook_receivers where is_active and 'trouble' = any(topics));
  return null;
end $$;
