-- Works with programs from 0032 on.
--
-- The schema of Sendroom. Numbers begin at 0033, because programs compare them, and earlier ones had 0001 to 0032:
-- docs/decisions/0019-upgrades-without-a-stop.md.


---------------------------------------------------------------------------------------------------- time and search

create extension if not exists pg_trgm;

-- Every query reads the time from this function. Tests replace it to move the time, so nothing else may call now().
create function clock_now() returns timestamptz language sql stable as 'select now()';

-- Searches ignore case and accents. They compare this form of the stored text with this form of the typed text. The
-- pickers in the browser do the same: web/src/ui/search.ts.
--
-- `return` looks up the names now. PostgreSQL builds an index or restores a dump with an empty search path.
-- ASCII text, such as phone numbers, skips all but lower() and takes a fifth of the time.
create function unaccent_lower(text) returns text language sql immutable parallel safe
return lower(case when octet_length($1) = length($1) then $1
  else translate(regexp_replace(normalize($1, nfkd), '[\u0300-\u036f]', '', 'g'), 'đĐ', 'dD') end);

-- Returns a pattern for `like` that finds the typed text anywhere and takes it literally. The escaping comes last,
-- because unaccent_lower() turns a wide ％ into a %.
create function like_pattern(typed text) returns text language sql immutable parallel safe
return '%' || regexp_replace(unaccent_lower(typed), '[\\%_]', '\\\&', 'g') || '%';

-- Each searched table stores its searched text in `search_text`. A search looks at many long texts, and converting each
-- of them again would be many times slower.
--
-- The planner chooses between walking the list and the trigram index by the number of rows it expects to find. With the
-- default of 100 samples it often misses a word that one row in a hundred has, and expects one row in ten thousand. So
-- the large tables have 400.


-------------------------------------------------------------------------------------------------- the installation

-- This table has one row. Each start decrypts it to prove that the process holds the key of the stored secrets.
create table installation (
  id int primary key default 1 check (id = 1),
  secret_check bytea not null,
  created_at timestamptz not null default clock_now()
);

-- This table has one row, the heartbeat of all workers. Each worker adds to it every two seconds. A worker that finds
-- it still, set back, or on another timeline of PostgreSQL's log begins a new `era`: what was sent just before may be
-- missing from this database, because it is a restored backup, a copy, or a standby that was promoted.
create table heartbeat (
  only_row boolean primary key default true check (only_row),
  beat bigint not null default 0,
  beat_at timestamptz not null default 'epoch',
  timeline text not null default '',
  era uuid not null default gen_random_uuid(),
  -- From this moment on, the provider's history shows everything that was sent before the era began.
  history_complete_at timestamptz not null default 'epoch'
);
insert into heartbeat default values;

-- The timeline of PostgreSQL's log changes with every promotion. Null on a standby, which has no position to write to.
create function current_timeline() returns text language sql volatile as $$
  select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end
$$;

create function current_era() returns uuid language sql stable as 'select era from heartbeat';

-- How many days an Admin keeps details. Null keeps them for ever. A background job deletes what is older, in small
-- slices. Receipts count for seven days after a message was sent, so nothing is deleted earlier.
create table retention (
  only_row boolean primary key default true check (only_row),
  delivery_days int check (delivery_days >= 7),
  log_days int check (log_days >= 7),
  receipt_days int default 7 check (receipt_days >= 7)
);
insert into retention default values;

-- How much one user and one account may take, so that nobody stops everybody else. The defaults are far above what the
-- staff of an agency needs.
create table quotas (
  only_row boolean primary key default true check (only_row),
  -- The recipients of jobs that have not ended.
  recipients_per_user int not null default 1000000 check (recipients_per_user > 0),
  recipients_per_instance int not null default 500000 check (recipients_per_instance > 0),
  -- The syncs of an account that users ask for, in 24 hours. A sync is two calls or more, and a Whapi trial has 1,000 a
  -- month.
  syncs_per_day int not null default 20 check (syncs_per_day > 0),
  -- The searches of a user that run at the same moment. More of them wait.
  searches_at_once int not null default 4 check (searches_at_once > 0),
  -- The images that a user has uploaded, as they are stored.
  image_megabytes_per_user int not null default 5000 check (image_megabytes_per_user > 0)
);
insert into quotas default values;

-- The backups made by the command. `error` is null for one that succeeded.
create table backups (
  id bigint generated always as identity primary key,
  started_at timestamptz not null,
  finished_at timestamptz,
  error text
);

-- The disk with the data folder of each machine, as its processes see it.
create table disks (
  host text primary key,
  total_bytes bigint not null,
  free_bytes bigint not null,
  is_low boolean not null,
  checked_at timestamptz not null default clock_now()
);


------------------------------------------------------------------------------------------------------------- users

create table users (
  id bigint generated always as identity primary key,
  username text not null,
  email text not null,
  password_hash text not null,
  role text not null check (role in ('Admin', 'Member')),
  is_active boolean not null,
  can_send_messages boolean not null default true,
  can_create_jobs boolean not null default true,
  -- True for users who registered themselves and whom no Admin has reviewed yet.
  is_waiting boolean not null default false,
  created_at timestamptz not null default clock_now(),
  search_text text generated always as (unaccent_lower(username || ' ' || email)) stored,
  can_link_accounts boolean not null default true,
  can_export_participants boolean not null default true,
  -- Counts the edits of a record by people, so that two Admins who edit it at once do not overwrite each other
  -- unnoticed. Instances and messages have the same column. xmin would not do: the engine writes the rows of instances
  -- all the time.
  version int not null default 1,
  -- The language of the user's emails: the one they chose last.
  language text not null default 'en' check (language in ('vi', 'en', 'cn')),
  -- Where somebody registered: a hash with the installation's key. Null for others.
  registered_from bytea,
  -- The password_hash of a generated password, which lies in a log. Once the two differ, the password was changed.
  generated_hash text
);
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));
create index users_search on users using gin (search_text gin_trgm_ops);
create index users_created_at on users (created_at, id);

create table sessions (
  token_hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  -- When the user last entered the password in this session. A sign-in is the first time.
  confirmed_at timestamptz not null default clock_now()
);
create index sessions_user on sessions (user_id);
create index sessions_expires_at on sessions (expires_at);

-- Wrong passwords, counted by name, address and known browser: server/src/features/session/attempts.ts. The keys are
-- hashes with the installation's key, because strangers choose the names. A server restart forgets nothing.
create table sign_in_failures (
  key bytea primary key,
  failures int not null,
  -- The time of the first failure. The count starts again a day later.
  since timestamptz not null,
  -- The next attempt is refused until this time.
  next_at timestamptz not null
);

-- The number of the newest browser in which the user has signed in. A device cookie holds such a number, and only the
-- newest ones count: server/src/features/session/device-cookie.ts. A table of its own, because a call that runs long
-- locks its user's row.
create table sign_in_devices (
  user_id bigint primary key references users on delete cascade,
  newest int not null
);


---------------------------------------------------------------------------------------------------------- accounts

-- The engine updates a row with every message: the fill factor leaves room for the new version on the same page.
create table instances (
  id bigint generated always as identity primary key,
  name text not null,
  whats_app_number text not null default '',
  -- The token is encrypted with AES-256-GCM. Its keyed hash keeps two instances from sharing one token.
  token_cipher bytea not null,
  token_hash bytea not null constraint instances_token unique,
  is_test boolean not null,
  is_active boolean not null default true,
  created_at timestamptz not null default clock_now(),
  expired_time timestamptz,

  status text not null default 'Unknown',
  status_seen_at timestamptz,
  -- The time of the last status request, answered or not. It limits how often we ask the provider.
  status_asked_at timestamptz not null default 'epoch',

  -- The pace that WhatsApp tolerates. Pauses are ranges in milliseconds. Caps are messages in 24 hours; 0 means no cap.
  group_pause_from_ms int not null default 20000,
  group_pause_to_ms int not null default 30000,
  private_pause_from_ms int not null default 60000,
  private_pause_to_ms int not null default 90000,
  group_cap int not null default 0,
  private_cap int not null default 200,
  -- Quiet hours in the instance's time zone. They may span midnight.
  quiet_from time,
  quiet_to time,
  time_zone text not null default 'Asia/Ho_Chi_Minh',

  last_sync_at timestamptz,
  -- The lease of the process that reads the groups. A past time says when the last attempt ended.
  syncing_until timestamptz,
  sync_problem jsonb,
  -- When the provider last reported a change in the groups. A sync is due if that is later than last_sync_at.
  groups_changed_at timestamptz,

  -- The engine's columns. The row is the lock of the instance. `claim` and `lease_until` say who may send, `in_flight`
  -- is the delivery that is being sent, `next_due_at` is when the next message may go, and `busy` is the provider's
  -- reason for a longer wait.
  claim uuid,
  lease_until timestamptz,
  in_flight bigint,
  next_due_at timestamptz not null default 'epoch',
  busy jsonb,
  busy_in_a_row int not null default 0,
  -- Messages sent in the last hours, for the caps. The key is 'g' (groups) or 'p' (private chats) and the hour since
  -- 1970, such as "g486552".
  sent_by_hour jsonb not null default '{}',
  failures_in_a_row int not null default 0,
  -- Why the instance sends nothing, if the reason is its own trouble. `waiting_since` outlasts a short recovery: see
  -- setInstanceState in server/src/engine/shared/instance-state.ts.
  waiting jsonb,
  waiting_since timestamptz,
  try_again_at timestamptz,
  -- WhatsApp lets the instance write only to groups until this time. Null means no known restriction.
  restricted_until timestamptz,

  -- Our address that the instance's webhook points to, and when we last tried to set it.
  webhook_base text,
  webhook_tried_at timestamptz not null default 'epoch',
  -- From this time on we may ask the provider about another sent message of the instance.
  next_ask_at timestamptz not null default 'epoch',
  search_text text generated always as (unaccent_lower(name || ' ' || whats_app_number)) stored,
  version int not null default 1,

  -- The era whose beginning is taken care of: what was sent before it is known. Nothing is sent in any other era. A new
  -- instance has sent nothing.
  checked_era uuid default current_era(),
  -- When the history may be read again; a worker that reads it moves this on.
  history_check_at timestamptz not null default 'epoch',
  -- The time of the last intent.
  last_intent_at timestamptz,
  -- When the first of the attempts began to fail that the provider has neither taken nor refused since. `busy` says
  -- why, and both stay until the provider takes or refuses a message: between two attempts of an outage nothing else
  -- shows it.
  busy_since timestamptz,
  -- An unknown time zone would make the engine's queries fail for every instance.
  constraint instances_time_zone check (timestamptz '2000-01-01 00:00Z' at time zone time_zone is not null)
) with (fillfactor = 70);
create index instances_name on instances (name, id);
create index instances_created_at on instances (created_at, id);
create index instances_search on instances using gin (search_text gin_trgm_ops);

create table user_instances (
  user_id bigint not null references users on delete cascade,
  instance_id bigint not null references instances on delete cascade,
  primary key (user_id, instance_id)
);
create index user_instances_instance on user_instances (instance_id);

-- The syncs of an account that users have asked for since a time less than 24 hours ago.
create table manual_syncs (
  instance_id bigint primary key references instances on delete cascade,
  since timestamptz not null default clock_now(),
  count int not null default 1
);


------------------------------------------------------------------------------------------------------------ groups

create table groups (
  id bigint generated always as identity primary key,
  instance_id bigint not null references instances on delete cascade,
  chat_id text not null,
  name text not null,
  participant_count int not null default 0,
  -- Whether the instance may write to the group, according to the newest sync. Null means not known.
  can_send boolean,
  -- A sync does not write groups that have not changed. Lists show and sort by the time of the account's last sync.
  last_sync_at timestamptz,
  -- The newest complete sync did not list the group. A second one ten minutes later sets left_at.
  missing_since timestamptz,
  left_at timestamptz,
  search_text text generated always as (unaccent_lower(name)) stored,
  -- The slot that the group's next viewer gets: see `delivery_views`.
  next_slot int not null default 0,
  constraint groups_chat unique (instance_id, chat_id)
);
create index groups_name on groups (name, id);
create index groups_instance_name on groups (instance_id, name, id);
create index groups_participant_count on groups (participant_count, id);
create index groups_search on groups using gin (search_text gin_trgm_ops);
alter table groups alter search_text set statistics 400;

create table participants (
  group_id bigint not null references groups on delete cascade,
  -- The digits of the phone number, or a hidden number (…@lid).
  person_id text not null,
  rank text not null check (rank in ('member', 'admin', 'creator')),
  name text,
  -- Null until the first receipt.
  slot int,
  primary key (group_id, person_id)
);

-- The slots of viewers who are no participants: those who have left, and those that the provider names differently.
create table other_viewers (
  group_id bigint not null references groups on delete cascade,
  person_id text not null,
  slot int not null,
  primary key (group_id, person_id)
);


---------------------------------------------------------------------------------------------------------- messages

create table images (
  id bigint generated always as identity primary key,
  -- The part of the image's URL that nobody can guess.
  name text not null unique,
  mime_type text not null,
  -- In bytes.
  size int not null,
  created_at timestamptz not null default clock_now(),
  -- Since this time no row refers to the image. A background job deletes it an hour later.
  unused_since timestamptz,
  -- Who has uploaded the image. Null when the user is deleted.
  user_id bigint references users on delete set null
);
create index images_user on images (user_id) include (size);

create table messages (
  id bigint generated always as identity primary key,
  text_content text not null,
  image_id bigint references images,
  instance_id bigint references instances on delete cascade,
  created_by_user_id bigint references users on delete set null,
  created_by_user_name text not null,
  created_at timestamptz not null default clock_now(),
  search_text text generated always as (unaccent_lower(text_content)) stored,
  -- An Admin's message without an instance is a shared template: every Member reads it and uses it in jobs. The fact is
  -- kept with the message, so that the template stays when its author is deleted or becomes a Member.
  created_by_admin boolean not null default false,
  version int not null default 1
);
create index messages_created_at on messages (created_at, id);
create index messages_instance on messages (instance_id, id);
create index messages_creator on messages (created_by_user_id, id);
create index messages_creator_name on messages (created_by_user_name, id);
create index messages_title on messages (left(text_content, 100), id);
create index messages_image on messages (image_id);
create index messages_search on messages using gin (search_text gin_trgm_ops);
alter table messages alter search_text set statistics 400;

create table message_groups (
  message_id bigint not null references messages on delete cascade,
  group_id bigint not null references groups on delete cascade,
  primary key (message_id, group_id)
);
create index message_groups_group on message_groups (group_id);


----------------------------------------------------------------------------------------------- jobs and deliveries

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
  search_text text generated always as (unaccent_lower(text_content)) stored,

  -- The failed deliveries of the current run, so that a list of jobs need not count them: see `count_failed`.
  failed_count int not null default 0,
  -- The counts of the job's page. Set before the first delivery is deleted: what is left of the deliveries says
  -- nothing.
  final_counts jsonb,
  -- Whether there may be deliveries and log lines to delete.
  has_deliveries boolean not null default true,
  has_logs boolean not null default true,
  -- Whether a recipient of the current run has failed, so that the dashboard finds such jobs by an index. An index on
  -- failed_count itself would make each failed message write all indexes of the job's row. This column changes once.
  has_failures boolean not null default false,
  -- Without its deliveries a job can't be sent again, whatever a program believes.
  constraint jobs_final check (final_counts is null or status in ('Completed', 'Failed', 'Cancelled'))
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
create index jobs_with_deliveries on jobs (completed_at) where has_deliveries;
create index jobs_with_logs on jobs (completed_at) where has_logs;
create index jobs_with_failures on jobs (completed_at, instance_id) where has_failures;
-- The failed jobs of the last day, among those of years.
create index jobs_failed on jobs (completed_at) where status = 'Failed';

create function note_failures() returns trigger language plpgsql as $$
begin
  new.has_failures := new.failed_count > 0;
  return new;
end $$;
create trigger jobs_failures before insert or update of failed_count on jobs
  for each row when ((new.failed_count > 0) <> new.has_failures) execute function note_failures();

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
-- The failed recipients of a job, which have a reason. An index on the status would be written with each message.
create index deliveries_reason on deliveries (job_id, id) where reason is not null;

-- All that changes `failed_count` holds the instance's lock, except a receipt that proves a failed delivery sent: that
-- locks the delivery first and the job second. If it meets a retry or a restart of the same job, PostgreSQL ends one of
-- the two.
create function count_failed() returns trigger language plpgsql as $$
begin
  update jobs set failed_count = failed_count + case new.status when 'failed' then 1 else -1 end where id = new.job_id;
  return null;
end $$;
-- From and to 'queued' thousands change in one statement (a refused image, a restart, a retry). Those statements set
-- the count themselves, once: a trigger would write the job's row for each delivery.
create trigger deliveries_failed after update of status on deliveries
  for each row when (
    (old.status = 'failed') <> (new.status = 'failed') and old.status <> 'queued' and new.status <> 'queued'
  ) execute function count_failed();

-- The delivery that a message at the provider was matched with. The primary key allows one at most. The table is
-- separate, because an index on deliveries.provider_message_id would make every settled delivery write all other
-- indexes of its table too.
--
-- When a delivery is deleted or restarted, its match is released and stays for 48 hours: a look-up must not take an old
-- message for a new one.
--
-- `instance_id` has no foreign key. Its check would cost as much as the insert, and would lock the instance's row,
-- which is the engine's lock.
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


-------------------------------------------------------------------------------------------------------------- pace

-- The rules of pace are functions, because the statement that writes an intent applies them by the database's
-- clock.
--
-- Every message calls quiet_until, cap_free_at and record_usage, and the answer is nearly always simple: no quiet
-- hours, no cap, or one more message in an hour that has a count already. So each of the three handles the simple case
-- itself and leaves the rest to a second function. That saves a tenth of the time.

create function hour_of(moment timestamptz) returns bigint language sql immutable as $$
  select floor(extract(epoch from moment) / 3600)::bigint
$$;

-- 'g' for groups, 'p' for private chats: each kind has its own cap.
create function chat_kind(job_type text) returns text language sql immutable as $$
  select case job_type when 'SendToGroups' then 'g' else 'p' end
$$;

-- Returns the end of the current quiet hours, or null outside of them. They follow the local time of the zone, and may
-- span midnight.
create function quiet_until_if_set(quiet_from time, quiet_to time, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case
    when quiet_from < quiet_to and wall::time >= quiet_from and wall::time < quiet_to
      then (wall::date + quiet_to) at time zone zone
    when quiet_from > quiet_to and wall::time >= quiet_from then (wall::date + 1 + quiet_to) at time zone zone
    when quiet_from > quiet_to and wall::time < quiet_to then (wall::date + quiet_to) at time zone zone
  end
  from (select moment at time zone zone as wall) w
$$;

create function quiet_until(quiet_from time, quiet_to time, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when quiet_from is not null then quiet_until_if_set(quiet_from, quiet_to, zone, moment) end
$$;

-- Returns when one more message may go, or null if it may go now. `usage` is instances.sent_by_hour. An hour leaves the
-- window as a whole, when all of it is 24 hours old: never more than the cap in any 24 hours, up to an hour late.
create function cap_free_at_if_set(usage jsonb, kind text, cap int, moment timestamptz)
returns timestamptz language sql stable as $$
  select to_timestamp(min(hour + 25) * 3600)
  from (
    select hour, sum(n) over () as used, sum(n) over () - sum(n) over (order by hour) as used_then
    from (select substr(key, 2)::bigint as hour, value::int as n from jsonb_each_text(usage)
          where left(key, 1) = kind and substr(key, 2)::bigint >= hour_of(moment) - 24) b
  ) w
  where cap > 0 and used >= cap and used_then < cap
$$;

create function cap_free_at(usage jsonb, kind text, cap int, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when cap > 0 then cap_free_at_if_set(usage, kind, cap, moment) end
$$;

-- Adds n (which may be negative) to the hour of that moment, and forgets the hours that no longer matter.
create function record_usage_and_forget(usage jsonb, kind text, moment timestamptz, n int)
returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(key, amount) filter (where amount > 0), '{}')
  from (
    select key, sum(amount) as amount
    from (
      select key, value::int as amount from jsonb_each_text(usage)
      where substr(key, 2)::bigint >= hour_of(moment) - 24
      union all
      select kind || hour_of(moment), n
    ) entry
    group by key
  ) total
$$;

create function record_usage(usage jsonb, kind text, moment timestamptz, n int)
returns jsonb language sql stable as $$
  select case when (usage ->> (kind || hour_of(moment)))::int + n > 0
    then jsonb_set(usage, array[kind || hour_of(moment)], to_jsonb((usage ->> (kind || hour_of(moment)))::int + n))
    else record_usage_and_forget(usage, kind, moment, n) end
$$;


------------------------------------------------------------------------------------------------------------- receipts

-- Receipts as the provider's calls brought them: one row for all calls that were written together. A worker applies
-- them within a second and deletes the row. One row for many receipts makes answering a call cheap, and receipts that
-- are applied together rewrite the bitmaps of their message once.
create table receipt_batches (
  id bigint primary key generated always as identity,
  -- A JSON list. As text, because PostgreSQL never looks into it.
  receipts text not null,
  receipt_count int not null,
  received_at timestamptz not null default clock_now()
);

-- Single receipts that wait: their delivery is not known yet, because a receipt may arrive before the answer to the
-- send. `instance_id` has no foreign key, because its check would lock the instance's row, which is the engine's lock.
-- Receipts that still match no delivery after the last try are deleted.
create table receipt_events (
  id bigint generated always as identity primary key,
  instance_id bigint not null,
  provider_message_id text not null,
  state text not null check (state in ('delivered', 'read', 'failed')),
  -- The member of a group who got or read the message.
  viewer text,
  -- Why the message failed, in the provider's words.
  detail text not null default '',
  happened_at timestamptz not null,
  received_at timestamptz not null default clock_now(),
  -- When to look for its delivery next, and how often that was done.
  try_at timestamptz not null default clock_now(),
  tries int not null default 1
);
create index receipt_events_due on receipt_events (try_at, id);

-- Receipts that can't be applied because of what they say. Each row has one, or one call that can't be read.
create table receipts_set_aside (
  id bigint generated always as identity primary key,
  receipts text not null,
  reason text not null,
  received_at timestamptz not null,
  set_aside_at timestamptz not null default clock_now()
);

-- Two bitmaps for each delivery to a group say who received and who read the message, so that a second receipt does not
-- count twice. The bits are slots: each viewer of a group has one, gets it with the first receipt, and keeps it for
-- ever.
--
-- The key is the delivery's intent, which is new with every attempt and run. A background job deletes old rows; the
-- counts in deliveries stay. All rows of a page are often rewritten by one transaction, so there is room for two
-- versions of each.
create table delivery_views (
  intent uuid primary key,
  delivered bytea not null,
  read bytea not null,
  sent_at timestamptz not null
) with (fillfactor = 45);
-- Slices are taken by age. Deleted rows leave room for new ones, among which a BRIN index finds nothing.
create index delivery_views_sent_at on delivery_views (sent_at);


------------------------------------------------------------------------------------------------- numbers of the pages

-- The numbers that the dashboard and the lists show, so that nobody counts a million rows. Triggers keep them, so that
-- no code can forget one, and a program of another version keeps them too.
--
-- Each change of a number is a row of its own (…_changes), because an insert waits for no other transaction. A worker
-- adds these rows to the totals every few seconds (platform/counts.ts). So a number is its total plus the changes left.

-- `owner` is an instance's id, 'user' and an id for the templates of a Member, 'shared' for the templates of Admins, or
-- 'nobody' for the templates of a deleted Member. In the totals, 'all' is the sum of all owners. `counter` is
-- 'messages', 'groups', 'left groups', 'sent' (deliveries that count as sent now), or the status of jobs. 'people'
-- grows by one with each statement that changes who is in a group that counts.
create table count_changes (
  owner text not null,
  counter text not null,
  n bigint not null
);
create table counts (
  owner text not null,
  counter text not null,
  n bigint not null,
  primary key (owner, counter)
) with (fillfactor = 70);

-- The outcomes of messages. `sent_now` counts the deliveries that are sent now: a restart and a deletion take theirs
-- away. The other four are history and stay. They belong to the day in Vietnam on which the message was sent; a failure
-- without one to the day of the attempt, or of the failure if there was none.
create table delivery_changes (
  instance_id bigint not null,
  group_id bigint,
  sent_now bigint not null,
  day date,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null
);
-- Instance 0 is the sum of all instances, also of deleted ones.
create table instance_days (
  instance_id bigint not null,
  day date not null,
  sent bigint not null,
  delivered bigint not null,
  read bigint not null,
  failed bigint not null,
  primary key (instance_id, day)
) with (fillfactor = 70);
-- The deliveries to each group that are sent now. The indexes find the groups with the most. There is no foreign key,
-- because its check would lock groups that a sync writes.
create table sent_to_groups (
  group_id bigint primary key,
  instance_id bigint not null,
  sent bigint not null
);
-- Sent deliveries whose rows were deleted for their age. They count on, and nothing else tells how many they were.
create table sent_without_rows (
  instance_id bigint not null,
  group_id bigint,
  sent bigint not null
);
create index sent_to_groups_most on sent_to_groups (sent desc, group_id);
create index sent_to_groups_instance on sent_to_groups (instance_id, sent desc, group_id);

-- How many distinct people are in the groups of these instances (ids separated by commas, or 'all'). Such a number is
-- no sum, so it is counted, but not by those who wait for it. It is current while the counter 'people' has this
-- version.
create table people_counts (
  instances text primary key,
  version bigint not null,
  people bigint not null,
  -- How many rows were counted for it.
  participants bigint not null,
  counted_at timestamptz not null
);

create function day_of(moment timestamptz) returns date language sql immutable
  return (moment at time zone 'Asia/Ho_Chi_Minh')::date;

-- Runs for each message. With a plan that it keeps it takes half the time: 15 µs.
create function count_delivery() returns trigger language plpgsql set plan_cache_mode = 'auto' as $$
declare
  -- Null if the row is new.
  was text := coalesce(old.status, '');
  sent int := (new.status = 'sent')::int - (was = 'sent')::int;
  -- A message that went out stays in the history, unless the provider says that it failed after all.
  is_outcome boolean := new.status in ('sent', 'failed');
begin
  insert into delivery_changes values (new.instance_id, new.group_id, sent,
    day_of(coalesce(new.sent_at, new.intent_at, clock_now())),
    case when is_outcome then sent else 0 end,
    (old.delivered_at is null and new.delivered_at is not null)::int,
    (old.read_at is null and new.read_at is not null)::int,
    case when is_outcome then (new.status = 'failed')::int - (was = 'failed')::int else 0 end);
  return null;
end $$;

create trigger deliveries_count after update of status, delivered_at, read_at on deliveries
  for each row when (
    (old.status = 'sent') <> (new.status = 'sent') or old.status <> 'failed' and new.status = 'failed'
    or old.delivered_at is null and new.delivered_at is not null or old.read_at is null and new.read_at is not null
  ) execute function count_delivery();
create trigger deliveries_count_new after insert on deliveries
  for each row when (new.status in ('sent', 'failed')) execute function count_delivery();

-- Deliveries are deleted with their job, thousands in one statement.
create function uncount_sent() returns trigger language plpgsql as $$
begin
  insert into delivery_changes
  select instance_id, group_id, -count(*), null, 0, 0, 0, 0 from gone where status = 'sent'
  group by instance_id, group_id;
  return null;
end $$;
create trigger deliveries_gone after delete on deliveries
  referencing old table as gone for each statement execute function uncount_sent();

create function message_owner(instance_id bigint, is_admins boolean, author bigint) returns text language sql immutable
  return case when instance_id is not null then instance_id::text when is_admins then 'shared'
    when author is not null then 'user ' || author else 'nobody' end;

create function count_messages() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select message_owner(instance_id, created_by_admin, created_by_user_id), 'messages', sign * count(*) from touched
  group by 1;
  return null;
end $$;
create trigger messages_count_new after insert on messages
  referencing new table as touched for each statement execute function count_messages();
create trigger messages_count_gone after delete on messages
  referencing old table as touched for each statement execute function count_messages();

create function count_moved_message() returns trigger language plpgsql as $$
begin
  insert into count_changes values
    (message_owner(old.instance_id, old.created_by_admin, old.created_by_user_id), 'messages', -1),
    (message_owner(new.instance_id, new.created_by_admin, new.created_by_user_id), 'messages', 1);
  return null;
end $$;
create trigger messages_count_moved after update of instance_id, created_by_admin, created_by_user_id on messages
  for each row when (
    message_owner(old.instance_id, old.created_by_admin, old.created_by_user_id)
      <> message_owner(new.instance_id, new.created_by_admin, new.created_by_user_id)
  ) execute function count_moved_message();

create function count_jobs() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select instance_id::text, status, sign * count(*) from touched group by instance_id, status;
  return null;
end $$;
create trigger jobs_count_new after insert on jobs
  referencing new table as touched for each statement execute function count_jobs();
create trigger jobs_count_gone after delete on jobs
  referencing old table as touched for each statement execute function count_jobs();

create function count_moved_job() returns trigger language plpgsql as $$
begin
  insert into count_changes values (old.instance_id::text, old.status, -1), (new.instance_id::text, new.status, 1);
  return null;
end $$;
create trigger jobs_count_moved after update of status on jobs
  for each row when (old.status <> new.status) execute function count_moved_job();

create function group_counter(left_at timestamptz) returns text language sql immutable
  return case when left_at is null then 'groups' else 'left groups' end;

create function count_groups() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select instance_id::text, group_counter(left_at), sign * count(*) from touched group by 1, 2;
  if tg_op = 'DELETE' then
    insert into count_changes select instance_id::text, 'people', 1 from touched group by 1;
  end if;
  return null;
end $$;
create trigger groups_count_new after insert on groups
  referencing new table as touched for each statement execute function count_groups();
create trigger groups_count_gone after delete on groups
  referencing old table as touched for each statement execute function count_groups();

create function count_moved_group() returns trigger language plpgsql as $$
begin
  insert into count_changes values (new.instance_id::text, group_counter(old.left_at), -1),
    (new.instance_id::text, group_counter(new.left_at), 1), (new.instance_id::text, 'people', 1);
  return null;
end $$;
create trigger groups_count_moved after update of left_at on groups
  for each row when ((old.left_at is null) <> (new.left_at is null)) execute function count_moved_group();

-- A group that is deleted with its participants has counted itself.
create function count_people() returns trigger language plpgsql as $$
begin
  insert into count_changes
  select g.instance_id::text, 'people', 1
  from (select distinct group_id from touched) t join groups g on g.id = t.group_id
  group by 1;
  return null;
end $$;
create trigger participants_count_new after insert on participants
  referencing new table as touched for each statement execute function count_people();
create trigger participants_count_gone after delete on participants
  referencing old table as touched for each statement execute function count_people();

-- Where the numbers differ from the rows, and by how much: what must be added to each number. Empty, unless something
-- is broken. Tests check that it stays empty.
create function count_differences() returns table (owner text, counter text, n bigint) language sql stable as $$
  with kept as (
    select owner, counter, n from counts where owner <> 'all' union all
    select * from count_changes union all
    select instance_id::text, 'sent', sent_now from delivery_changes union all
    select 'group ' || group_id, 'sent', sent from sent_to_groups union all
    select 'group ' || group_id, 'sent', sent_now from delivery_changes where group_id is not null
  ), rows as (
    select instance_id::text as owner, status as counter, count(*) as n from jobs group by 1, 2 union all
    select instance_id::text, group_counter(left_at), count(*) from groups group by 1, 2 union all
    select message_owner(instance_id, created_by_admin, created_by_user_id), 'messages', count(*) from messages
    group by 1 union all
    select instance_id::text, 'sent', count(*) from deliveries where status = 'sent' group by 1 union all
    select instance_id::text, 'sent', sent from sent_without_rows union all
    select 'group ' || group_id, 'sent', sent from sent_without_rows where group_id is not null union all
    select 'group ' || group_id, 'sent', count(*) from deliveries where status = 'sent' and group_id is not null
    group by 1
  ), totals as (
    select 'all' as owner, counter, sum(case owner when 'all' then -n else n end) as n from counts group by counter
  )
  select owner, counter, sum(n)::bigint from (
    select * from rows union all select owner, counter, -n from kept union all select * from totals
  ) as difference
  where counter <> 'people'
  group by owner, counter having sum(n) <> 0
$$;


------------------------------------------------------------------------------------------------------ counts of a job

-- The counts of a job's recipients by outcome, so that its page and the list of jobs need not count 100,000 deliveries.
-- A row is a change: a receipt and the sending of the next message would wait for each other if both updated one row. A
-- background job adds the rows of a job up, and leaves those of the last minute, which are the job's current rate.
create table job_counts (
  -- No reference: its check would lock the job's row with each message.
  job_id bigint not null,
  -- 'epoch' for rows that were added up.
  at timestamptz not null default clock_now(),
  sent int not null,
  failed int not null,
  skipped int not null,
  unknown int not null,
  delivered int not null,
  read int not null
);
create index job_counts_job on job_counts (job_id);
create index job_counts_new on job_counts (at, job_id) where at > 'epoch';

create function count_outcome() returns trigger language plpgsql as $$
declare
  -- Null in an insert.
  was text := coalesce(old.status, '');
begin
  insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read) values (
    new.job_id,
    (new.status = 'sent')::int - (was = 'sent')::int,
    (new.status = 'failed')::int - (was = 'failed')::int,
    (new.status = 'skipped')::int - (was = 'skipped')::int,
    (new.status = 'failed' and coalesce(new.reason->>'code', '') = 'outcome_unknown')::int
      - (was = 'failed' and coalesce(old.reason->>'code', '') = 'outcome_unknown')::int,
    (new.status = 'sent' and new.delivered_at is not null)::int - (was = 'sent' and old.delivered_at is not null)::int,
    (new.status = 'sent' and new.read_at is not null)::int - (was = 'sent' and old.read_at is not null)::int
  );
  return null;
end $$;

-- Changes between 'queued', 'sending' and 'doubt' change no count.
create trigger deliveries_outcome after update of status, delivered_at, read_at, reason on deliveries
  for each row when (
    (old.status in ('sent', 'failed', 'skipped') or new.status in ('sent', 'failed', 'skipped'))
    and (old.status, old.delivered_at is null, old.read_at is null, old.reason)
      is distinct from (new.status, new.delivered_at is null, new.read_at is null, new.reason)
  ) execute function count_outcome();
create trigger deliveries_inserted_outcome after insert on deliveries
  for each row when (new.status in ('sent', 'failed', 'skipped')) execute function count_outcome();

create function forget_counts() returns trigger language plpgsql as $$
begin
  delete from job_counts where job_id in (select id from gone);
  return null;
end $$;
create trigger jobs_forget_counts after delete on jobs
  referencing old table as gone for each statement execute function forget_counts();


----------------------------------------------------------------------------------------------- notifications of pages

-- Triggers notify the servers of changes, so that open pages update themselves. Each server passes a change on to the
-- users who may see it. The format is in server/src/platform/changes.ts.
--
-- The triggers cover what changes seldom, because no code can forget a trigger. The progress of a job changes with
-- every message, and a NOTIFY holds up every other commit: the workers collect progress and notify a few times a
-- second.

create function notify_change(feature text, id bigint, instance_id bigint) returns void language sql as $$
  select pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', feature, 'id', id, 'instanceId', instance_id))::text)
$$;

create function notify_jobs() returns trigger language plpgsql as $$
begin
  perform notify_change('jobs', null, instance_id) from (select distinct instance_id from touched) as instances;
  return null;
end $$;

create trigger jobs_notify_insert after insert on jobs
  referencing new table as touched for each statement execute function notify_jobs();
create trigger jobs_notify_delete after delete on jobs
  referencing old table as touched for each statement execute function notify_jobs();

create function notify_job() returns trigger language plpgsql as $$
begin
  perform notify_change('jobs', new.id, new.instance_id);
  return null;
end $$;

create trigger jobs_notify_update after update of status, paused_at, scheduled_at on jobs
  for each row execute function notify_job();

create function notify_instance() returns trigger language plpgsql as $$
declare
  instance_id bigint := coalesce(new.id, old.id);
begin
  perform notify_change('instances', instance_id, instance_id);
  return null;
end $$;

create trigger instances_notify after insert or delete on instances
  for each row execute function notify_instance();
-- The engine writes `status` and `waiting` with every message, but their values seldom change.
create trigger instances_notify_update
  after update of name, whats_app_number, is_active, expired_time, status, waiting on instances
  for each row when (
    (old.name, old.whats_app_number, old.is_active, old.expired_time, old.status, old.waiting)
      is distinct from
    (new.name, new.whats_app_number, new.is_active, new.expired_time, new.status, new.waiting)
  ) execute function notify_instance();
create trigger instances_notify_restricted after update of restricted_until on instances
  for each row when (old.restricted_until is distinct from new.restricted_until) execute function notify_instance();

create function notify_sync() returns trigger language plpgsql as $$
begin
  perform notify_change('instances', new.id, new.id);
  perform notify_change('groups', new.id, new.id);
  return null;
end $$;

-- Pages show when a sync begins and ends. They need not hear of each renewed lease in between.
create trigger instances_notify_sync after update of syncing_until, last_sync_at, sync_problem on instances
  for each row when (
    (old.syncing_until > clock_now(), old.last_sync_at, old.sync_problem)
      is distinct from
    (new.syncing_until > clock_now(), new.last_sync_at, new.sync_problem)
  ) execute function notify_sync();

-- Groups, jobs and messages show the name of their instance and are deleted with it.
create function notify_name() returns trigger language plpgsql as $$
begin
  perform notify_change('groups', old.id, old.id);
  perform notify_change('jobs', null, old.id);
  perform notify_change('messages', null, old.id);
  return null;
end $$;

create trigger instances_notify_name after update of name on instances
  for each row when (old.name is distinct from new.name) execute function notify_name();
create trigger instances_notify_end after delete on instances
  for each row execute function notify_name();

-- Everybody sees a shared template. Only its author (and every Admin) sees another message without an instance.
create function notify_messages() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'messages', 'id', null, 'instanceId', instance_id, 'userId', author,
      'isShared', is_shared))::text)
  from (
    select distinct instance_id, instance_id is null and created_by_admin as is_shared,
      case when instance_id is null and not created_by_admin then created_by_user_id end as author
    from touched
  ) as audiences;
  return null;
end $$;
create trigger messages_notify_insert after insert on messages
  referencing new table as touched for each statement execute function notify_messages();
-- An update may move a message to another instance: those who see the new row and those who saw the old one hear of it.
create trigger messages_notify_update after update on messages
  referencing new table as touched for each statement execute function notify_messages();
create trigger messages_notify_leave after update on messages
  referencing old table as touched for each statement execute function notify_messages();
create trigger messages_notify_delete after delete on messages
  referencing old table as touched for each statement execute function notify_messages();

-- A user may see other things from now on, or is signed out: this reaches only the open streams of that user. The
-- argument is the column with the user's id.
create function notify_access() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'access', 'id', (to_jsonb(coalesce(new, old)) ->> tg_argv[0])::bigint))::text);
  return null;
end $$;

create trigger users_notify after update of role, is_active on users
  for each row when ((old.role, old.is_active) is distinct from (new.role, new.is_active))
  execute function notify_access('id');
create trigger user_instances_notify after insert or delete on user_instances
  for each row execute function notify_access('user_id');
create trigger sessions_notify after delete on sessions
  for each row execute function notify_access('user_id');


--------------------------------------------------------------------------------------------------------------- quotas

create index jobs_live_of_user on jobs (created_by_user_id) include (recipient_count)
  where status in ('Pending', 'Running');

-- Runs at the commit, however a job became Pending: created, restarted or sent to its remaining recipients. Two that
-- commit at the same moment wait for each other, and the second one's count has the first one.
create function check_recipient_quotas() returns trigger language plpgsql as $$
declare
  quota quotas;
  checked text := format('%s/%s', new.created_by_user_id, new.instance_id);
begin
  -- All of a transaction's rows are there when the first of these triggers runs, so many jobs at once are counted once.
  if current_setting('sendroom.checked_quotas', true) = checked then
    return null;
  end if;
  perform set_config('sendroom.checked_quotas', checked, true);
  select * into quota from quotas;
  -- Always in this order, so that two that wait for each other don't deadlock.
  if new.created_by_user_id is not null then
    perform pg_advisory_xact_lock(29001, hashint8(new.created_by_user_id));
    if (select sum(recipient_count) from jobs
        where created_by_user_id = new.created_by_user_id and status in ('Pending', 'Running'))
        > quota.recipients_per_user then
      raise exception 'quota_recipients_user' using errcode = 'SRQTA', detail = quota.recipients_per_user;
    end if;
  end if;
  perform pg_advisory_xact_lock(29002, hashint8(new.instance_id));
  if (select sum(recipient_count) from jobs
      where instance_id = new.instance_id and status in ('Pending', 'Running')) > quota.recipients_per_instance then
    raise exception 'quota_recipients_account' using errcode = 'SRQTA', detail = quota.recipients_per_instance;
  end if;
  return null;
end $$;
create constraint trigger jobs_quota after insert on jobs deferrable initially deferred
  for each row when (new.status = 'Pending') execute function check_recipient_quotas();
create constraint trigger jobs_quota_again after update of status on jobs deferrable initially deferred
  for each row when (new.status = 'Pending' and old.status not in ('Pending', 'Running'))
  execute function check_recipient_quotas();


------------------------------------------------------------------------------------------------- troubles and notices

-- The troubles, open and ended. Only the columns that the kind needs name a subject; the others are 0 or empty. They
-- are no foreign keys, because inserting a row would wait for whoever deletes a large job or account.
create table troubles (
  id bigint generated always as identity primary key,
  kind text not null check (kind in (
    'account_down', 'account_expiring', 'job_failed', 'job_stuck', 'backup_failed', 'disk_low')),
  instance_id bigint not null default 0,
  job_id bigint not null default 0,
  host text not null default '',
  reason jsonb,
  began_at timestamptz not null default clock_now(),
  -- Null while the trouble may still pass unnoticed.
  announced_at timestamptz,
  reminded_at timestamptz,
  -- When the trouble was no longer seen. Null again if it comes back before it has ended.
  gone_at timestamptz,
  ended_at timestamptz,
  -- How often the trouble came back. Each time it must be gone for longer before it counts as over.
  relapses int not null default 0
);
-- Several processes look for troubles. None is opened twice.
create unique index troubles_open on troubles (kind, instance_id, job_id, host) where ended_at is null;
create index troubles_ended_at on troubles (ended_at) where ended_at is not null;

-- Finds how often a trouble that begins has come back within the last day.
create index troubles_ended on troubles (kind, instance_id, job_id, host, ended_at) where ended_at is not null;

-- The notices of a trouble that a user got.
create table notices (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  trouble_id bigint not null references troubles (id) on delete cascade,
  moment text not null check (moment in ('begin', 'reminder', 'end')),
  created_at timestamptz not null default clock_now(),
  in_bell boolean not null,
  read_at timestamptz,
  -- The notice waits for the user's next e-mail.
  email_due boolean not null,
  unique (trouble_id, user_id, moment)
);
create index notices_user on notices (user_id, id);
create index notices_email_due on notices (user_id) where email_due;

-- By which channels a user learns of a kind of trouble. Without a row, by all of them.
create table notice_choices (
  user_id bigint not null references users (id) on delete cascade,
  kind text not null,
  channels text[] not null,
  primary key (user_id, kind)
);

-- The users to whom an e-mail is due, with the notices that wait for it. One row for each user bounds the queue.
create table due_emails (
  user_id bigint primary key references users (id) on delete cascade,
  tries int not null default 0,
  try_at timestamptz not null default clock_now()
);


---------------------------------------------------------------------------------------------------- outgoing webhooks

-- Outgoing webhooks: receivers are addresses of other programs, which learn of jobs, deliveries and troubles. The
-- provider's calls to us have nothing to do with these tables.

create table webhook_receivers (
  id bigint primary key generated always as identity,
  name text not null,
  url text not null,
  secret_cipher bytea not null,
  -- The kinds of events that the receiver wants: 'job', 'delivery', 'trouble', 'security'.
  topics text[] not null,
  is_active boolean not null,
  allows_own_network boolean not null,
  created_at timestamptz not null default clock_now(),
  -- Batches in a row of which no event arrived.
  failures int not null default 0,
  -- Until then a worker is sending to the receiver, or the receiver rests after a failure.
  try_at timestamptz not null default clock_now(),
  -- The events that were dropped and that no events_dropped event has counted.
  dropped bigint not null default 0,
  -- The address often has a token in it, so it is encrypted like the tokens of accounts, and `url` is empty.
  url_cipher bytea
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


------------------------------------------------------------------------------------------------------------ audit log

-- Each entry tells who did what to what, when and from where. It outlives the rows that it describes, so it has no
-- foreign keys and holds the names of that time. Entries are only ever added.
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
-- Calls at the same moment that delete one job are one entry. The first one did it.
create unique index audit_log_job_deleted on audit_log (object_id) where action = 'job.delete';
-- Refused calls are in the audit log, grouped: an entry for each kind, user or address, and hour, with a count. So an
-- attack of any length leaves few entries.
create unique index audit_log_refusals
  on audit_log (action, coalesce(user_id, 0), (case when user_id is null then address end), (details ->> 'hour'))
  nulls not distinct
  where action like 'security.%';

-- The only way to delete entries. The limit keeps the app, or whoever has taken it over, from emptying the log. A
-- statement may take 30 s, and years of entries take longer to delete. So a call deletes one slice, and callers repeat
-- it until nothing is left.
create function delete_old_audit(days int) returns bigint language plpgsql security definer
set search_path = public, pg_temp as $$
declare
  deleted bigint;
begin
  if days is null or days < 30 then
    raise exception 'audit entries are kept for at least 30 days, not %', days;
  end if;
  delete from audit_log where id in (
    select id from audit_log where at < clock_now() - days * interval '1 day' order by at, id limit 5000);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

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

-- In the embedded cluster the app has a role of its own. In a database elsewhere the app owns the table.
revoke execute on function delete_old_audit, count_refusals from public;
do $$ begin
  if to_regrole('sendroom_app') is not null then
    revoke update, delete, truncate on audit_log from sendroom_app;
    grant execute on function delete_old_audit, count_refusals to sendroom_app;
  end if;
end $$;
