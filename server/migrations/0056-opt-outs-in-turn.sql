-- Works with programs from 0032 on.
--
-- Opt-outs begin and end one after the other (`LOCKS.optOuts`), and identities of one person become known in between.
-- An opt-out and a new identity that do not see each other yet would leave the identity without the opt-out.

create or replace function opt_out_new_identities() returns trigger language plpgsql as $$
begin
  -- Most new contacts have one number, and are nobody known.
  if exists (
    select from added new_one join contact_identities other on other.contact_id = new_one.contact_id
    where (other.kind, other.value) <> (new_one.kind, new_one.value)
  ) then
    perform pg_advisory_xact_lock(hashtext('sendroom opt-outs'));
    insert into opted_out (kind, value, instance_id, opt_out_id)
    select distinct on (new_one.kind, new_one.value, o.instance_id)
      new_one.kind, new_one.value, o.instance_id, o.opt_out_id
    from added new_one join contact_identities other on other.contact_id = new_one.contact_id
      join opted_out o on o.kind = other.kind and o.value = other.value
    on conflict do nothing;
  end if;
  return null;
end $$;

create or replace function opt_out_new_lids() returns trigger language plpgsql as $$
begin
  if exists (select from added) then
    perform pg_advisory_xact_lock(hashtext('sendroom opt-outs'));
    insert into opted_out (kind, value, instance_id, opt_out_id)
    select 'phone', l.phone, o.instance_id, o.opt_out_id
    from added l join opted_out o on o.kind = 'lid' and o.value = l.lid
    union all
    select 'lid', l.lid, o.instance_id, o.opt_out_id
    from added l join opted_out o on o.kind = 'phone' and o.value = l.phone
    on conflict do nothing;
  end if;
  return null;
end $$;

-- An opt-out decides all that waits for a decision about the person.
create index possible_opt_outs_phone on possible_opt_outs (phone) where decided_at is null;
create index possible_opt_outs_lid on possible_opt_outs (lid) where decided_at is null;

-- Everybody may hear that opt-outs have changed: the notification says nothing of them.
create function notify_opt_outs() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes',
    '[{"feature": "optOuts", "id": null, "instanceId": null, "userId": null, "isShared": true}]');
  return null;
end $$;
create trigger opt_outs_notify after insert or update or delete on opt_outs
  for each statement execute function notify_opt_outs();
create trigger possible_opt_outs_notify after insert or update or delete on possible_opt_outs
  for each statement execute function notify_opt_outs();
