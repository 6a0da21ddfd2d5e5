-- Works with programs from 0032 on.
--
-- Series: jobs that are made again and again by a rule. docs/decisions/0037-series.md.

create table series (
  id bigint generated always as identity primary key,
  instance_id bigint not null references instances on delete cascade,
  name text not null,
  job_type text not null check (job_type in ('SendToGroups', 'SendToUsers')),
  -- A `SeriesRule` of contract/src/series-rule.ts: days and times by the wall clock of its zone.
  rule jsonb not null,
  -- Dates in the zone of the rule, on which nothing is sent.
  quiet_days text[] not null default '{}',
  -- For a run on a quiet day or in the account's quiet hours.
  quiet_policy text not null check (quiet_policy in ('move', 'skip')),
  -- For a run that is due while the job of the former one still sends.
  overlap text not null check (overlap in ('skip', 'wait')),
  -- Whom a run sends to, besides `series_lists` and `series_group_sets`: a `SeriesPeople` of contract/src/series.ts.
  recipients jsonb not null,
  -- The groups, or the contacts and numbers, as they were when they were chosen. Null: as they are at each run.
  frozen jsonb,
  state text not null default 'active' check (state in ('active', 'paused', 'ended')),
  paused_reason jsonb,
  -- Whoever saved the series last. Each run needs this user's present rights, and the job is theirs.
  author_id bigint references users on delete set null,
  author_name text not null,
  -- The position of the message that the next run sends.
  next_position int not null default 0,
  failed_in_a_row int not null default 0,
  -- Runs are rows of `series_runs` until then.
  planned_until timestamptz not null default 'epoch',
  version int not null default 1,
  created_at timestamptz not null default clock_now(),
  constraint series_paused check ((state = 'paused') = (paused_reason is not null))
);
create unique index series_name on series (instance_id, lower(name));
create index series_author on series (author_id);
create index series_to_plan on series (planned_until) where state = 'active';

-- The messages that are taken in turn.
create table series_messages (
  series_id bigint not null references series on delete cascade,
  position int not null check (position between 0 and 49),
  message_id bigint not null references messages,
  primary key (series_id, position)
);
create index series_messages_message on series_messages (message_id);

create table series_lists (
  series_id bigint not null references series on delete cascade,
  list_id bigint not null references lists,
  -- Its contacts are left out.
  is_excluded boolean not null,
  primary key (series_id, list_id, is_excluded)
);
create index series_lists_list on series_lists (list_id);

create table series_group_sets (
  series_id bigint not null references series on delete cascade,
  group_set_id bigint not null references group_sets,
  primary key (series_id, group_set_id)
);
create index series_group_sets_set on series_group_sets (group_set_id);

create table series_runs (
  id bigint generated always as identity primary key,
  series_id bigint not null references series on delete cascade,
  -- When the rule has it, by the wall clock: 2026-11-30T09:00. Stays when the run is moved.
  local_time text not null,
  number int not null,
  due_at timestamptz not null,
  -- waiting: for the end of the former run's job. failed: no job could be made.
  state text not null default 'planned'
    check (state in ('planned', 'waiting', 'made', 'missed', 'skipped', 'failed')),
  reason jsonb,
  job_id bigint references jobs on delete set null,
  -- How the job ended. Null as long as it goes on.
  outcome text check (outcome in ('completed', 'failed', 'cancelled', 'deleted')),
  -- No two processes make a job of one run, and no edit of the rule makes one again.
  constraint series_runs_once unique (series_id, local_time),
  constraint series_runs_outcome check (outcome is null or state = 'made')
);
create index series_runs_due on series_runs (due_at) where state = 'planned';
create index series_runs_next on series_runs (series_id, due_at) where state in ('planned', 'waiting');
create index series_runs_waiting on series_runs (series_id) where state = 'waiting';
create index series_runs_open on series_runs (series_id) where state = 'made' and outcome is null;
create index series_runs_missed on series_runs (due_at) where state = 'missed';
create index series_runs_old on series_runs (due_at) where state not in ('planned', 'waiting');
create index series_runs_of_series on series_runs (series_id, due_at, id);
create unique index series_runs_job on series_runs (job_id) where job_id is not null;

create function notify_series() returns trigger language plpgsql as $$
begin
  perform notify_change('series', id, instance_id) from touched;
  return null;
end $$;
create trigger series_notify_insert after insert on series
  referencing new table as touched for each statement execute function notify_series();
create trigger series_notify_update after update on series
  referencing new table as touched for each statement execute function notify_series();
create trigger series_notify_delete after delete on series
  referencing old table as touched for each statement execute function notify_series();

-- Runs are planned when their series changes. So only what becomes of them is told.
create function notify_series_runs() returns trigger language plpgsql as $$
begin
  perform notify_change('series', s.id, s.instance_id) from series s
  where s.id in (select series_id from touched);
  return null;
end $$;
create trigger series_runs_notify after update on series_runs
  referencing new table as touched for each statement execute function notify_series_runs();

-- A trouble of a series has the id of the series as its `host`: the indexes of older programs have no other column.
alter table troubles drop constraint troubles_kind_check;
alter table troubles add constraint troubles_kind_check check (kind in ('account_down', 'account_expiring',
  'job_failed', 'job_stuck', 'series_paused', 'series_missed', 'backup_failed', 'disk_low'));

create or replace function report_trouble() returns trigger language plpgsql as $$
declare
  is_of_series boolean := new.kind in ('series_paused', 'series_missed');
begin
  insert into webhook_events (type, data)
  select 'trouble.' || case when new.ended_at is null then 'began' else 'ended' end,
    json_build_object('troubleId', new.id, 'kind', new.kind, 'instanceId', nullif(new.instance_id, 0),
      'jobId', nullif(new.job_id, 0), 'seriesId', case when is_of_series then new.host::bigint end,
      'host', case when not is_of_series then nullif(new.host, '') end, 'reason', new.reason->>'code')
  where exists (select from webhook_receivers where is_active and 'trouble' = any(topics));
  return null;
end $$;
