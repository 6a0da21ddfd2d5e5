-- Works with programs from 0032 on.
--
-- Messages that nobody uses are deleted after the days that an Admin sets: docs/decisions/0047-personal-data.md. Until
-- then every row counts as changed now. So a program from before, which does not write the time, loses nothing.

alter table messages
  add column changed_at timestamptz not null default clock_now(),
  -- When the last job that was deleted had used the message. The jobs that are there say so themselves.
  add column used_at timestamptz;

alter table retention
  add column message_days integer check (message_days >= 30),
  -- The message at which the last look for unused ones ended.
  add column message_cursor bigint not null default 0;

create function keep_use_of_messages() returns trigger language plpgsql as $$
begin
  with used as (
    select message_id, max(coalesce(completed_at, clock_now())) as at from gone
    where message_id is not null group by message_id
  ), free as (
    -- Whoever has locked the row otherwise changes the message, which counts as well.
    select m.id, used.at from messages m join used on used.message_id = m.id
    where used.at > greatest(m.changed_at, m.used_at) order by m.id for no key update of m skip locked
  )
  update messages m set used_at = free.at from free where m.id = free.id;
  return null;
end $$;
create trigger jobs_keep_use_of_messages after delete on jobs
  referencing old table as gone for each statement execute function keep_use_of_messages();
