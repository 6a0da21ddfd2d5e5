-- Works with programs from 0032 on.
--
-- Approval (0070): tests that become jobs, the rest of a job that is due without an approval, and what counts for an
-- author's number.

-- A test goes to one number. With more people it is a job.
create function unmark_test_send() returns trigger language plpgsql as $$
begin
  new.is_test_send := false;
  return new;
end $$;
create trigger jobs_unmark_test_send before update of recipient_count on jobs
  for each row when (old.is_test_send and new.recipient_count > 1) execute function unmark_test_send();

-- Without an approval the job is overdue then. Only a job that can still get a new time has one that has passed: one
-- that has begun could never be approved.
create function approval_deadline(j jobs) returns timestamptz language sql stable as $$
  select j.scheduled_at
  where j.scheduled_at > clock_now() or (j.run = 1 and j.started_at is null and not exists (
    select from deliveries d where d.job_id = j.id and d.status not in ('queued', 'skipped')))
$$;

create or replace function ask_approval(j jobs) returns void language plpgsql as $$
declare
  hash bytea := job_content_hash(j.id);
begin
  update jobs set status = 'Pending', review = 'in_review', review_hash = hash, approve_by = approval_deadline(j)
  where id = j.id;
  insert into job_reviews (job_id, what, by_user_name, hash)
  values (j.id, 'asked', coalesce(j.edited_by_user_name, j.created_by_user_name), hash);
end $$;

create or replace function guard_start() returns trigger language plpgsql as $$
begin
  if new.review is null and (new.is_test_send or not exists (
      select from instances where id = new.instance_id and approval = 'always')) then
    return new;
  elsif new.review <> 'approved' then
    return null;
  elsif new.review = 'approved' and new.review_hash = job_content_hash(new.id) then
    return new;
  end if;
  if new.review = 'approved' then
    insert into job_reviews (job_id, what) values (new.id, 'voided');
  end if;
  new.status := old.status;
  new.started_at := old.started_at;
  new.review := 'in_review';
  new.review_hash := job_content_hash(new.id);
  new.approve_by := approval_deadline(old);
  insert into job_reviews (job_id, what, by_user_name, hash)
  values (new.id, 'asked', coalesce(new.edited_by_user_name, new.created_by_user_name), new.review_hash);
  return new;
end $$;

-- Sending to the remaining recipients keeps an approval. Where none was given, it asks anew.
create trigger jobs_forget_review_of_retry before update of status on jobs
  for each row when (
    old.status in ('Completed', 'Failed', 'Cancelled') and new.status = 'Pending' and new.review <> 'approved')
  execute function forget_review();

-- The rows are locked first, as every other transaction locks them before the number of an author.
create or replace function review_waiting_jobs() returns trigger language plpgsql as $$
begin
  perform from jobs where instance_id = new.id and status = 'Pending' and review is null order by id for no key update;
  perform review_job(j.id) from jobs j
  where j.instance_id = new.id and j.status = 'Pending' and j.review is null;
  return null;
end $$;

-- A restart counts at the time of the run that it ends. Of a job that was cancelled count those who got its message.
create or replace function keep_recent_recipients() returns trigger language plpgsql as $$
declare
  sent_at timestamptz := greatest(old.started_at, old.resumed_at);
  recipients int := case when tg_op = 'DELETE' and old.status = 'Cancelled' then (
    select coalesce(sum(c.sent), 0) from job_counts c where c.job_id = old.id) else old.recipient_count end;
begin
  delete from recent_recipients where user_id = old.created_by_user_id and instance_id = old.instance_id
    and at <= clock_now() - interval '24 hours';
  insert into recent_recipients (user_id, instance_id, at, recipients)
  select old.created_by_user_id, old.instance_id, sent_at, recipients
  from instances i where i.id = old.instance_id and i.approval = 'above'
    and exists (select from users where id = old.created_by_user_id)
    and sent_at > clock_now() - interval '24 hours';
  return coalesce(new, old);
end $$;
