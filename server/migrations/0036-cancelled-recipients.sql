-- Works with programs from 0032 on.
--
-- Rows of cancelled jobs stay. A user who created and cancelled the largest job again and again added 750 MB a minute, so
-- recipients that were cancelled on the day of their job count as if they still waited.
create or replace function check_recipient_quotas() returns trigger language plpgsql as $$
declare
  quota quotas;
  checked text := format('%s/%s', new.created_by_user_id, new.instance_id);
begin
  -- All of a transaction's rows are there when the first of these triggers runs, so many jobs at once are counted once.
  if current_setting('sendroom.checked_quotas', true) = checked then
    return null;
  end if;
  perform set_config('sendroom.checked_quotas', checked, true);
  select * into quota from quotas;
  -- Always in this order, so that two that wait for each other don't deadlock.
  if new.created_by_user_id is not null then
    perform pg_advisory_xact_lock(29001, hashint8(new.created_by_user_id));
    if recipients_of_user(new.created_by_user_id) > quota.recipients_per_user then
      raise exception 'quota_recipients_user' using errcode = 'SRQTA', detail = quota.recipients_per_user;
    end if;
  end if;
  perform pg_advisory_xact_lock(29002, hashint8(new.instance_id));
  if (select sum(recipient_count) from jobs
      where instance_id = new.instance_id and status in ('Pending', 'Running')) > quota.recipients_per_instance then
    raise exception 'quota_recipients_account' using errcode = 'SRQTA', detail = quota.recipients_per_instance;
  end if;
  return null;
end $$;

-- The recipients that count against the quota of a user.
create function recipients_of_user(of_user bigint) returns bigint language sql stable as $$
  select
    (select coalesce(sum(recipient_count), 0) from jobs
      where created_by_user_id = of_user and status in ('Pending', 'Running'))
    + (select coalesce(sum(recipient_count), 0) from jobs
      where created_by_user_id = of_user and status = 'Cancelled' and created_at > clock_now() - interval '24 hours')
$$;
