-- The rules of pace. They are functions, because the statement that writes an intent applies them by the database's
-- clock.
--
-- Every message calls quiet_until, cap_free_at and record_usage, and the answer is nearly always simple: no quiet hours,
-- no cap, or one more message in an hour that has a count already. So each of the three handles the simple case itself
-- and leaves the rest to a second function. That saves a tenth of the time.

create function hour_of(moment timestamptz) returns bigint language sql immutable as $$
  select floor(extract(epoch from moment) / 3600)::bigint
$$;

-- 'g' for groups, 'p' for private chats: each kind has its own cap.
create function chat_kind(job_type text) returns text language sql immutable as $$
  select case job_type when 'SendToGroups' then 'g' else 'p' end
$$;

-- Returns the end of the current quiet hours, or null outside of them. They follow the local time of the zone, and may
-- span midnight.
create function quiet_until_if_set(quiet_from time, quiet_to time, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case
    when quiet_from < quiet_to and wall::time >= quiet_from and wall::time < quiet_to
      then (wall::date + quiet_to) at time zone zone
    when quiet_from > quiet_to and wall::time >= quiet_from then (wall::date + 1 + quiet_to) at time zone zone
    when quiet_from > quiet_to and wall::time < quiet_to then (wall::date + quiet_to) at time zone zone
  end
  from (select moment at time zone zone as wall) w
$$;

create function quiet_until(quiet_from time, quiet_to time, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when quiet_from is not null then quiet_until_if_set(quiet_from, quiet_to, zone, moment) end
$$;

-- Returns when one more message may go, or null if it may go now. `usage` is instances.sent_by_hour. An hour leaves the
-- window as a whole, when all of it is 24 hours old: never more than the cap in any 24 hours, up to an hour late.
create function cap_free_at_if_set(usage jsonb, kind text, cap int, moment timestamptz)
returns timestamptz language sql stable as $$
  select to_timestamp(min(hour + 25) * 3600)
  from (
    select hour, sum(n) over () as used, sum(n) over () - sum(n) over (order by hour) as used_then
    from (select substr(key, 2)::bigint as hour, value::int as n from jsonb_each_text(usage)
          where left(key, 1) = kind and substr(key, 2)::bigint >= hour_of(moment) - 24) b
  ) w
  where cap > 0 and used >= cap and used_then < cap
$$;

create function cap_free_at(usage jsonb, kind text, cap int, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when cap > 0 then cap_free_at_if_set(usage, kind, cap, moment) end
$$;

-- Adds n (which may be negative) to the hour of that moment, and forgets the hours that no longer matter.
create function record_usage_and_forget(usage jsonb, kind text, moment timestamptz, n int)
returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(key, amount) filter (where amount > 0), '{}')
  from (
    select key, sum(amount) as amount
    from (
      select key, value::int as amount from jsonb_each_text(usage)
      where substr(key, 2)::bigint >= hour_of(moment) - 24
      union all
      select kind || hour_of(moment), n
    ) entry
    group by key
  ) total
$$;

create function record_usage(usage jsonb, kind text, moment timestamptz, n int)
returns jsonb language sql stable as $$
  select case when (usage ->> (kind || hour_of(moment)))::int + n > 0
    then jsonb_set(usage, array[kind || hour_of(moment)], to_jsonb((usage ->> (kind || hour_of(moment)))::int + n))
    else record_usage_and_forget(usage, kind, moment, n) end
$$;
