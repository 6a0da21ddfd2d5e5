-- Works with programs from 0032 on.
--
-- Whoever becomes known to an account is next in its jobs (engine/shared/queue.ts, *brought forward*): their messages
-- need no place among the new people, and should not wait behind those who do. `instance_people` is written under the
-- lock of the account, so no intent is written meanwhile. One look at an index for each job that has not ended.
create function bring_known_forward() returns trigger language plpgsql as $$
begin
  update deliveries d set not_before = timestamptz 'epoch' + interval '1 second'
  from jobs j
  where j.instance_id = new.instance_id and (j.status in ('Pending', 'Running') or j.settling)
    and j.status in ('Pending', 'Running') and j.job_type = 'SendToUsers'
    and d.job_id = j.id and d.chat_id = new.phone || '@s.whatsapp.net'
    and d.status = 'queued' and d.not_before = 'epoch';
  return null;
end $$;
create trigger instance_people_are_new after insert on instance_people
  for each row when (new.first_sent_at is not null or new.replied_at is not null)
  execute function bring_known_forward();
create trigger instance_people_are_known after update of first_sent_at, replied_at on instance_people
  for each row when (
    old.first_sent_at is null and old.replied_at is null
    and (new.first_sent_at is not null or new.replied_at is not null))
  execute function bring_known_forward();
