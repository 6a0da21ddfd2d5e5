-- Works with programs from 0032 on.
--
-- What a simulated WhatsApp says about somebody holds for test accounts only.

alter table number_checks add is_test boolean not null default false;
alter table known_lids add is_test boolean not null default false;

-- A test account that is deleted takes its opt-outs with it.
create or replace function keep_opt_outs() returns trigger language plpgsql as $$
begin
  if old.is_test then
    update opt_outs set ended_at = clock_now() where ended_at is null and id in (
      select opt_out_id from opted_out where instance_id = old.id);
  else
    insert into opted_out (kind, value, instance_id, opt_out_id)
    select kind, value, null, opt_out_id from opted_out where instance_id = old.id
    on conflict do nothing;
    update opt_outs set is_for_all = true where instance_id = old.id and not is_for_all;
  end if;
  return old;
end $$;
