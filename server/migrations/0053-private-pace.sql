-- Works with programs from 0032 on.
--
-- The rules of the pace to people, as functions that the statement of an intent evaluates, and what they need beside
-- 0049: docs/decisions/0035-safe-pace.md. Each rule without a limit costs one comparison.

-- WhatsApp allows no new chats until then. Jobs to people wait.
alter table instances add capped_until timestamptz;
create trigger instances_notify_limits after update of capped_until, warned_until, warm_up_step on instances
  for each row when ((old.capped_until, old.warned_until, old.warm_up_step)
    is distinct from (new.capped_until, new.warned_until, new.warm_up_step))
  execute function notify_instance();

-- How many recipients were new people when the job was made. They come last. For the forecast alone.
alter table jobs add new_people_count int not null default 0;

-- The day in a time zone, since 1970, and when it begins.
create function local_day(moment timestamptz, zone text) returns int language sql stable as $$
  select (moment at time zone zone)::date - date '1970-01-01'
$$;
create function day_begins(day int, zone text) returns timestamptz language sql stable as $$
  select (date '1970-01-01' + day)::timestamp at time zone zone
$$;

-- As record_usage, by day.
create function record_day_and_forget(by_day jsonb, kind text, day int, n int) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(key, amount) filter (where amount > 0), '{}')
  from (
    select key, sum(amount) as amount
    from (
      select key, value::int as amount from jsonb_each_text(by_day) where substr(key, 2)::int >= day - 31
      union all
      select kind || day, n
    ) entry
    group by key
  ) total
$$;
create function record_day(by_day jsonb, kind text, day int, n int) returns jsonb language sql stable as $$
  select case when (by_day ->> (kind || day))::int + n > 0
    then jsonb_set(by_day, array[kind || day], to_jsonb((by_day ->> (kind || day))::int + n))
    else record_day_and_forget(by_day, kind, day, n) end
$$;

-- The times after a moment, the oldest first.
create function times_after(times timestamptz[], moment timestamptz) returns timestamptz[] language sql stable as $$
  select coalesce(array_agg(t order by t), '{}') from unnest(times) t where t > moment
$$;

-- The times of a person that still matter: those of 24 hours, and the one before.
create function person_times(times timestamptz[], moment timestamptz) returns timestamptz[] language sql stable as $$
  select coalesce(array_agg(t order by t), '{}')
  from (select t, lead(t) over (order by t) as next from unnest(times) t) each_time
  where coalesce(next, 'infinity') > moment - interval '24 hours'
$$;

-- When 15 minutes have passed since the message that the limit counts back to. Null if there are not so many.
create function quarter_free_at(times timestamptz[], per_quarter int) returns timestamptz language sql stable as $$
  select case when per_quarter > 0 then times[cardinality(times) - per_quarter + 1] + interval '15 minutes' end
$$;

-- At most so many hours of a local day contain a private message. Hours are those of `sent_by_hour`; where a day begins
-- between two of them, the hour counts for both days.
create function private_hours_free_at_if_set(usage jsonb, hours int, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when not usage ? ('p' || hour_of(moment)) and hours <= (
      select count(*) from jsonb_object_keys(usage) key
      where left(key, 1) = 'p' and to_timestamp((substr(key, 2)::bigint + 1) * 3600) > day_begins(local_day(moment, zone), zone))
    then day_begins(local_day(moment, zone) + 1, zone) end
$$;
create function private_hours_free_at(usage jsonb, hours int, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when hours > 0 then private_hours_free_at_if_set(usage, hours, zone, moment) end
$$;

-- A day of rest follows so many days in a row with 20 private messages or more.
create function rest_day_ends_if_set(by_day jsonb, days int, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when (
      select bool_and(coalesce((by_day ->> ('p' || local_day(moment, zone) - ago))::int, 0) >= 20)
      from generate_series(1, days) ago)
    then day_begins(local_day(moment, zone) + 1, zone) end
$$;
create function rest_day_ends(by_day jsonb, days int, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when days > 0 then rest_day_ends_if_set(by_day, days, zone, moment) end
$$;

-- When somebody new may be written to: at the end of WhatsApp's period where it reports a quota, else when enough of
-- those who have not answered were written to more than 30 days ago. A day counts as long as a part of it does.
create function new_people_free_at_if_set(by_day jsonb, cap int, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select day_begins(min(day) + 31, zone)
  from (
    select day, sum(n) over () as used, sum(n) over () - sum(n) over (order by day) as used_then
    from (select substr(key, 2)::int as day, value::int as n from jsonb_each_text(by_day)
          where left(key, 1) = 'n' and substr(key, 2)::int >= local_day(moment, zone) - 30) b
  ) w
  where used >= cap and used_then < cap
$$;
create function new_people_free_at(
  by_day jsonb, cap int, quota_left int, quota_until timestamptz, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case
    when quota_left is not null and quota_until > moment then case when quota_left <= 0 then quota_until end
    when cap > 0 then new_people_free_at_if_set(by_day, cap, zone, moment)
  end
$$;

-- When a person may get another message: so many in 24 hours, and so many days after the last one. May be past.
create function person_free_at(times timestamptz[], cap int, rest_days int) returns timestamptz language sql stable as $$
  select greatest(
    case when cap > 0 then times[cardinality(times) - cap + 1] + interval '24 hours' end,
    case when rest_days > 0 then times[cardinality(times)] + rest_days * interval '1 day' end)
$$;

-- Programs before this one know none of these limits. So they get no turn for a job to people of an account that has
-- one, until none of them can run any more. Later ones say in their transaction that they know.
create function refuse_turn_to_people() returns trigger language plpgsql as $$
begin
  return case when exists (
      select from instances i where i.id = new.instance_id and (
        i.private_slow_after > 0 or i.private_per_quarter > 0 or i.private_hours > 0 or i.private_days > 0
        or i.person_cap > 0 or i.person_rest_days > 0 or i.new_people_cap > 0 or i.warm_up_step is not null
        or i.new_people_left is not null or i.capped_until > clock_now()))
    then null else new end;
end $$;
create trigger jobs_refuse_turn_to_people before update of cursor on jobs
  for each row when (
    new.job_type = 'SendToUsers' and new.last_turn_at <> old.last_turn_at and new.last_turn_at <> 'epoch'
    and current_setting('sendroom.knows_limits', true) is distinct from 'true')
  execute function refuse_turn_to_people();
