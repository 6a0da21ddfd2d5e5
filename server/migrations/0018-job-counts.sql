-- Works with programs from 0013 on.
--
-- The counts of a job's recipients by outcome, so that its page and the list of jobs need not count 100,000 deliveries. A
-- row is a change: a receipt and the sending of the next message would wait for each other if both updated one row. A
-- background job adds the rows of a job up, and leaves those of the last minute, which are the job's current rate.
create table job_counts (
  -- No reference: its check would lock the job's row with each message.
  job_id bigint not null,
  -- 'epoch' for rows that were added up.
  at timestamptz not null default clock_now(),
  sent int not null,
  failed int not null,
  skipped int not null,
  unknown int not null,
  delivered int not null,
  read int not null
);
create index job_counts_job on job_counts (job_id);
create index job_counts_new on job_counts (at, job_id) where at > 'epoch';

create function count_outcome() returns trigger language plpgsql as $$
declare
  -- Null in an insert.
  was text := coalesce(old.status, '');
begin
  insert into job_counts (job_id, sent, failed, skipped, unknown, delivered, read) values (
    new.job_id,
    (new.status = 'sent')::int - (was = 'sent')::int,
    (new.status = 'failed')::int - (was = 'failed')::int,
    (new.status = 'skipped')::int - (was = 'skipped')::int,
    (new.status = 'failed' and coalesce(new.reason->>'code', '') = 'outcome_unknown')::int
      - (was = 'failed' and coalesce(old.reason->>'code', '') = 'outcome_unknown')::int,
    (new.status = 'sent' and new.delivered_at is not null)::int - (was = 'sent' and old.delivered_at is not null)::int,
    (new.status = 'sent' and new.read_at is not null)::int - (was = 'sent' and old.read_at is not null)::int
  );
  return null;
end $$;

-- Changes between 'queued', 'sending' and 'doubt' change no count.
create trigger deliveries_outcome after update of status, delivered_at, read_at, reason on deliveries
  for each row when (
    (old.status in ('sent', 'failed', 'skipped') or new.status in ('sent', 'failed', 'skipped'))
    and (old.status, old.delivered_at is null, old.read_at is null, old.reason)
      is distinct from (new.status, new.delivered_at is null, new.read_at is null, new.reason)
  ) execute function count_outcome();
create trigger deliveries_inserted_outcome after insert on deliveries
  for each row when (new.status in ('sent', 'failed', 'skipped')) execute function count_outcome();

create function forget_counts() returns trigger language plpgsql as $$
begin
  delete from job_counts where job_id in (select id from gone);
  return null;
end $$;
create trigger jobs_forget_counts after delete on jobs
  referencing old table as gone for each statement execute function forget_counts();
