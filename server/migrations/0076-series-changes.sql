-- Works with programs from 0032 on.
--
-- An approver asks for changes of a series. docs/decisions/0039-approval.md.

-- The changes that somebody asked for, in this version of the series. Any later version has none.
alter table series
  add changes_asked_version int,
  add changes_asked_by_name text,
  add changes_asked_words text,
  add changes_asked_at timestamptz;

-- The trouble `changes_asked` is one of a job, or of the series whose id is its `host`.
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
  where exists (select from webhook_receivers where is_active and 'trouble' = any(topics));
  return null;
end $$;
