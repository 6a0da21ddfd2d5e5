create extension if not exists pg_trgm;

-- Every instant comes from here. Tests replace it to move time; nothing else may call now().
create function clock_now() returns timestamptz language sql stable as 'select now()';

-- One row: proves at every start that the process holds the key the secrets were written with.
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
  -- Registered by themselves and not yet looked at by an Admin.
  is_waiting boolean not null default false,
  created_at timestamptz not null default clock_now()
);
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));
create index users_search on users using gin (username gin_trgm_ops, email gin_trgm_ops);
create index users_created_at on users (created_at, id);

create table sessions (
  token_hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id);
create index sessions_expires_at on sessions (expires_at);
