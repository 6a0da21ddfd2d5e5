create table images (
  id bigint generated always as identity primary key,
  -- The unguessable part of the address.
  name text not null unique,
  mime_type text not null,
  size int not null,
  created_at timestamptz not null default clock_now(),
  -- Since when nothing refers to it; swept after an hour.
  unused_since timestamptz
);

create table messages (
  id bigint generated always as identity primary key,
  text_content text not null,
  image_id bigint references images,
  instance_id bigint references instances on delete cascade,
  created_by_user_id bigint references users on delete set null,
  created_by_user_name text not null,
  created_at timestamptz not null default clock_now()
);
create index messages_created_at on messages (created_at, id);
create index messages_instance on messages (instance_id, id);
create index messages_creator on messages (created_by_user_id, id);
create index messages_creator_name on messages (created_by_user_name, id);
create index messages_title on messages (left(text_content, 100), id);
create index messages_image on messages (image_id);
create index messages_search on messages using gin (text_content gin_trgm_ops);

create table message_groups (
  message_id bigint not null references messages on delete cascade,
  group_id bigint not null references groups on delete cascade,
  primary key (message_id, group_id)
);
create index message_groups_group on message_groups (group_id);
