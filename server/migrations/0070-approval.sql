-- Works with programs from 0032 on.
--
-- Approval: on some accounts a second person approves a job before it is sent. All of it that keeps a job from being
-- sent is here, so that programs from before, which know nothing of it, can't send one either.
-- docs/decisions/0039-approval.md.

alter table users add can_approve_jobs boolean not null default false;

alter table instances
  add approval text not null default 'never' check (approval in ('never', 'above', 'always')),
  -- With `above`: for jobs that bring their author's recipients of 24 hours above this number.
  add approval_above int not null default 100 check (approval_above > 0);

alter table jobs
  -- Null: no approval is needed, or none was when the job started.
  add review text check (review in ('in_review', 'changes_asked', 'taken_back', 'approved', 'overdue')),
  -- The content for which approval was asked, or which was approved.
  add review_hash bytea,
  -- Without an approval the job is overdue then. Null: the job is sent as soon as somebody approves it.
  add approve_by timestamptz,
  -- The user who changed, restarted or retried the job last. No reference, as ids of users are never used again.
  add edited_by_user_id bigint,
  add edited_by_user_name text,
  -- A message that somebody tries on one number. Needs no approval and counts for none.
  add is_test_send boolean not null default false;
create index jobs_in_review on jobs (approve_by) where status = 'Pending' and review <> 'approved';
create index jobs_of_editor on jobs (edited_by_user_id, instance_id) where edited_by_user_id is not null;
create index jobs_tests on jobs (created_by_user_id, instance_id) where is_test_send;

create table job_reviews (
  id bigint generated always as identity primary key,
  job_id bigint not null references jobs on delete cascade,
  at timestamptz not null default clock_now(),
  what text not null
    check (what in ('asked', 'taken_back', 'approved', 'changes_asked', 'overridden', 'voided', 'overdue')),
  -- Empty for what happened by itself.
  by_user_name text not null default '',
  words text not null default '',
  hash bytea
);
create index job_reviews_job on job_reviews (job_id, id);
create index job_reviews_new on job_reviews (at) where what in ('approved', 'overridden');

-- Recipients of jobs that have begun within 24 hours and were deleted or restarted since. They still count.
create table recent_recipients (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  instance_id bigint not null references instances on delete cascade,
  at timestamptz not null,
  recipients int not null,
  -- Whether this is a test that was deleted since.
  is_test boolean not null default false
);
create index recent_recipients_user on recent_recipients (user_id, instance_id);
create index recent_recipients_instance on recent_recipients (instance_id);

-- All that an approval binds: what is sent, to whom, from which account and when. Recipients who opt out later stay
-- among the rows, so they change nothing. A stored image never changes, so its name stands for it.
create function job_content_hash(of_job bigint) returns bytea language sql stable as $$
  select sha256(
    convert_to(jsonb_build_array(
      j.job_type, j.instance_id, extract(epoch from j.scheduled_at), j.text_content, j.is_personal, i.name)::text, 'UTF8')
    || coalesce((
      select string_agg(r.hash, ''::bytea order by r.hash)
      from (
        select sha256(convert_to(d.chat_id || coalesce(e'\n' || t.text, ''), 'UTF8')) as hash
        from deliveries d left join delivery_texts t on t.delivery_id = d.id
        where d.job_id = j.id) r), ''))
  from jobs j left join images i on i.id = j.image_id
  where j.id = of_job
$$;

-- When a job sends, as far as that is known. One that was resumed or retried sends from then on.
create function sends_at(j jobs) returns timestamptz language sql stable as $$
  select case when j.status = 'Pending' then greatest(j.scheduled_at, clock_now())
    else greatest(coalesce(j.started_at, j.scheduled_at, j.created_at), j.resumed_at) end
$$;

-- How many people the author of this test has sent tests to with the account, in 24 hours, with this one.
create function tested_within_a_day(j jobs) returns bigint language sql stable as $$
  select (
      select count(distinct d.chat_id) from jobs o join deliveries d on d.job_id = o.id
      where o.is_test_send and o.created_by_user_id = j.created_by_user_id and o.instance_id = j.instance_id
        and (o.status in ('Pending', 'Running') or o.started_at is not null)
        and sends_at(o) > clock_now() - interval '24 hours'
    ) + (
      select count(*) from recent_recipients p
      where p.user_id = j.created_by_user_id and p.instance_id = j.instance_id and p.is_test
        and p.at > clock_now() - interval '24 hours')
$$;

-- The jobs that count for a user on an account: made, or changed or sent again last, by them.
create function jobs_within_a_day(of_user bigint, of_instance bigint) returns setof jobs language sql stable as $$
  select o.* from jobs o
  where o.created_by_user_id = of_user and o.status in ('Pending', 'Running') and o.instance_id = of_instance
    and not o.is_test_send
  union all
  select o.* from jobs o
  where o.has_deliveries and o.completed_at > clock_now() - interval '24 hours' and o.created_by_user_id = of_user
    and o.instance_id = of_instance and not o.is_test_send
  union all
  select o.* from jobs o
  where o.edited_by_user_id = of_user and o.created_by_user_id is distinct from of_user and o.instance_id = of_instance
    and not o.is_test_send and (o.status in ('Pending', 'Running')
      or o.has_deliveries and o.completed_at > clock_now() - interval '24 hours')
$$;

-- The most recipients that the user's jobs on the account have in any 24 hours with this job. A cancelled job counts
-- with those who got its message.
create function recipients_within_a_day(j jobs, of_user bigint) returns bigint language sql stable as $$
  select max(w.total) from (
    select r.at, sum(r.recipients) over (
      order by r.at range between current row and interval '23:59:59.999999' following) as total
    from (
      select sends_at(j) as at, j.recipient_count::bigint as recipients
      union all
      select sends_at(o), case o.status when 'Cancelled' then (
          select coalesce(sum(c.sent), 0) from job_counts c where c.job_id = o.id) else o.recipient_count end
      from jobs_within_a_day(of_user, j.instance_id) o where o.id <> j.id
      union all
      select p.at, p.recipients from recent_recipients p
      where p.user_id = of_user and p.instance_id = j.instance_id and not p.is_test
    ) r
    where r.at > sends_at(j) - interval '24 hours' and r.at < sends_at(j) + interval '24 hours'
  ) w
  where w.at <= sends_at(j)
$$;

create function needs_approval(j jobs) returns boolean language plpgsql as $$
declare
  account record;
  users_of_job bigint[];
  one bigint;
begin
  -- A rule that begins waits for those who decide by the former one, and then finds their jobs.
  perform pg_advisory_xact_lock_shared(29005, hashint8(j.instance_id));
  select approval, approval_above into account from instances where id = j.instance_id;
  if account.approval = 'never' then
    return false;
  elsif j.is_test_send then
    -- Tests are free, but not a way to send to everybody one by one.
    return tested_within_a_day(j) > case account.approval when 'above' then greatest(20, account.approval_above) else 20 end;
  elsif account.approval = 'always' then
    return true;
  end if;
  -- Also for whoever changed it or sends it again: otherwise the jobs of others, or of those who have gone, would be
  -- free. Without both the job counts alone.
  select array_agg(distinct u order by u) into users_of_job
  from unnest(array[j.created_by_user_id, j.edited_by_user_id]) u where u is not null;
  -- Two jobs that are made at the same moment count each other: the next statement sees what was committed meanwhile.
  foreach one in array coalesce(users_of_job, '{}') loop
    perform pg_advisory_xact_lock(29004, hashtext(format('%s/%s', one, j.instance_id)));
  end loop;
  foreach one in array coalesce(users_of_job, '{}') loop
    if recipients_within_a_day(j, one) > account.approval_above then
      return true;
    end if;
  end loop;
  return j.recipient_count > account.approval_above;
end $$;

-- Without an approval the job is overdue then. Only a job that can still get a new time has one that has passed: one
-- that has begun could never be approved.
create function approval_deadline(j jobs) returns timestamptz language sql stable as $$
  select j.scheduled_at
  where j.scheduled_at > clock_now() or (j.run = 1 and j.started_at is null and not exists (
    select from deliveries d where d.job_id = j.id and d.status not in ('queued', 'skipped')))
$$;

-- Asks for an approval of what the job is now.
create function ask_approval(j jobs) returns void language plpgsql as $$
declare
  hash bytea := job_content_hash(j.id);
begin
  update jobs set status = 'Pending', review = 'in_review', review_hash = hash, approve_by = approval_deadline(j)
  where id = j.id;
  insert into job_reviews (job_id, what, by_user_name, hash)
  values (j.id, 'asked', coalesce(j.edited_by_user_name, j.created_by_user_name), hash);
end $$;

-- Decides whether the job needs an approval as it is now, and whether the one that it has still holds.
create function review_job(of_job bigint) returns void language plpgsql as $$
declare
  j jobs;
begin
  select * into j from jobs where id = of_job for no key update;
  if not found or j.status not in ('Pending', 'Running') then
    return;
  elsif j.review is null then
    if needs_approval(j) then
      perform ask_approval(j);
    end if;
    return;
  elsif job_content_hash(of_job) = j.review_hash then
    return;
  end if;
  if j.review = 'approved' then
    insert into job_reviews (job_id, what, by_user_name)
    values (of_job, 'voided', coalesce(j.edited_by_user_name, ''));
  end if;
  if needs_approval(j) then
    perform ask_approval(j);
  else
    update jobs set review = null, review_hash = null, approve_by = null where id = of_job;
  end if;
end $$;

-- Runs at the commit at the latest, however the job came to wait: created, changed, restarted, retried or resumed.
create function review_changed_job() returns trigger language plpgsql as $$
begin
  perform review_job(new.id);
  return null;
end $$;
create constraint trigger jobs_approval after insert on jobs deferrable initially deferred
  for each row when (new.status = 'Pending') execute function review_changed_job();
create constraint trigger jobs_approval_again
  after update of status, run, version, instance_id, recipient_count, scheduled_at, text_content, image_id, paused_at on jobs
  deferrable initially deferred
  for each row when (
    new.status = 'Pending' and (old.status, old.run, old.version, old.instance_id, old.recipient_count, old.scheduled_at,
      old.text_content, old.image_id) is distinct from (new.status, new.run, new.version, new.instance_id,
      new.recipient_count, new.scheduled_at, new.text_content, new.image_id)
    or new.status = 'Running' and old.paused_at is not null and new.paused_at is null)
  execute function review_changed_job();

-- A rule that begins concerns the jobs that wait, too. Their rows are locked first, as every other transaction locks
-- them before it decides.
create function review_waiting_jobs() returns trigger language plpgsql as $$
begin
  perform from jobs where instance_id = new.id and status = 'Pending' and review is null order by id for no key update;
  perform pg_advisory_xact_lock(29005, hashint8(new.id));
  perform review_job(j.id) from jobs j
  where j.instance_id = new.id and j.status = 'Pending' and j.review is null;
  return null;
end $$;
create trigger instances_approval after update of approval, approval_above on instances
  for each row when (
    (old.approval, old.approval_above) is distinct from (new.approval, new.approval_above) and new.approval <> 'never')
  execute function review_waiting_jobs();

-- Nothing is sent without a start. A job without the approval that it needs is left as it is; one that is not what was
-- approved goes back to review.
create function guard_start() returns trigger language plpgsql as $$
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
create trigger jobs_guard_start before update of status on jobs
  for each row when (old.status = 'Pending' and new.status = 'Running') execute function guard_start();

-- A job of no message is a test. Later its message may have been deleted.
create function mark_test_send() returns trigger language plpgsql as $$
begin
  new.is_test_send := new.message_id is null;
  return new;
end $$;
create trigger jobs_mark_test_send before insert on jobs for each row execute function mark_test_send();

-- A change makes a test a job like others: its text and recipients may be any then. A step of its approval is none.
create function end_test_send() returns trigger language plpgsql as $$
begin
  new.is_test_send := false;
  return new;
end $$;
create trigger jobs_end_test_send before update of version on jobs
  for each row when (
    old.is_test_send and old.version <> new.version and old.review is not distinct from new.review)
  execute function end_test_send();

create function keep_recent_test() returns trigger language plpgsql as $$
begin
  insert into recent_recipients (user_id, instance_id, at, recipients, is_test)
  select old.created_by_user_id, i.id, greatest(old.started_at, old.resumed_at), 1, true from instances i
  where i.id = old.instance_id and i.approval <> 'never'
    and greatest(old.started_at, old.resumed_at) > clock_now() - interval '24 hours'
    and exists (select from users where id = old.created_by_user_id);
  return old;
end $$;
create trigger jobs_keep_test before delete on jobs
  for each row when (old.started_at is not null and old.is_test_send) execute function keep_recent_test();

-- Recipients are kept for the author, and for the user who changed the job or sent it again. A restart counts at the
-- time of the run that it ends. Of a job that was cancelled count those who got its message.
create function keep_recent_recipients() returns trigger language plpgsql as $$
declare
  sent_at timestamptz := greatest(old.started_at, old.resumed_at);
  recipients int := case when tg_op = 'DELETE' and old.status = 'Cancelled' then (
    select coalesce(sum(c.sent), 0) from job_counts c where c.job_id = old.id) else old.recipient_count end;
begin
  delete from recent_recipients where user_id in (old.created_by_user_id, old.edited_by_user_id)
    and instance_id = old.instance_id and at <= clock_now() - interval '24 hours';
  insert into recent_recipients (user_id, instance_id, at, recipients)
  select u.id, old.instance_id, sent_at, recipients
  from instances i join users u on u.id in (old.created_by_user_id, old.edited_by_user_id)
  where i.id = old.instance_id and i.approval = 'above' and sent_at > clock_now() - interval '24 hours';
  return coalesce(new, old);
end $$;
create trigger jobs_keep_recipients before delete on jobs
  for each row when (old.started_at is not null and not old.is_test_send) execute function keep_recent_recipients();
create trigger jobs_keep_recipients_of_run before update of run on jobs
  for each row when (old.run <> new.run and old.started_at is not null and not old.is_test_send)
  execute function keep_recent_recipients();

-- An approval is for one run.
create function forget_review() returns trigger language plpgsql as $$
begin
  if old.review = 'approved' then
    insert into job_reviews (job_id, what, by_user_name) values (new.id, 'voided', coalesce(new.edited_by_user_name, ''));
  end if;
  new.review := null;
  new.review_hash := null;
  new.approve_by := null;
  return new;
end $$;
create trigger jobs_forget_review before update of run on jobs
  for each row when (old.run <> new.run) execute function forget_review();
-- Sending to the remaining recipients keeps an approval. Where none was given, it asks anew.
create trigger jobs_forget_review_of_retry before update of status on jobs
  for each row when (
    old.status in ('Completed', 'Failed', 'Cancelled') and new.status = 'Pending' and new.review <> 'approved')
  execute function forget_review();

drop trigger jobs_notify_update on jobs;
create trigger jobs_notify_update after update of status, paused_at, scheduled_at, version, review on jobs
  for each row execute function notify_job();

alter table troubles drop constraint troubles_kind_check;
alter table troubles add constraint troubles_kind_check check (kind in ('account_down', 'account_expiring',
  'job_failed', 'job_stuck', 'approval_waiting', 'approval_given', 'changes_asked', 'approval_overdue',
  'approval_overridden', 'series_approval', 'series_paused', 'series_missed', 'backup_failed', 'disk_low'));
