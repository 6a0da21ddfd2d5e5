-- Works with programs from 0032 on.
--
-- A rule that begins decides for all jobs of a user at once. Deciding for each of them alone read all the others each
-- time: 13 s for 2,000 jobs that wait, under the account's lock. docs/decisions/0039-approval.md.

-- The user's jobs that have more recipients than this in some 24 hours, as `recipients_within_a_day` counts them for
-- one job: the first window begins with each job and sums up the next 24 hours, the second one looks back for the most.
create function jobs_above(of_user bigint, of_instance bigint, above bigint) returns setof bigint
language sql stable as $$
  select m.id
  from (
    select w.id, max(w.total) over (
      order by w.at range between interval '23:59:59.999999' preceding and current row) as most
    from (
      select r.id, r.at, sum(r.recipients) over (
        order by r.at range between current row and interval '23:59:59.999999' following) as total
      from (
        select o.id, sends_at(o) as at, case o.status when 'Cancelled' then (
            select coalesce(sum(c.sent), 0) from job_counts c where c.job_id = o.id) else o.recipient_count end as recipients
        from jobs_within_a_day(of_user, of_instance) o
        union all
        select null, p.at, p.recipients from recent_recipients p
        where p.user_id = of_user and p.instance_id = of_instance and not p.is_test
      ) r
    ) w
  ) m
  where m.id is not null and m.most > above
$$;

create or replace function review_waiting_jobs() returns trigger language plpgsql as $$
begin
  perform from jobs where instance_id = new.id and status = 'Pending' and review is null order by id for no key update;
  -- Nobody else decides meanwhile, so the locks of single users are not needed.
  perform pg_advisory_xact_lock(29005, hashint8(new.id));
  if new.approval = 'always' then
    perform review_job(j.id) from jobs j
    where j.instance_id = new.id and j.status = 'Pending' and j.review is null;
    return null;
  end if;
  perform review_job(j.id) from jobs j
  where j.instance_id = new.id and j.status = 'Pending' and j.review is null and j.is_test_send;
  perform ask_approval(j) from jobs j
  where j.instance_id = new.id and j.status = 'Pending' and j.review is null and not j.is_test_send and (
    j.recipient_count > new.approval_above or j.id in (
      select above.id
      from (
        select distinct u from jobs o, unnest(array[o.created_by_user_id, o.edited_by_user_id]) u
        where o.instance_id = new.id and o.status = 'Pending' and o.review is null and u is not null
      ) users, jobs_above(users.u, new.id, new.approval_above) above (id)));
  return null;
end $$;
