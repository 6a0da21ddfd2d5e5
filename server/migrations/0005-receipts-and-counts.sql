-- The provider's receipts for sent messages. A webhook stores them as they come, and the workers apply them.
-- `instance_id` has no foreign key, because its check would lock the instance's row, which is the engine's lock. A
-- background job deletes receipts that match no delivery.
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
  -- When to look for its delivery next: a receipt may arrive before the answer to the send.
  try_at timestamptz not null default clock_now()
);
create index receipt_events_due on receipt_events (try_at, id);

-- The members of a group who got a message, so that a second receipt does not count twice. The key is the delivery's
-- intent, which is new with every attempt and run. A background job deletes rows after a week; the counts in deliveries
-- stay.
create table delivery_viewers (
  intent uuid not null,
  viewer text not null,
  is_read boolean not null,
  seen_at timestamptz not null default clock_now(),
  primary key (intent, viewer)
);
create index delivery_viewers_seen_at on delivery_viewers using brin (seen_at);

-- The number of sent deliveries by instance and group (null: private chats), so that the dashboard need not count a
-- million rows. Only sums are meaningful. Each change is a row of its own, because an insert waits for no other
-- transaction; a background job adds them up once a minute.
create table sent_counts (
  instance_id bigint not null,
  group_id bigint,
  sent bigint not null
);

create function count_sent() returns trigger language plpgsql as $$
begin
  insert into sent_counts values (new.instance_id, new.group_id, case new.status when 'sent' then 1 else -1 end);
  return null;
end $$;

create trigger deliveries_sent after update of status on deliveries
  for each row when ((old.status = 'sent') <> (new.status = 'sent')) execute function count_sent();
create trigger deliveries_inserted_sent after insert on deliveries
  for each row when (new.status = 'sent') execute function count_sent();

-- Deliveries are deleted with their job, thousands in one statement.
create function uncount_sent() returns trigger language plpgsql as $$
begin
  insert into sent_counts
  select instance_id, group_id, -count(*) from gone where status = 'sent' group by instance_id, group_id;
  return null;
end $$;

create trigger deliveries_gone after delete on deliveries
  referencing old table as gone for each statement execute function uncount_sent();
