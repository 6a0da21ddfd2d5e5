-- The number of failed deliveries in the job's current run, so that a list of jobs need not count deliveries. All that
-- changes it holds the instance's lock, except a receipt that proves a failed delivery sent: that locks the delivery first
-- and the job second. If it meets a retry or a restart of the same job, PostgreSQL ends one of the two.
alter table jobs add failed_count int not null default 0;

update jobs j set failed_count = counted.failed
from (select job_id, count(*) as failed from deliveries where status = 'failed' group by job_id) counted
where j.id = counted.job_id;

create function count_failed() returns trigger language plpgsql as $$
begin
  update jobs set failed_count = failed_count + case new.status when 'failed' then 1 else -1 end where id = new.job_id;
  return null;
end $$;

-- From and to 'queued' thousands change in one statement (a refused image, a restart, a retry). Those statements set the
-- count themselves, once: a trigger would write the job's row for each delivery.
create trigger deliveries_failed after update of status on deliveries
  for each row when (
    (old.status = 'failed') <> (new.status = 'failed') and old.status <> 'queued' and new.status <> 'queued'
  ) execute function count_failed();
