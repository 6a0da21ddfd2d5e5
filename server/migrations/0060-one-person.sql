-- Works with programs from 0032 on.
--
-- All that is known to be one person, over any number of steps: the number of a hidden one, the number by which
-- WhatsApp knows another one, and the other identities of the contact. If one of them has opted out, all have,
-- whichever becomes known first.

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
      select other.kind, other.value from contact_identities i join contact_identities other using (contact_id)
      where i.kind = p.kind and i.value = p.value
    ) next (kind, value)
  )
  select kind, value from person
$$;

-- Whatever holds for one of the person's identities holds for all.
create function spread_opt_outs(of_kind text, of_value text) returns void language sql volatile as $$
  with person as materialized (
    select kind, value from same_person(of_kind, of_value)
  ), held as (
    select distinct on (o.instance_id) o.instance_id, o.opt_out_id
    from person join opted_out o using (kind, value) order by o.instance_id, o.opt_out_id desc
  )
  insert into opted_out (kind, value, instance_id, opt_out_id)
  select person.kind, person.value, held.instance_id, held.opt_out_id from person, held
  order by 1, 2, 3
  on conflict do nothing
$$;

-- Identities that were linked before have opted out together, so one look at each new link is enough.
create or replace function opt_out_new_identities() returns trigger language plpgsql as $$
begin
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

create or replace function opt_out_new_lids() returns trigger language plpgsql as $$
begin
  if exists (select from added) then
    perform pg_advisory_xact_lock(hashtext('sendroom opt-outs'));
    perform spread_opt_outs('phone', l.phone) from added l
    where exists (
      select from opted_out o where (o.kind, o.value) in (('lid', l.lid), ('phone', l.phone)));
  end if;
  return null;
end $$;

create or replace function opt_out_checked_number() returns trigger language plpgsql as $$
begin
  perform spread_opt_outs('phone', new.phone)
  where exists (select from opted_out o where o.kind = 'phone' and o.value in (new.phone, new.whatsapp_phone));
  return null;
end $$;
