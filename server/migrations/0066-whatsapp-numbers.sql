-- Works with programs from 0032 on.
--
-- The number by which WhatsApp knows a contact's number, if that is another one. A check tells it. The answer of the
-- check is deleted after 30 days, and this stays with the contact: two numbers that WhatsApp knows by one are one
-- person.
alter table contact_identities add whatsapp_phone text;
create index contact_identities_whatsapp_phone on contact_identities (whatsapp_phone) where whatsapp_phone is not null;

update contact_identities i set whatsapp_phone = n.whatsapp_phone
from number_checks n where i.kind = 'phone' and i.value = n.phone and n.whatsapp_phone is not null;

create or replace function same_person(of_kind text, of_value text) returns table (kind text, value text)
language sql stable as $$
  with recursive person (kind, value) as (
    select of_kind, of_value
    union
    select next.kind, next.value from person p, lateral (
      select 'phone', k.phone from known_lids k where p.kind = 'lid' and k.lid = p.value
      union all
      select 'lid', k.lid from known_lids k where p.kind = 'phone' and k.phone = p.value
      union all
      select 'phone', n.whatsapp_phone from number_checks n
      where p.kind = 'phone' and n.phone = p.value and n.whatsapp_phone is not null
      union all
      select 'phone', n.phone from number_checks n where p.kind = 'phone' and n.whatsapp_phone = p.value
      union all
      select 'phone', i.whatsapp_phone from contact_identities i
      where p.kind = 'phone' and i.kind = 'phone' and i.value = p.value and i.whatsapp_phone is not null
      union all
      select 'phone', i.value from contact_identities i where p.kind = 'phone' and i.whatsapp_phone = p.value
      union all
      select other.kind, other.value from contact_identities i join contact_identities other using (contact_id)
      where i.kind = p.kind and i.value = p.value
    ) next (kind, value)
  )
  select kind, value from person
$$;

-- A check that says nothing of the number by which WhatsApp knows it leaves what an earlier one said.
create or replace function opt_out_checked_number() returns trigger language plpgsql as $$
begin
  update contact_identities set whatsapp_phone = new.whatsapp_phone
  where kind = 'phone' and value = new.phone and whatsapp_phone is distinct from new.whatsapp_phone;
  perform spread_opt_outs('phone', new.phone)
  where exists (select from opted_out o where o.kind = 'phone' and o.value in (new.phone, new.whatsapp_phone));
  return null;
end $$;
drop trigger number_checks_opt_out on number_checks;
create trigger number_checks_opt_out after insert or update of answer, whatsapp_phone on number_checks
  for each row when (new.answer = 'yes' and not new.is_test) execute function opt_out_checked_number();

-- As in 0060, and a number that was checked before it became a contact's.
create or replace function opt_out_new_identities() returns trigger language plpgsql as $$
begin
  update contact_identities i set whatsapp_phone = n.whatsapp_phone
  from added a join number_checks n on n.phone = a.value
  where a.kind = 'phone' and n.whatsapp_phone is not null and i.kind = a.kind and i.value = a.value;
  -- Most new contacts have one number, and are nobody known.
  if exists (
    select from added new_one join contact_identities other on other.contact_id = new_one.contact_id
    where (other.kind, other.value) <> (new_one.kind, new_one.value)
  ) then
    perform pg_advisory_xact_lock(hashtext('sendroom opt-outs'));
    perform spread_opt_outs(n.kind, n.value) from added n
    where exists (
      select from contact_identities other join opted_out o on o.kind = other.kind and o.value = other.value
      where other.contact_id = n.contact_id);
  end if;
  return null;
end $$;
