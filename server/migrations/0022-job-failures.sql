-- Works with programs from 0014 on.
--
-- Whether a recipient of the job's current run has failed, so that the dashboard finds such jobs by an index. An index on
-- failed_count itself would make each failed message write all indexes of the job's row. This column changes once.
alter table jobs add has_failures boolean not null default false;

create function note_failures() returns trigger language plpgsql as $$
begin
  new.has_failures := new.failed_count > 0;
  return new;
end $$;

create trigger jobs_failures before insert or update of failed_count on jobs
  for each row when ((new.failed_count > 0) <> new.has_failures) execute function note_failures();

-- The dashboard shows a week. Jobs that ended before keep the default.
update jobs set has_failures = true
where failed_count > 0 and (completed_at is null or completed_at > clock_now() - interval '7 days');

create index jobs_with_failures on jobs (completed_at, instance_id) where has_failures;
