create extension if not exists pg_trgm;

-- Every query reads the time from this function. Tests replace it to move the time, so nothing else may call now().
create function clock_now() returns timestamptz language sql stable as 'select now()';

-- Searches ignore case and accents. They compare this form of the stored text with this form of the typed text. The
-- pickers in the browser do the same: web/src/ui/search.ts.
--
-- `return` looks up the names now. PostgreSQL builds an index or restores a dump with an empty search path.
-- ASCII text, such as phone numbers, skips all but lower() and takes a fifth of the time.
create function unaccent_lower(text) returns text language sql immutable parallel safe
return lower(case when octet_length($1) = length($1) then $1
  else translate(regexp_replace(normalize($1, nfkd), '[\u0300-\u036f]', '', 'g'), 'đĐ', 'dD') end);

-- Returns a pattern for `like` that finds the typed text anywhere and takes it literally. The escaping comes last,
-- because unaccent_lower() turns a wide ％ into a %.
create function like_pattern(typed text) returns text language sql immutable parallel safe
return '%' || regexp_replace(unaccent_lower(typed), '[\\%_]', '\\\&', 'g') || '%';

-- This table has one row. Each start decrypts it to prove that the process holds the key of the stored secrets.
create table installation (
  id int primary key default 1 check (id = 1),
  secret_check bytea not null,
  created_at timestamptz not null default clock_now()
);

create table users (
  id bigint generated always as identity primary key,
  username text not null,
  email text not null,
  password_hash text not null,
  role text not null check (role in ('Admin', 'Member')),
  is_active boolean not null,
  can_send_messages boolean not null default true,
  can_create_jobs boolean not null default true,
  -- True for users who registered themselves and whom no Admin has reviewed yet.
  is_waiting boolean not null default false,
  created_at timestamptz not null default clock_now(),
  -- Each searched table stores its searched text. A search looks at many long texts, and converting each of them again
  -- would be many times slower.
  search_text text generated always as (unaccent_lower(username || ' ' || email)) stored
);
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));
create index users_search on users using gin (search_text gin_trgm_ops);
create index users_created_at on users (created_at, id);

create table sessions (
  token_hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id);
create index sessions_expires_at on sessions (expires_at);

-- The engine updates a row with every message: the fill factor leaves room for the new version on the same page.
create table instances (
  id bigint generated always as identity primary key,
  name text not null,
  whats_app_number text not null default '',
  -- The token is encrypted with AES-256-GCM. Its keyed hash keeps two instances from sharing one token.
  token_cipher bytea not null,
  token_hash bytea not null constraint instances_token unique,
  is_test boolean not null,
  is_active boolean not null default true,
  created_at timestamptz not null default clock_now(),
  expired_time timestamptz,

  status text not null default 'Unknown',
  status_seen_at timestamptz,
  -- The time of the last status request, answered or not. It limits how often we ask the provider.
  status_asked_at timestamptz not null default 'epoch',

  -- The pace that WhatsApp tolerates. Pauses are ranges in milliseconds. Caps are messages in 24 hours; 0 means no cap.
  group_pause_from_ms int not null default 20000,
  group_pause_to_ms int not null default 30000,
  private_pause_from_ms int not null default 60000,
  private_pause_to_ms int not null default 90000,
  group_cap int not null default 0,
  private_cap int not null default 200,
  -- Quiet hours in the instance's time zone. They may span midnight.
  quiet_from time,
  quiet_to time,
  time_zone text not null default 'Asia/Ho_Chi_Minh',

  last_sync_at timestamptz,
  -- The lease of the process that reads the groups. A past time says when the last attempt ended.
  syncing_until timestamptz,
  sync_problem jsonb,
  -- When the provider last reported a change in the groups. A sync is due if that is later than last_sync_at.
  groups_changed_at timestamptz,

  -- The engine's columns. The row is the lock of the instance. `claim` and `lease_until` say who may send, `in_flight`
  -- is the delivery that is being sent, `next_due_at` is when the next message may go, and `busy` is the provider's
  -- reason for a longer wait.
  claim uuid,
  lease_until timestamptz,
  in_flight bigint,
  next_due_at timestamptz not null default 'epoch',
  busy jsonb,
  busy_in_a_row int not null default 0,
  -- Messages sent in the last hours, for the caps. The key is 'g' (groups) or 'p' (private chats) and the hour since
  -- 1970, such as "g486552".
  sent_by_hour jsonb not null default '{}',
  failures_in_a_row int not null default 0,
  -- Why the instance sends nothing, if the reason is its own trouble. `waiting_since` outlasts a short recovery: see
  -- setInstanceState in server/src/engine/shared/instance-state.ts.
  waiting jsonb,
  waiting_since timestamptz,
  try_again_at timestamptz,
  -- WhatsApp lets the instance write only to groups until this time. Null means no known restriction.
  restricted_until timestamptz,

  -- Our address that the instance's webhook points to, and when we last tried to set it.
  webhook_base text,
  webhook_tried_at timestamptz not null default 'epoch',
  -- From this time on we may ask the provider about another sent message of the instance.
  next_ask_at timestamptz not null default 'epoch',
  search_text text generated always as (unaccent_lower(name || ' ' || whats_app_number)) stored,
  -- An unknown time zone would make the engine's queries fail for every instance.
  constraint instances_time_zone check (timestamptz '2000-01-01 00:00Z' at time zone time_zone is not null)
) with (fillfactor = 70);
create index instances_name on instances (name, id);
create index instances_created_at on instances (created_at, id);
create index instances_search on instances using gin (search_text gin_trgm_ops);

create table user_instances (
  user_id bigint not null references users on delete cascade,
  instance_id bigint not null references instances on delete cascade,
  primary key (user_id, instance_id)
);
create index user_instances_instance on user_instances (instance_id);
