-- Works with programs from 0032 on.
--
-- People who want no more messages: docs/decisions/0034-opt-out.md.

-- The words that opt somebody out or back in, and for which accounts. This table has one row.
create table opt_out_settings (
  only_row boolean primary key default true check (only_row),
  -- Whether somebody who opts out gets nothing from any account, or only nothing from the one they wrote to.
  is_for_all boolean not null default true,
  -- An `OptOutWords` of contract/src/opt-out-words.ts. Null for the words that it has by default.
  words jsonb,
  version int not null default 1
);
insert into opt_out_settings default values;

-- Each time that somebody opted out, and how it ended. Rows outlive the contact and are never deleted by their age.
create table opt_outs (
  id bigint generated always as identity primary key,
  -- The account that they wrote to. Null if a person or an import entered it.
  instance_id bigint references instances on delete set null,
  is_for_all boolean not null,
  source text not null check (source in ('message', 'review', 'form', 'import', 'api')),
  -- The text that they wrote, or the note of whoever entered it.
  words text not null default '',
  provider_message_id text,
  -- When they wrote it, by our clock.
  said_at timestamptz not null,
  created_at timestamptz not null default clock_now(),
  -- Null if the message itself opted them out.
  created_by_user_name text,
  -- When it ended: by a message of theirs, or by a person with a reason.
  ended_at timestamptz,
  ended_by_user_name text,
  ended_reason text,
  constraint opt_outs_message unique (instance_id, provider_message_id)
);

-- The people who get nothing now: identities of the opt-outs that have not ended. An intent takes one look at the key.
create table opted_out (
  -- As in contact_identities: 'phone' in E.164 without +, or 'lid'.
  kind text not null check (kind in ('phone', 'lid')),
  value text not null,
  -- Null for all accounts.
  instance_id bigint references instances on delete cascade,
  opt_out_id bigint not null references opt_outs on delete cascade,
  constraint opted_out_key unique nulls not distinct (kind, value, instance_id)
);
create index opted_out_of on opted_out (opt_out_id);
create index opted_out_instance on opted_out (instance_id) where instance_id is not null;

-- Messages that may have meant it. A person decides.
create table possible_opt_outs (
  id bigint generated always as identity primary key,
  instance_id bigint not null references instances on delete cascade,
  -- The sender. The number, too, if the LID is known.
  phone text,
  lid text,
  why text not null check (why in ('no_accents', 'contains', 'complaint', 'unknown_person')),
  words text not null,
  provider_message_id text not null,
  said_at timestamptz not null,
  created_at timestamptz not null default clock_now(),
  decided_at timestamptz,
  decided_by_user_name text,
  -- Null if the person decided that nothing was meant.
  opt_out_id bigint references opt_outs on delete set null,
  version int not null default 1,
  constraint possible_opt_outs_message unique (instance_id, provider_message_id)
);
create index possible_opt_outs_open on possible_opt_outs (said_at, id) where decided_at is null;

-- The number behind a LID, wherever the provider told it.
create table known_lids (
  lid text primary key,
  phone text not null
);
create index known_lids_phone on known_lids (phone);

-- Up to when the incoming messages of an account have been read, and in which era. Private sending waits while that is
-- behind. `incoming_check_at` is when they may be read again; a worker that reads them moves it on.
alter table instances
  add incoming_read_until timestamptz,
  add incoming_era uuid,
  add incoming_check_at timestamptz not null default 'epoch';
