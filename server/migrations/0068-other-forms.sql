-- Works with programs from 0032 on.
--
-- Some mobile numbers have two forms, and WhatsApp may know a person by the one that nobody typed: with or without the
-- 9 that Brazil has put in front of them and that Argentina wants from abroad, and with or without the 1 that Mexico
-- has given up. Both forms are one sender, without a look at WhatsApp.

-- The other form, or null.
create function other_form(phone text) returns text language sql immutable as $$
  select case
    when phone ~ '^55[1-9][1-9]9[6-9]\d{7}$' then left(phone, 4) || right(phone, 8)
    when phone ~ '^55[1-9][1-9][6-9]\d{7}$' then left(phone, 4) || '9' || right(phone, 8)
    when phone ~ '^549[1-3]\d{9}$' then '54' || right(phone, 10)
    when phone ~ '^54[1-3]\d{9}$' then '549' || right(phone, 10)
    when phone ~ '^521[2-9]\d{9}$' then '52' || right(phone, 10)
    when phone ~ '^52[2-9]\d{9}$' then '521' || right(phone, 10)
  end
$$;

create or replace function tied_to(of_kind text, of_value text) returns table (kind text, value text)
language sql stable as $$
  select 'phone', k.phone from known_lids k where of_kind = 'lid' and k.lid = of_value
  union all
  select 'lid', k.lid from known_lids k where of_kind = 'phone' and k.phone = of_value
  union all
  select 'phone', n.whatsapp_phone from number_checks n
  where of_kind = 'phone' and n.phone = of_value and n.whatsapp_phone is not null
  union all
  select 'phone', n.phone from number_checks n where of_kind = 'phone' and n.whatsapp_phone = of_value
  union all
  select 'phone', other_form(of_value) where of_kind = 'phone' and other_form(of_value) is not null
$$;

-- Opts an identity out because the person has done so by another one. Returns false if it had opted out already, or if
-- its sender has wanted messages since.
create or replace function link_opt_out(of_kind text, of_value text, other bigint) returns boolean language plpgsql volatile as $$
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
  -- A hidden number, and the other form of one, need no entry beside that of the number.
  select o.opt_out_id into own from same_sender(of_kind, of_value) s join opted_out o using (kind, value)
  where o.instance_id is not distinct from scope and (of_kind = 'lid' or s.value = other_form(of_value))
  order by o.opt_out_id desc limit 1;
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

-- Those of today.
insert into opted_out (kind, value, instance_id, opt_out_id)
select 'phone', other_form(value), instance_id, opt_out_id from opted_out
where kind = 'phone' and value like '5%' and other_form(value) is not null
on conflict do nothing;
