-- Works with programs from 0014 on.
--
-- How much one user and one account may take, so that nobody stops everybody else. The defaults are far above what the
-- staff of an agency needs.
create table quotas (
  only_row boolean primary key default true check (only_row),
  -- The recipients of jobs that have not ended.
  recipients_per_user int not null default 1000000 check (recipients_per_user > 0),
  recipients_per_instance int not null default 500000 check (recipients_per_instance > 0),
  -- The syncs of an account that users ask for, in 24 hours. A sync is two calls or more, and a Whapi trial has 1,000 a month.
  syncs_per_day int not null default 20 check (syncs_per_day > 0),
  -- The searches of a user that run at the same moment. More of them wait.
  searches_at_once int not null default 4 check (searches_at_once > 0),
  -- The images that a user has uploaded, as they are stored.
  image_megabytes_per_user int not null default 5000 check (image_megabytes_per_user > 0)
);
insert into quotas default values;

-- The syncs of an account that users have asked for since a time less than 24 hours ago.
create table manual_syncs (
  instance_id bigint primary key references instances (id) on delete cascade,
  since timestamptz not null default clock_now(),
  count int not null default 1
);

-- Null for what was uploaded before.
alter table images add user_id bigint references users (id) on delete set null;
create index images_user on images (user_id) include (size);

create index jobs_live_of_user on jobs (created_by_user_id) include (recipient_count)
  where status in ('Pending', 'Running');

-- Runs at the commit, however a job became Pending: created, restarted or sent to its remaining recipients. Two that
-- commit at the same moment wait for each other, and the second one's count has the first one.
create function check_recipient_quotas() returns trigger language plpgsql as $$
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
    if (select sum(recipient_count) from jobs
        where created_by_user_id = new.created_by_user_id and status in ('Pending', 'Running'))
        > quota.recipients_per_user then
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
create constraint trigger jobs_quota after insert on jobs deferrable initially deferred
  for each row when (new.status = 'Pending') execute function check_recipient_quotas();
create constraint trigger jobs_quota_again after update of status on jobs deferrable initially deferred
  for each row when (new.status = 'Pending' and old.status not in ('Pending', 'Running'))
  execute function check_recipient_quotas();
