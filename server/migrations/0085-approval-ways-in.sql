-- Works with programs from 0032 on.
--
-- Closes ways past approval (0070): tests that are changed or sent to many, jobs of others that somebody edits or
-- sends again, and a rule that begins while a job is made. docs/decisions/0039-approval.md.

create index jobs_of_editor on jobs (edited_by_user_id, instance_id) where edited_by_user_id is not null;
create index jobs_tests on jobs (created_by_user_id, instance_id) where is_test_send;

-- Tests that were deleted since. The others are jobs.
alter table recent_recipients add is_test boolean not null default false;

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

create or replace function needs_approval(j jobs) returns boolean language plpgsql as $$
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
drop function recipients_within_a_day(jobs);

-- The rows come first, as others lock them before they decide.
create or replace function review_waiting_jobs() returns trigger language plpgsql as $$
begin
  perform from jobs where instance_id = new.id and status = 'Pending' and review is null order by id for no key update;
  perform pg_advisory_xact_lock(29005, hashint8(new.id));
  perform review_job(j.id) from jobs j
  where j.instance_id = new.id and j.status = 'Pending' and j.review is null;
  return null;
end $$;

-- For the author, and for whoever changed the job or sent it again.
create or replace function keep_recent_recipients() returns trigger language plpgsql as $$
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
