-- Works with programs from 0032 on.
--
-- How an opt-out is found, begins and ends: docs/decisions/0034-opt-out.md.

-- The person, so that the history of a number is found after an opt-out has ended.
alter table opt_outs add phone text, add lid text;
create index opt_outs_phone on opt_outs (phone, said_at);
create index opt_outs_lid on opt_outs (lid, said_at);
create index opt_outs_said_at on opt_outs (said_at, id);

-- Whether the person of this chat has opted out of messages from the account. Volatile: each call sees all that is
-- committed by then. A statement that has waited for a lock would not see it in its own snapshot.
create function is_opted_out(chat text, account bigint) returns boolean language plpgsql volatile as $$
begin
  return exists (
    select from opted_out o
    where o.kind = case when chat like '%@lid' then 'lid' else 'phone' end and o.value = split_part(chat, '@', 1)
      and (o.instance_id is null or o.instance_id = account));
end $$;

-- All that is known to be the same person: the number of a LID, and the other identities of the contact.
create function same_person(of_kind text, of_value text) returns table (kind text, value text) language sql stable as $$
  with known as (
    select of_kind as kind, of_value as value
    union
    select 'phone', phone from known_lids where of_kind = 'lid' and lid = of_value
    union
    select 'lid', lid from known_lids where of_kind = 'phone' and phone = of_value
  )
  select kind, value from known
  union
  select other.kind, other.value
  from known join contact_identities i using (kind, value) join contact_identities other using (contact_id)
$$;

-- Whoever has opted out stays so by a number that becomes known later.
create function opt_out_new_identities() returns trigger language plpgsql as $$
begin
  insert into opted_out (kind, value, instance_id, opt_out_id)
  select new_one.kind, new_one.value, o.instance_id, o.opt_out_id
  from added new_one join contact_identities other on other.contact_id = new_one.contact_id
    join opted_out o on o.kind = other.kind and o.value = other.value
  on conflict do nothing;
  return null;
end $$;
create trigger contact_identities_opt_out after insert on contact_identities
  referencing new table as added for each statement execute function opt_out_new_identities();

create function opt_out_new_lids() returns trigger language plpgsql as $$
begin
  insert into opted_out (kind, value, instance_id, opt_out_id)
  select 'phone', l.phone, o.instance_id, o.opt_out_id from added l join opted_out o on o.kind = 'lid' and o.value = l.lid
  union
  select 'lid', l.lid, o.instance_id, o.opt_out_id from added l join opted_out o on o.kind = 'phone' and o.value = l.phone
  on conflict do nothing;
  return null;
end $$;
create trigger known_lids_opt_out after insert on known_lids
  referencing new table as added for each statement execute function opt_out_new_lids();

-- An account that is deleted is often added again. Whoever had opted out of its messages has opted out of all, then.
create function keep_opt_outs() returns trigger language plpgsql as $$
begin
  insert into opted_out (kind, value, instance_id, opt_out_id)
  select kind, value, null, opt_out_id from opted_out where instance_id = old.id
  on conflict do nothing;
  update opt_outs set is_for_all = true where instance_id = old.id and not is_for_all;
  return old;
end $$;
create trigger instances_keep_opt_outs before delete on instances
  for each row execute function keep_opt_outs();

-- Programs before this one do not ask. So they get no turn for a job to people while anybody has opted out, until none
-- of them can run any more. Later ones say in their transaction that they know.
create function refuse_turn_to_people() returns trigger language plpgsql as $$
begin
  return case when exists (select from opted_out) then null else new end;
end $$;
create trigger jobs_refuse_turn_to_people before update of cursor on jobs
  for each row when (
    new.job_type = 'SendToUsers' and new.last_turn_at <> old.last_turn_at and new.last_turn_at <> 'epoch'
    and current_setting('sendroom.knows_opt_outs', true) is distinct from 'true')
  execute function refuse_turn_to_people();
