-- Works with programs from 0032 on.
--
-- An opt-out of a forgotten number holds for whatever the provider ties to that number later: the hidden number of the
-- same sender, and the number by which WhatsApp knows it. Ordinary opt-outs get an entry for each then; of a forgotten
-- one there is only the hash, so another hash is added.

create function tie_forgotten(of_kind text, of_value text, other_kind text, other_value text) returns void
language sql volatile as $$
  insert into forgotten_opt_outs (hash, instance_id, said_at)
  select number_hash(other_kind, other_value), f.instance_id, f.said_at
  from forgotten_opt_outs f where f.hash = number_hash(of_kind, of_value)
  on conflict do nothing
$$;

create function tie_forgotten_lids() returns trigger language plpgsql as $$
begin
  if exists (select from forgotten_opt_outs) then
    perform tie_forgotten('phone', phone, 'lid', lid), tie_forgotten('lid', lid, 'phone', phone)
    from added where not is_test;
  end if;
  return null;
end $$;
create trigger known_lids_forgotten after insert on known_lids
  referencing new table as added for each statement execute function tie_forgotten_lids();

create function tie_forgotten_checked() returns trigger language plpgsql as $$
begin
  if exists (select from forgotten_opt_outs) then
    perform tie_forgotten('phone', new.whatsapp_phone, 'phone', new.phone),
      tie_forgotten('phone', new.phone, 'phone', new.whatsapp_phone);
  end if;
  return null;
end $$;
create trigger number_checks_forgotten after insert or update of answer, whatsapp_phone on number_checks
  for each row when (new.answer = 'yes' and not new.is_test and new.whatsapp_phone is not null)
  execute function tie_forgotten_checked();
