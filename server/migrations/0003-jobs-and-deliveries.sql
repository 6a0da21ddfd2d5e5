-- A job has its own copy of the text and the image: editing or deleting the message changes no job.
create table jobs (
  id bigint generated always as identity primary key,
  job_type text not null check (job_type in ('SendToGroups', 'SendToUsers')),
  message_id bigint references messages on delete set null,
  text_content text not null,
  image_id bigint references images,
  instance_id bigint not null references instances on delete cascade,
  status text not null default 'Pending'
    check (status in ('Pending', 'Running', 'Completed', 'Failed', 'Cancelled')),
  paused_at timestamptz,
  -- When a user last resumed the job or sent it to the remaining recipients. Earlier trouble of the instance does not
  -- count against deliveries that are due since then.
  resumed_at timestamptz,
  -- Increases with every restart. The deliveries always belong to the current run.
  run int not null default 1,
  recipient_count int not null,
  scheduled_at timestamptz,
  created_by_user_id bigint references users on delete set null,
  created_by_user_name text not null,
  -- The idempotency key of the request that created the job. A client that lost the answer asks again with the same
  -- key and gets the same job.
  request_id uuid,
  created_at timestamptz not null default clock_now(),
  started_at timestamptz,
  completed_at timestamptz,

  -- The engine's columns. `media_id` is the image's id at the provider. `last_turn_at` is when the job last had its
  -- turn among the instance's jobs. All deliveries from `cursor` (an id) on were never tried. `log_line_count` counts
  -- the log lines about single recipients, which have a cap.
  media_id text,
  last_turn_at timestamptz not null default 'epoch',
  cursor bigint not null default 0,
  log_line_count int not null default 0,
  -- The job was cancelled during a send, and the engine still has to settle that delivery.
  settling boolean not null default false,
  search_text text generated always as (unaccent_lower(text_content)) stored
) with (fillfactor = 80);
create index jobs_created_at on jobs (created_at, id);
create index jobs_scheduled_at on jobs (scheduled_at, id);
create index jobs_status on jobs (status, id);
create index jobs_type on jobs (job_type, id);
create index jobs_instance on jobs (instance_id, id);
create index jobs_message on jobs (message_id);
create index jobs_image on jobs (image_id);
create index jobs_title on jobs (left(text_content, 100), id);
create index jobs_search on jobs using gin (search_text gin_trgm_ops);
alter table jobs alter search_text set statistics 400;
-- The engine reads only these two. They hold a few rows, however many finished jobs there are.
create index jobs_live on jobs (instance_id, id) where status in ('Pending', 'Running') or settling;
create index jobs_due on jobs (coalesce(scheduled_at, 'epoch')) where status = 'Pending';
-- The engine never changes these two columns, so its updates of a job stay on the same page.
create unique index jobs_request on jobs (created_by_user_id, request_id) where request_id is not null;

-- A delivery is one recipient of one job and its result. No other table says who got what.
-- The fill factor leaves room for the versions that the engine writes: intent, result, receipts.
create table deliveries (
  id bigint generated always as identity primary key,
  job_id bigint not null references jobs on delete cascade,
  instance_id bigint not null references instances on delete cascade,
  group_id bigint references groups,
  -- The chat's id at WhatsApp: …@g.us or …@s.whatsapp.net.
  chat_id text not null,
  recipient_name text not null,
  status text not null default 'queued'
    check (status in ('queued', 'sending', 'doubt', 'sent', 'failed', 'skipped')),
  attempt int not null default 0,
  -- When a requeued delivery may be tried again. 'epoch' means that it was never requeued.
  not_before timestamptz not null default 'epoch',
  -- A random token for each attempt. Only the process that wrote it, or the reconciliation, may settle the delivery.
  intent uuid,
  intent_at timestamptz,
  provider_message_id text,
  sent_at timestamptz,
  reason jsonb,
  -- While in doubt: since when, when to look it up next, since when the look-ups fail, and when the provider first
  -- did not have the message.
  doubt_since timestamptz,
  next_look_at timestamptz,
  look_fails_since timestamptz,
  not_found_at timestamptz,
  -- How many times the delivery was in doubt.
  doubts int not null default 0,
  delivered_at timestamptz,
  read_at timestamptz,
  -- For a group: how many members got the message, and how many read it.
  delivered_members int not null default 0,
  read_members int not null default 0,
  -- When to ask the provider for receipts, if no webhook reaches us.
  ask_at timestamptz,
  constraint deliveries_recipient unique (job_id, chat_id)
) with (fillfactor = 70);
-- No index contains the status or the provider's message id: a settled delivery changes no indexed column, so its new
-- version stays on the same page (HOT).
create index deliveries_job on deliveries (job_id, id);
create index deliveries_instance on deliveries (instance_id, id);
create index deliveries_group on deliveries (group_id) where group_id is not null;
-- These find the few deliveries that wait for something, without a walk over the settled ones.
create index deliveries_requeued on deliveries (job_id, not_before) where not_before > 'epoch';
create index deliveries_doubt on deliveries (instance_id, chat_id) where doubt_since is not null;
create index deliveries_ask_at on deliveries (instance_id, ask_at) where ask_at is not null;

-- The delivery that a message at the provider was matched with. The primary key allows one at most. The table is
-- separate, because an index on deliveries.provider_message_id would make every settled delivery write all other
-- indexes of its table too.
--
-- When a delivery is deleted or restarted, its match is released and stays for 48 hours: a look-up must not take an old
-- message for a new one.
--
-- `instance_id` has no foreign key. Its check would cost as much as the insert, and would lock the instance's row, which
-- is the engine's lock.
create table matched_messages (
  instance_id bigint not null,
  provider_message_id text not null,
  delivery_id bigint,
  released_at timestamptz,
  primary key (instance_id, provider_message_id)
);
create index matched_messages_released on matched_messages (released_at) where released_at is not null;

create function release_matches() returns trigger language plpgsql as $$
begin
  update matched_messages m set released_at = clock_now()
  from gone
  where m.instance_id = gone.instance_id and m.provider_message_id = gone.provider_message_id
    and m.delivery_id = gone.id;
  return null;
end $$;

create trigger deliveries_release_matches after delete on deliveries
  referencing old table as gone for each statement execute function release_matches();

create table job_logs (
  id bigint generated always as identity primary key,
  job_id bigint not null references jobs on delete cascade,
  created_at timestamptz not null default clock_now(),
  log_level text not null check (log_level in ('Info', 'Warning', 'Error')),
  reason jsonb not null
);
create index job_logs_job on job_logs (job_id, id);
