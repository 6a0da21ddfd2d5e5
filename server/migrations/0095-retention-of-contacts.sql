-- Works with programs from 0032 on.
--
-- Contacts that nobody uses are deleted after the days that an Admin sets: docs/decisions/0047-personal-data.md. As for
-- messages, all of them count as used now, so that changes by a program from before lose nothing.

alter table retention
  add column contact_days integer check (contact_days >= 30),
  add column contact_cursor bigint not null default 0;

alter table contacts add column changed_at timestamptz not null default clock_now();
alter table contact_tags add column added_at timestamptz not null default clock_now();
alter table list_contacts add column added_at timestamptz not null default clock_now();

-- When somebody wrote from this number, to the day, or the last message to it was sent whose delivery was deleted.
alter table contact_identities add column used_at timestamptz;

create function keep_use_of_contacts() returns trigger language plpgsql as $$
begin
  if not exists (select from gone where contact_id is not null and sent_at is not null) then
    return null;
  end if;
  with used as (
    select contact_id, max(sent_at) as at from gone
    where contact_id is not null and sent_at is not null group by contact_id
  ), free as (
    -- Waiting could be a deadlock. Whoever has locked an identity changes its contact, or has checked the number.
    select i.kind, i.value, used.at from contact_identities i join used on used.contact_id = i.contact_id
    where i.is_primary and used.at > coalesce(i.used_at, 'epoch') for no key update of i skip locked
  )
  update contact_identities i set used_at = free.at from free where i.kind = free.kind and i.value = free.value;
  return null;
end $$;
create trigger deliveries_keep_use_of_contacts after delete on deliveries
  referencing old table as gone for each statement execute function keep_use_of_contacts();
