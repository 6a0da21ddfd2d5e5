-- Works with programs from 0013 on.
--
-- Notices: what users are told of accounts, jobs, backups and disks in trouble.

-- The language of a user's e-mails: the one they chose last.
alter table users add column language text not null default 'en' check (language in ('vi', 'en', 'cn'));

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

-- The troubles, open and ended. Only the columns that the kind needs name a subject; the others are 0 or empty. They are no
-- foreign keys, because inserting a row would wait for whoever deletes a large job or account.
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
  ended_at timestamptz
);
-- Several processes look for troubles. None is opened twice.
create unique index troubles_open on troubles (kind, instance_id, job_id, host) where ended_at is null;
create index troubles_ended_at on troubles (ended_at) where ended_at is not null;

-- The failed jobs of the last day, among those of years.
create index jobs_failed on jobs (completed_at) where status = 'Failed';

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
