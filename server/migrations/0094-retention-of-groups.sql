-- Works with programs from 0032 on.
--
-- Groups that an account has left, or whose account has not been connected, are deleted with their members after the
-- days that an Admin sets: docs/decisions/0047-personal-data.md.

alter table retention
  add column group_days integer check (group_days >= 30),
  add column group_cursor bigint not null default 0;

-- Since when the account has not been connected, or was switched off. Says nothing of one that is connected.
alter table instances add column absent_since timestamptz not null default clock_now();

create function note_absence() returns trigger language plpgsql as $$
begin
  new.absent_since := clock_now();
  return new;
end $$;
create trigger instances_note_absence before update of status, is_active on instances
  for each row when (old.status = 'Connected' and old.is_active and not (new.status = 'Connected' and new.is_active))
  execute function note_absence();

-- Jobs go on showing to which groups they have sent: a delivery keeps the id, as it keeps that of a deleted contact.
alter table deliveries drop constraint deliveries_group_id_fkey;
