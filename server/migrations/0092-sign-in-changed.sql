-- Works with programs from 0032 on.
--
-- A user is told of changes of the second factor and of the password. As with a sign-in from a new browser, that is
-- nobody's business but the user's.

alter table troubles drop constraint troubles_kind_check, add constraint troubles_kind_check check (kind in (
  'account_down', 'account_expiring', 'job_failed', 'job_stuck', 'approval_waiting', 'approval_given', 'changes_asked',
  'approval_overdue', 'approval_overridden', 'series_approval', 'series_paused', 'series_missed', 'backup_failed',
  'disk_low', 'key_expiring', 'new_browser', 'sign_in_changed'));

create or replace function report_trouble() returns trigger language plpgsql as $$
declare
  is_of_series boolean := new.kind in ('series_approval', 'series_paused', 'series_missed')
    or new.kind = 'changes_asked' and new.host <> '';
  is_of_key boolean := new.kind = 'key_expiring';
begin
  insert into webhook_events (type, data)
  select 'trouble.' || case when new.ended_at is null then 'began' else 'ended' end,
    json_build_object('troubleId', new.id, 'kind', new.kind, 'instanceId', nullif(new.instance_id, 0),
      'jobId', nullif(new.job_id, 0), 'seriesId', case when is_of_series then new.host::bigint end,
      'apiKeyId', case when is_of_key then split_part(new.host, ' ', 1)::bigint end,
      'host', case when not is_of_series and not is_of_key then nullif(new.host, '') end, 'reason', new.reason->>'code')
  where new.kind not in ('new_browser', 'sign_in_changed') and exists (
    select from webhook_receivers where is_active and 'trouble' = any(topics));
  return null;
end $$;
