-- Works with programs from 0014 on.
--
-- Refused calls are in the audit log, grouped: an entry for each kind, user or address, and hour, with a count. So an
-- attack of any length leaves few entries.
create unique index audit_log_refusals
  on audit_log (action, coalesce(user_id, 0), (case when user_id is null then address end), (details ->> 'hour'))
  nulls not distinct
  where action like 'security.%';

-- The only way to change entries: the count of a group grows. Receivers of webhooks are told of a new group.
create function count_refusals(refused jsonb) returns void language plpgsql security definer
set search_path = public, pg_temp as $$
declare
  hour text := to_char(clock_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"');
begin
  with counted as (
    insert into audit_log (user_id, user_name, address, action, object_name, details)
    -- Always in this order. Two servers that lock the same rows in different orders would deadlock.
    select user_id, user_name, address, 'security.' || kind, '', jsonb_build_object('count', count, 'hour', hour)
    from jsonb_to_recordset(refused) as r (kind text, user_id bigint, user_name text, address text, count bigint)
    order by kind, user_id, address
    on conflict (action, coalesce(user_id, 0), (case when user_id is null then address end), (details ->> 'hour'))
      where action like 'security.%'
    do update set details = jsonb_set(audit_log.details, '{count}',
      to_jsonb((audit_log.details ->> 'count')::bigint + greatest(0, (excluded.details ->> 'count')::bigint)))
    returning id, action, user_id, xmax = 0 as is_new
  )
  insert into webhook_events (type, data)
  select action, json_build_object('auditId', id, 'userId', user_id)
  from counted
  where is_new and exists (select from webhook_receivers where is_active and 'security' = any(topics));
end $$;
revoke execute on function count_refusals from public;
do $$ begin
  if to_regrole('sendroom_app') is not null then
    grant execute on function count_refusals to sendroom_app;
  end if;
end $$;

-- Calls at the same moment that delete one job are one entry. The first one did it.
delete from audit_log later using audit_log first
where later.action = 'job.delete' and first.action = 'job.delete'
  and later.object_id = first.object_id and later.id > first.id;
create unique index audit_log_job_deleted on audit_log (object_id) where action = 'job.delete';
