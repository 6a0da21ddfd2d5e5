-- What the provider tells of messages that went out, stored as it comes and applied by the workers. Without a foreign
-- key, which would take the account's row: that is the engine's lock. What fits no delivery goes by itself.
create table receipt_events (
  id bigint generated always as identity primary key,
  instance_id bigint not null,
  provider_message_id text not null,
  state text not null check (state in ('delivered', 'read', 'failed')),
  -- The member of a group who got or read it.
  viewer text,
  -- Why it failed, in the provider's words.
  detail text not null default '',
  happened_at timestamptz not null,
  received_at timestamptz not null default clock_now(),
  -- When to look for its delivery: a receipt may come before the answer to the send.
  try_at timestamptz not null default clock_now()
);
create index receipt_events_due on receipt_events (try_at, id);

-- Who in a group got a message, so that nobody is counted twice. By the intent, which is new with every attempt and
-- run: rows of former ones are nobody's, and go after a week like all others; the counts stay.
create table delivery_viewers (
  intent uuid not null,
  viewer text not null,
  is_read boolean not null,
  seen_at timestamptz not null default clock_now(),
  primary key (intent, viewer)
);
create index delivery_viewers_seen_at on delivery_viewers using brin (seen_at);

alter table deliveries
  -- In a group: how many members got it, and how many read it.
  add column delivered_members int not null default 0,
  add column read_members int not null default 0,
  -- When to ask the provider about it, where no webhook reaches us.
  add column ask_at timestamptz;
create index deliveries_ask_at on deliveries (instance_id, ask_at) where ask_at is not null;

alter table instances
  -- The address of ours that the account's webhook is set to, and when that was last tried.
  add column webhook_base text,
  add column webhook_tried_at timestamptz not null default 'epoch',
  -- When the provider may next be asked about a message of the account.
  add column next_ask_at timestamptz not null default 'epoch',
  -- The provider has told of a change in the groups since they were last read.
  add column groups_changed_at timestamptz;
