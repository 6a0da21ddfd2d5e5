-- Works with programs from 0032 on.
--
-- When the next sync of an account's groups is due. Before, pg-boss queued the syncs in a schema of its own. A program
-- before this one still queues them there, and its workers read them; the workers of this one find an account that was
-- never synced by themselves.

alter table instances
  -- When somebody has asked for a sync, the interval is over, or a try is to be repeated. Null: nothing is due. It stays
  -- until the sync has ended, so a sync that ends with its process is repeated once its lease has run out.
  add sync_due_at timestamptz,
  -- The tries since somebody asked. After the last one only the interval makes a sync due.
  add sync_tries smallint not null default 0;
create index instances_sync_due on instances (sync_due_at) where sync_due_at is not null;
