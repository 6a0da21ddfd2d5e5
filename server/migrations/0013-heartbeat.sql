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

alter table instances
  -- The era whose beginning is taken care of: what was sent before it is known. Nothing is sent in any other era.
  add column checked_era uuid,
  -- When the history may be read again; a worker that reads it moves this on.
  add column history_check_at timestamptz not null default 'epoch',
  -- The time of the last intent.
  add column last_intent_at timestamptz;
-- A new instance has sent nothing.
alter table instances alter column checked_era set default current_era();
