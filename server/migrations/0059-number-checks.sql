-- Works with programs from 0032 on.
--
-- Two numbers that WhatsApp knows by one are one person, as somebody's hidden number is: an opt-out by either holds for
-- both, whichever becomes known later.
create index due_number_checks_phone on due_number_checks (phone);

create or replace function same_person(of_kind text, of_value text) returns table (kind text, value text)
language sql stable as $$
  with named as (
    select of_kind as kind, of_value as value
    union
    select 'phone', phone from known_lids where of_kind = 'lid' and lid = of_value
    union
    select 'lid', lid from known_lids where of_kind = 'phone' and phone = of_value
  ), known as (
    select kind, value from named
    union
    select 'phone', n.whatsapp_phone from named join number_checks n on n.phone = named.value
    where named.kind = 'phone' and n.whatsapp_phone is not null
    union
    select 'phone', n.phone from named join number_checks n on n.whatsapp_phone = named.value
    where named.kind = 'phone'
  )
  select kind, value from known
  union
  select other.kind, other.value
  from known join contact_identities i using (kind, value) join contact_identities other using (contact_id)
$$;

create function opt_out_checked_number() returns trigger language plpgsql as $$
begin
  insert into opted_out (kind, value, instance_id, opt_out_id)
  select person.kind, person.value, o.instance_id, o.opt_out_id
  from same_person('phone', new.phone) person, opted_out o
  where o.kind = 'phone' and o.value in (new.phone, new.whatsapp_phone)
  on conflict do nothing;
  return null;
end $$;
create trigger number_checks_opt_out after insert or update of whatsapp_phone on number_checks
  for each row when (new.whatsapp_phone is not null) execute function opt_out_checked_number();
