-- Works with programs from 0032 on.
--
-- Identities that the provider ties together are one sender: a number and its hidden one, and two numbers that WhatsApp
-- knows by one. Those of a contact are one person as far as we know. So an opt-out holds for all identities of a
-- contact, but those that the sender does not have get one of their own, which says why and is in the audit log
-- (docs/decisions/0034-opt-out.md).

alter table opt_outs
  drop constraint opt_outs_source_check,
  add constraint opt_outs_source_check check (source in ('message', 'review', 'form', 'import', 'api', 'linked')),
  -- The opt-out of another identity, for the sake of which this one began. It ends with that one.
  add linked_to bigint references opt_outs on delete set null,
  -- When they said it again, the last time. Null if once.
  add last_said_at timestamptz;
create index opt_outs_linked_to on opt_outs (linked_to) where linked_to is not null;

-- The identities that the provider ties to this one, in one step.
create function tied_to(of_kind text, of_value text) returns table (kind text, value text) language sql stable as $$
  select 'phone', k.phone from known_lids k where of_kind = 'lid' and k.lid = of_value
  union all
  select 'lid', k.lid from known_lids k where of_kind = 'phone' and k.phone = of_value
  union all
  select 'phone', n.whatsapp_phone from number_checks n
  where of_kind = 'phone' and n.phone = of_value and n.whatsapp_phone is not null
  union all
  select 'phone', n.phone from number_checks n where of_kind = 'phone' and n.whatsapp_phone = of_value
$$;

-- The same over any number of steps, with this one.
create function same_sender(of_kind text, of_value text) returns table (kind text, value text) language sql stable as $$
  with recursive sender (kind, value) as (
    select of_kind, of_value
    union
    select next.kind, next.value from sender s, lateral tied_to(s.kind, s.value) next
  )
  select kind, value from sender
$$;

create or replace function same_person(of_kind text, of_value text) returns table (kind text, value text)
language sql stable as $$
  with recursive person (kind, value) as (
    select of_kind, of_value
    union
    select next.kind, next.value from person p, lateral (
      select kind, value from tied_to(p.kind, p.value)
      union all
      select other.kind, other.value from contact_identities i join contact_identities other using (contact_id)
      where i.kind = p.kind and i.value = p.value
    ) next
  )
  select kind, value from person
$$;

-- Opts an identity out because the person has done so by another one. Returns false if it had opted out already, or if
-- its sender has wanted messages since.
create function link_opt_out(of_kind text, of_value text, other bigint) returns boolean language plpgsql volatile as $$
declare
  root opt_outs;
  scope bigint;
  own bigint;
begin
  select o.* into root from opt_outs o where o.id = (select coalesce(linked_to, id) from opt_outs where id = other);
  scope := case when not root.is_for_all then root.instance_id end;
  if exists (
    select from opted_out o
    where o.kind = of_kind and o.value = of_value and (o.instance_id is null or o.instance_id = scope)
  ) or exists (
    select from same_sender(of_kind, of_value) s join opt_ins i
      on (s.kind = 'phone' and i.phone = s.value) or (s.kind = 'lid' and i.lid = s.value)
    where i.said_at > coalesce(root.last_said_at, root.said_at)
      and (i.instance_id = scope or scope is null and not exists (
        select from instances t where t.id = i.instance_id and t.is_test))
  ) then
    return false;
  end if;
  -- A hidden number needs no entry beside that of its number.
  if of_kind = 'lid' then
    select o.opt_out_id into own from same_sender(of_kind, of_value) s join opted_out o using (kind, value)
    where o.instance_id is not distinct from scope order by o.opt_out_id desc limit 1;
  end if;
  if own is null then
    insert into opt_outs (instance_id, is_for_all, source, said_at, phone, lid, linked_to)
    values (root.instance_id, root.is_for_all, 'linked', coalesce(root.last_said_at, root.said_at),
      case when of_kind = 'phone' then of_value end, case when of_kind = 'lid' then of_value end, root.id)
    returning id into own;
    insert into audit_log (user_name, address, action, object_type, object_id, object_name, details)
    values ('', '', 'opt_out.create', 'opt_out', own, case when of_kind = 'phone' then '+' else '' end || of_value,
      jsonb_build_object('sameAs', coalesce('+' || root.phone, root.lid, '')));
  end if;
  insert into opted_out (kind, value, instance_id, opt_out_id) values (of_kind, of_value, scope, own);
  return true;
end $$;

-- Whatever holds for one of the person's identities holds for all, but those who have wanted messages since.
create or replace function spread_opt_outs(of_kind text, of_value text) returns void language sql volatile as $$
  with person as materialized (
    select kind, value from same_person(of_kind, of_value)
  ), held as materialized (
    select distinct on (o.instance_id) o.instance_id, o.opt_out_id
    from person join opted_out o using (kind, value) join opt_outs begun on begun.id = o.opt_out_id
    order by o.instance_id, coalesce(begun.last_said_at, begun.said_at) desc, begun.linked_to nulls first, o.opt_out_id
  ), missing as materialized (
    select person.kind, person.value, held.instance_id, held.opt_out_id
    from person, held
    where not exists (
      select from opted_out o where o.kind = person.kind and o.value = person.value
        and (o.instance_id is null or o.instance_id = held.instance_id))
    -- Numbers first: see link_opt_out.
    order by person.kind desc, person.value, held.instance_id nulls first
  )
  select link_opt_out(kind, value, opt_out_id) from missing
$$;
