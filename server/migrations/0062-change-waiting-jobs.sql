-- Works with programs from 0032 on.
--
-- A job has a name, and one that waits can be changed: its message, recipients, time and account. Programs before this
-- one never write these columns, and read none of them.
alter table jobs add name text not null default '';
-- Grows with each change that somebody makes in a form.
alter table jobs add version int not null default 1;

-- A job that moves to another account is counted there.
drop trigger jobs_count_moved on jobs;
create trigger jobs_count_moved after update of status, instance_id on jobs
  for each row when (old.status <> new.status or old.instance_id <> new.instance_id)
  execute function count_moved_job();

-- More recipients, or another account, must fit into the quotas as those of a new job do.
drop trigger jobs_quota_again on jobs;
create constraint trigger jobs_quota_again after update of status, instance_id, recipient_count on jobs
  deferrable initially deferred
  for each row when (new.status = 'Pending' and (
    old.status not in ('Pending', 'Running') or old.instance_id <> new.instance_id
    or old.recipient_count < new.recipient_count))
  execute function check_recipient_quotas();

drop trigger jobs_notify_update on jobs;
create trigger jobs_notify_update after update of status, paused_at, scheduled_at, version on jobs
  for each row execute function notify_job();
-- The lists of an account that has lost a job to another one change, too.
create function notify_former_account() returns trigger language plpgsql as $$
begin
  perform notify_change('jobs', old.id, old.instance_id);
  return null;
end $$;
create trigger jobs_notify_moved after update of instance_id on jobs
  for each row when (old.instance_id <> new.instance_id) execute function notify_former_account();
