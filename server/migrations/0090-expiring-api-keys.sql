-- Works with programs from 0032 on.
--
-- The owner of an API key is told 14 days and one day before it expires. The host of such a trouble is the id of the
-- key and the days, such as `7 14`.

alter table troubles drop constraint troubles_kind_check, add constraint troubles_kind_check check (kind in (
  'account_down', 'account_expiring', 'job_failed', 'job_stuck', 'approval_waiting', 'approval_given', 'changes_asked',
  'approval_overdue', 'approval_overridden', 'series_approval', 'series_paused', 'series_missed', 'backup_failed',
  'disk_low', 'new_browser', 'key_expiring'));

-- Only Admins add receivers, and they see all keys. The id of the key has a name of its own.
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
  where new.kind <> 'new_browser' and exists (
    select from webhook_receivers where is_active and 'trouble' = any(topics));
  return null;
end $$;
