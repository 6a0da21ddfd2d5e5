-- Works with programs from 0032 on.
--
-- A statement adds one row to `job_counts` for each job whose outcomes it changes. Before, it added one for each recipient:
-- a cancel of 100,000 recipients left 100,000 rows, and every list with the job read them until they were added up.
create function count_outcomes() returns trigger language plpgsql
-- The plan is the same for one row and for 100,000, and takes longer to make than to run for one.
set plan_cache_mode = force_generic_plan as $$
begin
  insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read)
  select * from (
    select job_id, sum(n * (status = 'sent')::int) as sent, sum(n * (status = 'failed')::int) as failed,
      sum(n * (status = 'skipped')::int) as skipped,
      sum(n * (status = 'failed' and coalesce(reason->>'code', '') = 'outcome_unknown')::int) as unknown,
      sum(n * (status = 'sent' and delivered_at is not null)::int) as delivered,
      sum(n * (status = 'sent' and read_at is not null)::int) as read
    from (
      select 1 as n, job_id, status, reason, delivered_at, read_at from after
      union all
      select -1, job_id, status, reason, delivered_at, read_at from before
    ) as versions
    where status in ('sent', 'failed', 'skipped')
    group by job_id
  ) as changes
  where (sent, failed, skipped, unknown, delivered, read) <> (0, 0, 0, 0, 0, 0);
  return null;
end $$;

drop trigger deliveries_outcome on deliveries;
create trigger deliveries_outcomes after update on deliveries
  referencing old table as before new table as after for each statement execute function count_outcomes();
