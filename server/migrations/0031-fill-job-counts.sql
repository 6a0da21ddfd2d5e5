-- Works with programs from 0013 on.
--
-- Counts the recipients from before 0018-job-counts.sql. This is a file of its own, because that one locks the deliveries.
-- Each statement sees the rows and the changes of one moment, so programs may write meanwhile. Where nothing is missing,
-- nothing is added. A job that is deleted meanwhile may leave a row that nobody reads.

-- The failed recipients of a job have a reason. Only programs before 0018 left some without, so these are few.
update deliveries set reason = '{"code": "interrupted", "params": {}}' where status = 'failed' and reason is null;

insert into job_counts
select job_id, 'epoch', sum(sent), sum(failed), sum(skipped), sum(unknown), sum(delivered), sum(read)
from (
  select job_id, (status = 'sent')::int as sent, (status = 'failed')::int as failed, (status = 'skipped')::int as skipped,
    (status = 'failed' and coalesce(reason->>'code', '') = 'outcome_unknown')::int as unknown,
    (status = 'sent' and delivered_at is not null)::int as delivered, (status = 'sent' and read_at is not null)::int as read
  from deliveries
  where status in ('sent', 'failed', 'skipped') and job_id not in (select id from jobs where final_counts is not null)
  union all
  select id, (final_counts->>'sent')::int, (final_counts->>'failed')::int, (final_counts->>'skipped')::int,
    (final_counts->>'unknown')::int, (final_counts->>'delivered')::int, (final_counts->>'read')::int
  from jobs where final_counts is not null
  union all
  select job_id, -sent, -failed, -skipped, -unknown, -delivered, -read from job_counts
) as missing
group by job_id
having (sum(sent), sum(failed), sum(skipped), sum(unknown), sum(delivered), sum(read)) <> (0, 0, 0, 0, 0, 0);
