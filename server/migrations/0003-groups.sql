create table groups (
  id bigint generated always as identity primary key,
  instance_id bigint not null references instances on delete cascade,
  chat_id text not null,
  name text not null,
  participant_count int not null default 0,
  last_sync_at timestamptz,
  -- Not in the newest whole sync; a second one ten minutes later makes it left.
  missing_since timestamptz,
  left_at timestamptz,
  constraint groups_chat unique (instance_id, chat_id)
);
create index groups_name on groups (name, id);
create index groups_instance_name on groups (instance_id, name, id);
create index groups_participant_count on groups (participant_count, id);
create index groups_last_sync_at on groups (last_sync_at, id);
create index groups_search on groups using gin (name gin_trgm_ops);

create table participants (
  group_id bigint not null references groups on delete cascade,
  -- Digits of the phone number, or a hidden number (…@lid).
  person_id text not null,
  rank text not null check (rank in ('member', 'admin', 'creator')),
  name text,
  primary key (group_id, person_id)
);
