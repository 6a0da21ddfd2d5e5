-- Works with programs from 0032 on.
--
-- API keys. A program from before knows none, and refuses them.

create table api_keys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  name text not null,
  -- SHA-256 of the key, which is not stored, and its first characters, by which people tell keys apart.
  token_hash bytea not null unique,
  start text not null,
  rights text[] not null,
  -- Null: all instances of the owner. Deleted instances may stay in it.
  instance_ids bigint[],
  -- The addresses and ranges that may use the key. None: all.
  addresses text[] not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  last_used_address text
);
create index api_keys_user on api_keys (user_id);
create index api_keys_expires_at on api_keys (expires_at);

-- A trigger, because a program from before locks users, too. An unlocked user makes new keys.
create function delete_api_keys() returns trigger language plpgsql as $$
begin
  delete from api_keys where user_id = new.id;
  return null;
end $$;
create trigger users_delete_api_keys after update of is_active on users
  for each row when (old.is_active and not new.is_active) execute function delete_api_keys();
