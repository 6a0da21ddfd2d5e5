-- Works with programs from 0032 on.
--
-- The one trigger for each kind of statement on deliveries keeps `failed_count` and `has_failures` too. Before, a
-- trigger for each row counted single failures, the statements that fail or requeue thousands set the column
-- themselves, and another trigger set `has_failures`. Dropping these first locks both tables, so no transaction is
-- counted half by each.
drop trigger jobs_failures on jobs;
drop trigger jobs_forget_counts on jobs;
drop trigger deliveries_failed on deliveries;
drop function note_failures, count_failed, forget_counts;

-- Nothing else changes the two columns. Whoever fails a recipient locks the job's row with this, so `has_failures` is
-- exact, and the dashboard finds such jobs by its index.
create function add_failures(of_job bigint, n bigint) returns void language plpgsql as $$
begin
  perform set_config('sendroom.adds_failures', 'true', true);
  update jobs set failed_count = failed_count + n, has_failures = failed_count + n > 0 where id = of_job;
  perform set_config('sendroom.adds_failures', '', true);
end $$;

-- Programs before this one set the column, too. That is ignored, until none of them can run any more.
create function ignore_failed_count() returns trigger language plpgsql as $$
begin
  new.failed_count := old.failed_count;
  return new;
end $$;
create trigger jobs_ignore_failed_count before update of failed_count on jobs
  for each row when (current_setting('sendroom.adds_failures', true) is distinct from 'true')
  execute function ignore_failed_count();

-- As in 0037-every-number.sql, and then the failures of each job. The jobs come in the order of their ids, because two
-- statements that lock the same rows in different orders deadlock.
create or replace function count_updated_deliveries() returns trigger language plpgsql
-- The plan is the same for one row and for 100,000, and takes longer to make than to run for one. So nothing here
-- joins.
set plan_cache_mode = force_generic_plan as $$
declare
  change record;
begin
  for change in
    with versions as materialized (
      select 1 as sign, 0 as lost, job_id, instance_id, group_id, status, reason, delivered_at, read_at,
        coalesce(sent_at, intent_at) as moment
      from after where status in ('sent', 'failed', 'skipped')
      union all
      select -1, (status <> 'skipped' and id not in (select id from after where status in ('sent', 'failed')))::int,
        job_id, instance_id, group_id, status, reason, delivered_at, read_at, coalesce(sent_at, intent_at)
      from before where status in ('sent', 'failed', 'skipped')
    ), by_job as (
      insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read)
      select * from (
        select job_id, sum(sign * (status = 'sent')::int) as sent, sum(sign * (status = 'failed')::int) as failed,
          sum(sign * (status = 'skipped')::int) as skipped,
          sum(sign * (status = 'failed' and coalesce(reason->>'code', '') = 'outcome_unknown')::int) as unknown,
          sum(sign * (status = 'sent' and delivered_at is not null)::int) as delivered,
          sum(sign * (status = 'sent' and read_at is not null)::int) as read
        from versions group by job_id
      ) as changes
      where (sent, failed, skipped, unknown, delivered, read) <> (0, 0, 0, 0, 0, 0)
      returning job_id, failed
    ), by_day as (
      insert into delivery_changes (instance_id, group_id, day, sent_now, sent, delivered, read, failed)
      select * from (
        select instance_id, group_id, day_of(coalesce(moment, clock_now())),
          sum(sign * (status = 'sent')::int) as sent_now, sum((sign + lost) * (status = 'sent')::int) as sent,
          sum((sign + lost) * (delivered_at is not null)::int) as delivered,
          sum((sign + lost) * (read_at is not null)::int) as read,
          sum((sign + lost) * (status = 'failed')::int) as failed
        from versions where status <> 'skipped' group by 1, 2, 3
      ) as changes
      where (sent_now, sent, delivered, read, failed) <> (0, 0, 0, 0, 0)
    ), no_row as (
      insert into days_without_rows
      select * from (
        select instance_id, day_of(coalesce(moment, clock_now())), sum(n * (status = 'sent')::int) as sent,
          sum(n * (delivered_at is not null)::int) as delivered, sum(n * (read_at is not null)::int) as read,
          sum(n * (status = 'failed')::int) as failed
        from (select *, lost + case when moment is null then sign else 0 end as n from versions) as version
        where status <> 'skipped' and n <> 0 group by 1, 2
      ) as changes
      where (sent, delivered, read, failed) <> (0, 0, 0, 0)
    )
    select job_id, failed from by_job where failed <> 0 order by job_id
  loop
    perform add_failures(change.job_id, change.failed);
  end loop;
  return null;
end $$;

-- As in 0037-every-number.sql, and the failure of the job.
create or replace function count_inserted_delivery() returns trigger language plpgsql as $$
declare
  moment timestamptz := coalesce(new.sent_at, new.intent_at);
  day date := day_of(coalesce(moment, clock_now()));
  is_sent int := (new.status = 'sent')::int;
  is_failed int := (new.status = 'failed')::int;
  is_delivered int := (new.delivered_at is not null)::int;
  is_read int := (new.read_at is not null)::int;
begin
  insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read)
  values (new.job_id, is_sent, is_failed, (new.status = 'skipped')::int,
    is_failed * (coalesce(new.reason->>'code', '') = 'outcome_unknown')::int, is_sent * is_delivered,
    is_sent * is_read);
  if new.status = 'failed' then
    perform add_failures(new.job_id, 1);
  end if;
  if new.status <> 'skipped' then
    insert into delivery_changes (instance_id, group_id, day, sent_now, sent, delivered, read, failed)
    values (new.instance_id, new.group_id, day, is_sent, is_sent, is_delivered, is_read, is_failed);
    if moment is null then
      insert into days_without_rows values (new.instance_id, day, is_sent, is_delivered, is_read, is_failed);
    end if;
  end if;
  return null;
end $$;

-- A job takes its counts with it. Before, another trigger did that.
create or replace function count_jobs() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into count_changes
  select instance_id::text, status, sign * count(*) from touched group by instance_id, status;
  if tg_op = 'DELETE' then
    delete from job_counts where job_id in (select id from touched);
  end if;
  return null;
end $$;
