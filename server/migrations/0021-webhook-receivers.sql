-- Works with programs from 0014 on.
--
-- Outgoing webhooks: receivers are addresses of other programs, which learn of jobs, deliveries and troubles. The provider's
-- calls to us have nothing to do with these tables.

create table webhook_receivers (
  id bigint primary key generated always as identity,
  name text not null,
  url text not null,
  secret_cipher bytea not null,
  -- The kinds of events that the receiver wants: 'job', 'delivery', 'trouble'.
  topics text[] not null,
  is_active boolean not null,
  allows_own_network boolean not null,
  created_at timestamptz not null default clock_now(),
  -- Batches in a row of which no event arrived.
  failures int not null default 0,
  -- Until then a worker is sending to the receiver, or the receiver rests after a failure.
  try_at timestamptz not null default clock_now(),
  -- The events that were dropped and that no events_dropped event has counted.
  dropped bigint not null default 0
);

-- The latest events. Triggers write these rows, and a worker moves them into the queues of the receivers within
-- seconds. So a transaction of the engine writes one row for an event, whatever the receivers and however they are.
create table webhook_events (
  -- Ascends within a job, because changes of a row wait for each other. Numbers are skipped.
  sequence bigint primary key generated always as identity,
  id uuid not null default gen_random_uuid(),
  type text not null,
  at timestamptz not null default clock_now(),
  -- Ids and states only, in camel case. Never a text, a phone number or a token.
  data json not null
);

-- The events that wait for a receiver. Their number is bounded.
create table webhook_queue (
  id bigint primary key generated always as identity,
  receiver_id bigint not null references webhook_receivers (id) on delete cascade,
  event_id uuid not null,
  type text not null,
  -- The body that is sent and signed: the same bytes with each attempt.
  body text not null,
  queued_at timestamptz not null default clock_now(),
  attempts int not null default 0,
  due_at timestamptz not null default clock_now(),
  unique (receiver_id, event_id)
);
create index webhook_queue_due on webhook_queue (receiver_id, due_at);
create index webhook_queue_queued_at on webhook_queue (queued_at);
create index webhook_queue_dropped on webhook_queue (receiver_id) where type = 'events_dropped';

-- The last attempts for each receiver. Exactly one of `status` and `error`, a code, is set.
create table webhook_attempts (
  id bigint primary key generated always as identity,
  receiver_id bigint not null references webhook_receivers (id) on delete cascade,
  event_id uuid not null,
  type text not null,
  body text not null,
  at timestamptz not null default clock_now(),
  duration_ms int not null,
  has_arrived boolean not null,
  status int,
  error text
);
create index webhook_attempts_receiver on webhook_attempts (receiver_id, has_arrived, id);

-- The check for a receiver comes first: without one, a message costs little more than the call of this function.
create function report_delivery() returns trigger language plpgsql set plan_cache_mode = 'auto' as $$
begin
  if exists (select from webhook_receivers where is_active and 'delivery' = any(topics)) then
    insert into webhook_events (type, data)
    select 'delivery.' || change, json_build_object('jobId', new.job_id, 'deliveryId', new.id,
      'instanceId', new.instance_id, 'groupId', new.group_id, 'status', new.status, 'reason', new.reason->>'code')
    from unnest(array[
      case when new.status <> old.status and new.status in ('sent', 'failed') then new.status end,
      case when old.delivered_at is null and new.delivered_at is not null then 'delivered' end,
      case when old.read_at is null and new.read_at is not null then 'read' end
    ]) change
    where change is not null;
  end if;
  return null;
end $$;
create trigger deliveries_report after update of status, delivered_at, read_at on deliveries
  for each row when (
    old.status <> new.status and new.status in ('sent', 'failed')
    or old.delivered_at is null and new.delivered_at is not null or old.read_at is null and new.read_at is not null
  ) execute function report_delivery();

create function report_job() returns trigger language plpgsql as $$
begin
  insert into webhook_events (type, data)
  select 'job.' || lower(new.status),
    json_build_object('jobId', new.id, 'instanceId', new.instance_id, 'status', new.status)
  where exists (select from webhook_receivers where is_active and 'job' = any(topics));
  return null;
end $$;
create trigger jobs_report_new after insert on jobs for each row execute function report_job();
create trigger jobs_report after update of status on jobs
  for each row when (old.status <> new.status) execute function report_job();

create function report_trouble() returns trigger language plpgsql as $$
begin
  insert into webhook_events (type, data)
  select 'trouble.' || case when new.ended_at is null then 'began' else 'ended' end,
    json_build_object('troubleId', new.id, 'kind', new.kind, 'instanceId', nullif(new.instance_id, 0),
      'jobId', nullif(new.job_id, 0), 'host', nullif(new.host, ''), 'reason', new.reason->>'code')
  where exists (select from webhook_receivers where is_active and 'trouble' = any(topics));
  return null;
end $$;
create trigger troubles_report after update of announced_at, ended_at on troubles
  for each row when (
    old.announced_at is null and new.announced_at is not null or old.ended_at is null and new.ended_at is not null
  ) execute function report_trouble();
