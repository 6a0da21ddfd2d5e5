create table groups (
  id bigint generated always as identity primary key,
  instance_id bigint not null references instances on delete cascade,
  chat_id text not null,
  name text not null,
  participant_count int not null default 0,
  -- Whether the instance may write to the group, according to the newest sync. Null means not known.
  can_send boolean,
  last_sync_at timestamptz,
  -- The newest complete sync did not list the group. A second one ten minutes later sets left_at.
  missing_since timestamptz,
  left_at timestamptz,
  search_text text generated always as (unaccent_lower(name)) stored,
  constraint groups_chat unique (instance_id, chat_id)
);
create index groups_name on groups (name, id);
create index groups_instance_name on groups (instance_id, name, id);
create index groups_participant_count on groups (participant_count, id);
create index groups_last_sync_at on groups (last_sync_at, id);
create index groups_search on groups using gin (search_text gin_trgm_ops);

-- The planner chooses between walking the list and the trigram index by the number of rows it expects to find. With the
-- default of 100 samples it often misses a word that one row in a hundred has, and expects one row in ten thousand.
-- The same holds for messages and jobs.
alter table groups alter search_text set statistics 400;

create table participants (
  group_id bigint not null references groups on delete cascade,
  -- The digits of the phone number, or a hidden number (…@lid).
  person_id text not null,
  rank text not null check (rank in ('member', 'admin', 'creator')),
  name text,
  primary key (group_id, person_id)
);

create table images (
  id bigint generated always as identity primary key,
  -- The part of the image's URL that nobody can guess.
  name text not null unique,
  mime_type text not null,
  -- In bytes.
  size int not null,
  created_at timestamptz not null default clock_now(),
  -- Since this time no row refers to the image. A background job deletes it an hour later.
  unused_since timestamptz
);

create table messages (
  id bigint generated always as identity primary key,
  text_content text not null,
  image_id bigint references images,
  instance_id bigint references instances on delete cascade,
  created_by_user_id bigint references users on delete set null,
  created_by_user_name text not null,
  created_at timestamptz not null default clock_now(),
  search_text text generated always as (unaccent_lower(text_content)) stored
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
