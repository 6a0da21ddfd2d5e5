-- Works with programs from 0032 on.
--
-- The calendar reads the first jobs and runs of each day. docs/decisions/0038-calendar.md.

-- The time of a job in the calendar, for those who see all accounts and for those who see some. The columns make the
-- indexes enough for counting.
create index jobs_calendar on jobs ((coalesce(started_at, scheduled_at, created_at)), id)
  include (instance_id, started_at, scheduled_at, created_at);
create index jobs_calendar_of_instance on jobs
  (instance_id, (coalesce(started_at, scheduled_at, created_at)), id)
  include (started_at, scheduled_at, created_at);

-- The account of the series, so that the runs of one account are found by their time. Triggers keep it.
alter table series_runs add instance_id bigint;

create function set_account_of_run() returns trigger language plpgsql as $$
begin
  new.instance_id := (select instance_id from series where id = new.series_id);
  return new;
end $$;
create trigger series_runs_account before insert on series_runs
  for each row execute function set_account_of_run();

create function move_runs() returns trigger language plpgsql as $$
begin
  update series_runs set instance_id = new.instance_id where series_id = new.id;
  return null;
end $$;
create trigger series_move_runs after update of instance_id on series
  for each row when (old.instance_id <> new.instance_id) execute function move_runs();

update series_runs r set instance_id = s.instance_id from series s where s.id = r.series_id;

-- Runs that were made are in the calendar as jobs.
create index series_runs_calendar on series_runs (due_at, id) include (instance_id) where state <> 'made';
create index series_runs_calendar_of_instance on series_runs (instance_id, due_at, id) where state <> 'made';
