-- Works with programs from 0032 on.
--
-- The statement that would begin a message to somebody who has opted out skips them, whichever program it is from. A
-- trigger tests this behind all locks: once the row of the delivery is locked, the statement waits for nothing more. A
-- condition of the statement would not do. PostgreSQL tests that again only if the row was changed meanwhile.
create function skip_opted_out() returns trigger language plpgsql as $$
begin
  if not is_opted_out(new.chat_id, new.instance_id) then
    return new;
  end if;
  update deliveries set status = 'skipped', not_before = 'epoch', reason = '{"code": "opted_out", "params": {}}'
  where id = new.id;
  return null;
end $$;
create trigger deliveries_skip_opted_out before update of status on deliveries
  for each row when (old.status = 'queued' and new.status = 'sending' and new.chat_id not like '%@g.us')
  execute function skip_opted_out();

-- Programs before 0050 need no longer wait: their statements skip these people, too.
drop trigger jobs_refuse_turn_to_people on jobs;
drop function refuse_turn_to_people();
