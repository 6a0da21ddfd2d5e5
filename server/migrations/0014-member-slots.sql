-- Works with programs from 0013 on.
--
-- Two bitmaps for each delivery say who of a group received and who read a message, in place of a row for each member.
-- The bits are slots: each viewer of a group has one, gets it with the first receipt, and keeps it for ever.
alter table groups add column next_slot int not null default 0;
alter table participants add column slot int;

-- The slots of viewers who are no participants: those who have left, and those that the provider names differently.
create table other_viewers (
  group_id bigint not null references groups (id) on delete cascade,
  person_id text not null,
  slot int not null,
  primary key (group_id, person_id)
);

-- The key is the delivery's intent, which is new with every attempt and run. A background job deletes rows after a week;
-- the counts in deliveries stay. Rows grow as receipts arrive, so there is room for them on their page.
create table delivery_views (
  intent uuid primary key,
  delivered bytea not null,
  read bytea not null,
  sent_at timestamptz not null
) with (fillfactor = 70);
create index delivery_views_sent_at on delivery_views using brin (sent_at);
