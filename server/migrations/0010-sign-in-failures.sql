-- Wrong passwords, counted by name, address and known browser: server/src/features/session/attempts.ts. The keys are
-- hashes with the installation's key, because strangers choose the names. A server restart forgets nothing.
create table sign_in_failures (
  key bytea primary key,
  failures int not null,
  -- The time of the first failure. The count starts again a day later.
  since timestamptz not null,
  -- The next attempt is refused until this time.
  next_at timestamptz not null
);
