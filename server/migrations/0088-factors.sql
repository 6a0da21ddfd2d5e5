-- Works with programs from 0032 on.
--
-- The second factor: codes of an app on the user's phone. A program from before asks for no code: stop all of them
-- before you require one.

create table factors (
  id bigint generated always as identity primary key,
  user_id bigint not null unique references users (id) on delete cascade,
  -- The secret that the user's app has, encrypted. Null until a code has shown that the app has one.
  secret_cipher bytea,
  -- A new secret, encrypted, which no code has shown yet.
  next_cipher bytea,
  -- The 30 seconds, counted from 1970, of the last code that was accepted. Each code works once.
  last_step bigint not null default 0
);

-- Codes for whoever has lost the phone. Each works once.
create table recovery_codes (
  code_hash bytea primary key,
  user_id bigint not null references users (id) on delete cascade
);
create index recovery_codes_user on recovery_codes (user_id);

-- Somebody has entered the password, and the code is still to come.
create table sign_in_tickets (
  ticket_hash bytea primary key,
  user_id bigint not null references users (id) on delete cascade,
  expires_at timestamptz not null
);
create index sign_in_tickets_user on sign_in_tickets (user_id);

create function delete_sign_in_tickets() returns trigger language plpgsql as $$
begin
  delete from sign_in_tickets where user_id = new.id;
  return null;
end $$;
create trigger users_end_tickets after update of password_hash, is_active on users for each row
  when (old.password_hash is distinct from new.password_hash or not new.is_active)
  execute function delete_sign_in_tickets();

-- The rule that says who has to have a second factor, from when on.
create table factor_rule (
  only_row boolean primary key default true check (only_row),
  required_of text not null default 'nobody' check (required_of in ('nobody', 'admins', 'all')),
  since timestamptz
);
insert into factor_rule default values;
