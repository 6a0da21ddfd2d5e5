-- A job keeps its own text and image: editing or deleting the message changes no job.
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
  -- Counts restarts; the deliveries are always those of the present run.
  run int not null default 1,
  recipient_count int not null,
  scheduled_at timestamptz,
  created_by_user_id bigint references users on delete set null,
  created_by_user_name text not null,
  created_at timestamptz not null default clock_now(),
  started_at timestamptz,
  completed_at timestamptz,
  -- The engine's part: the image's id at the provider, when the job last had its turn, from which delivery on
  -- all were never tried, and how many single deliveries its log tells about.
  media_id text,
  last_turn_at timestamptz not null default 'epoch',
  fresh_from bigint not null default 0,
  noted int not null default 0,
  -- Cancelled while a message was on its way: somebody still has to settle it.
  settling boolean not null default false
) with (fillfactor = 80);
create index jobs_created_at on jobs (created_at, id);
create index jobs_scheduled_at on jobs (scheduled_at, id);
create index jobs_status on jobs (status, id);
create index jobs_type on jobs (job_type, id);
create index jobs_instance on jobs (instance_id, id);
create index jobs_message on jobs (message_id);
create index jobs_image on jobs (image_id);
create index jobs_title on jobs (left(text_content, 100), id);
create index jobs_search on jobs using gin (text_content gin_trgm_ops);
-- What the engine looks at: a handful of rows, however many jobs there have been.
create index jobs_live on jobs (instance_id, id) where status in ('Pending', 'Running') or settling;
create index jobs_due on jobs (coalesce(scheduled_at, 'epoch')) where status = 'Pending';

-- One recipient of one job and what became of it: the only truth about who got what.
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
  -- 'epoch' as long as it was never given back to the queue.
  not_before timestamptz not null default 'epoch',
  -- One random token for each intent: only the one who wrote it, or the look-up, may settle it.
  intent uuid,
  intent_at timestamptz,
  provider_message_id text,
  sent_at timestamptz,
  reason jsonb,
  -- While in doubt: since when, when to look next, since when looking fails, and when it was first not found.
  doubt_since timestamptz,
  next_look_at timestamptz,
  look_fails_since timestamptz,
  not_found_at timestamptz,
  doubts int not null default 0,
  delivered_at timestamptz,
  read_at timestamptz,
  constraint deliveries_recipient unique (job_id, chat_id)
) with (fillfactor = 70);
-- No index names the status: an update that touches no indexed column stays within its page.
create index deliveries_job on deliveries (job_id, id);
create index deliveries_instance on deliveries (instance_id, id);
-- The few that were given back, and the few in doubt, are found without walking over the settled ones.
create index deliveries_given_back on deliveries (job_id, not_before) where not_before > 'epoch';
create index deliveries_doubt on deliveries (instance_id, chat_id) where doubt_since is not null;
create index deliveries_group on deliveries (group_id) where group_id is not null;
-- A message at the provider is credited to one delivery at most.
create unique index deliveries_provider_message on deliveries (instance_id, provider_message_id)
  where provider_message_id is not null;

-- Ids that deliveries since deleted or restarted were credited with, kept for 48 hours:
-- a look-up must not take an old message for a new one.
create table credited_messages (
  instance_id bigint not null references instances on delete cascade,
  provider_message_id text not null,
  credited_at timestamptz not null default clock_now(),
  primary key (instance_id, provider_message_id)
);

create table job_logs (
  id bigint generated always as identity primary key,
  job_id bigint not null references jobs on delete cascade,
  created_at timestamptz not null default clock_now(),
  log_level text not null check (log_level in ('Info', 'Warning', 'Error')),
  reason jsonb not null
);
create index job_logs_job on job_logs (job_id, id);
