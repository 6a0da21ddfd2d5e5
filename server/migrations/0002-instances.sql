create table instances (
  id bigint generated always as identity primary key,
  name text not null,
  whats_app_number text not null default '',
  -- AES-256-GCM; the keyed hash beside it keeps two instances from sharing one token.
  token_cipher bytea not null,
  token_hash bytea not null constraint instances_token unique,
  is_test boolean not null,
  is_active boolean not null default true,
  created_at timestamptz not null default clock_now(),
  expired_time timestamptz,

  status text not null default 'Unknown',
  status_seen_at timestamptz,
  -- When the provider was last asked, answer or not: it is asked rarely.
  status_asked_at timestamptz not null default 'epoch',

  -- The pace: what WhatsApp tolerates. Pauses are ranges in milliseconds, a cap of 0 is none.
  group_pause_from_ms int not null default 20000,
  group_pause_to_ms int not null default 30000,
  private_pause_from_ms int not null default 60000,
  private_pause_to_ms int not null default 90000,
  group_cap int not null default 0,
  private_cap int not null default 200,
  quiet_from time,
  quiet_to time,
  time_zone text not null default 'Asia/Ho_Chi_Minh',

  last_sync_at timestamptz,
  -- The lease of whoever reads the groups; a past one says when the newest attempt ended.
  syncing_until timestamptz,
  sync_problem jsonb,

  -- The engine's part. The row is the lock: who sends (claim, lease_until), what is on its way (in_flight),
  -- when the next message may go (next_due_at) and, where the provider asked for that, why (busy).
  claim uuid,
  lease_until timestamptz,
  in_flight bigint,
  next_due_at timestamptz not null default 'epoch',
  busy jsonb,
  busy_in_a_row int not null default 0,
  -- What was sent in the last hours, for the caps: 'g' (groups) or 'p' (private), hour → count.
  sent_by_hour jsonb not null default '{}',
  failures_in_a_row int not null default 0,
  -- Why the account sends nothing, if it is its own trouble. 'Since' outlasts a short recovery: see the engine.
  waiting jsonb,
  waiting_since timestamptz,
  try_again_at timestamptz,
  -- A zone the database does not know would stop the engine for every account: it is refused here.
  constraint instances_time_zone check (timestamptz '2000-01-01 00:00Z' at time zone time_zone is not null)
) with (fillfactor = 70);
create index instances_name on instances (name, id);
create index instances_created_at on instances (created_at, id);
create index instances_search on instances using gin (name gin_trgm_ops, whats_app_number gin_trgm_ops);

create table user_instances (
  user_id bigint not null references users on delete cascade,
  instance_id bigint not null references instances on delete cascade,
  primary key (user_id, instance_id)
);
create index user_instances_instance on user_instances (instance_id);
