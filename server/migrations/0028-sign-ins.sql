-- Works with programs from 0022 on.
--
-- The number of the newest browser in which the user has signed in. A device cookie holds such a number, and only the
-- newest ones count: server/src/features/session/device-cookie.ts. A table of its own, because a call that runs long
-- locks its user's row.
create table sign_in_devices (
  user_id bigint primary key references users on delete cascade,
  newest int not null
);

alter table users
  -- Where somebody registered: a hash with the installation's key. Null for others.
  add registered_from bytea,
  -- The password_hash of a generated password, which lies in a log. Once the two differ, the password was changed.
  add generated_hash text;
