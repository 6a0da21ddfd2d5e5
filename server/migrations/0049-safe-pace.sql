-- Works with programs from 0032 on.
--
-- The pace of private messages that protects an account: docs/decisions/0035-safe-pace.md. Accounts of today keep the
-- pace that they have, so all limits begin as none; new ones begin with what is advised.

-- Whom an account has written to, and who wrote to it.
create table instance_people (
  instance_id bigint not null references instances on delete cascade,
  -- In E.164 without +.
  phone text not null,
  -- The first intent, and the last ones: as many as a day may have.
  first_sent_at timestamptz,
  last_sent_at timestamptz[] not null default '{}',
  -- The first message of theirs.
  replied_at timestamptz,
  primary key (instance_id, phone)
);

alter table instances
  -- From this many private recipients of a day on, the pause is the second one. 0 is never.
  add private_slow_after int not null default 0,
  add private_slow_pause_from_ms int not null default 90000,
  add private_slow_pause_to_ms int not null default 120000,
  -- At most so many private messages in any 15 minutes, so many hours of a day with any, and so many days with 20 or
  -- more before a day of rest. 0 is no limit.
  add private_per_quarter int not null default 0,
  add private_hours int not null default 0,
  add private_days int not null default 0,
  -- For each person: messages in any 24 hours, and days between two jobs. 0 is no limit.
  add person_cap int not null default 0,
  add person_rest_days int not null default 0,
  -- People who were written to in the last 30 days and have not answered. 0 is no limit.
  add new_people_cap int not null default 0,
  -- How many messages a day the warm-up allows now. Null without one.
  add warm_up_step int check (warm_up_step in (20, 50, 100, 200)),
  -- The day (in the time zone of the account, since 1970) on which the step was last looked at.
  add warm_up_day int,
  -- Private messages by day, as sent_by_hour has them by hour: 'p' messages, 'n' people who were new and have not
  -- answered, 'r' refusals, such as "p20417".
  add sent_by_day jsonb not null default '{}',
  -- The times of the last private messages, as many as `private_per_quarter`.
  add last_private_at timestamptz[] not null default '{}',
  -- WhatsApp's own limits, as the provider last told them. `new_people_left` is null where it reports no quota.
  add limits_read_at timestamptz not null default 'epoch',
  add new_people_left int,
  add new_people_until timestamptz,
  -- WhatsApp has warned: private pauses are twice as long until then.
  add warned_until timestamptz,
  -- When numbers may be checked again.
  add next_number_check_at timestamptz not null default 'epoch';

alter table instances
  alter private_slow_after set default 20,
  alter private_per_quarter set default 10,
  alter private_hours set default 6,
  alter private_days set default 3,
  alter person_cap set default 3,
  alter new_people_cap set default 200;

-- Whether a number is on WhatsApp. Kept for 30 days.
create table number_checks (
  phone text primary key,
  answer text not null check (answer in ('yes', 'no', 'unknown')),
  -- The number by which WhatsApp knows it, if that is another one.
  whatsapp_phone text,
  checked_at timestamptz not null default clock_now()
);
create index number_checks_whatsapp_phone on number_checks (whatsapp_phone) where whatsapp_phone is not null;
create index number_checks_checked_at on number_checks (checked_at);

-- The numbers that somebody wants checked, by an account.
create table due_number_checks (
  instance_id bigint not null references instances on delete cascade,
  phone text not null,
  asked_at timestamptz not null default clock_now(),
  asked_by_user_id bigint references users on delete cascade,
  primary key (instance_id, phone)
);
create index due_number_checks_in_line on due_number_checks (instance_id, asked_at);
create index due_number_checks_user on due_number_checks (asked_by_user_id);
