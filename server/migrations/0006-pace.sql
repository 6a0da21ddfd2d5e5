-- The rules of pace, where they are applied: in the statement that writes an intent, by the database's clock.

create function hour_of(moment timestamptz) returns bigint language sql immutable as $$
  select floor(extract(epoch from moment) / 3600)::bigint
$$;

-- Until when it is quiet, by the clock on the wall in that zone; null when it is not. May span midnight.
create function quiet_until(quiet_from time, quiet_to time, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case
    when quiet_from < quiet_to and wall::time >= quiet_from and wall::time < quiet_to
      then (wall::date + quiet_to) at time zone zone
    when quiet_from > quiet_to and wall::time >= quiet_from then (wall::date + 1 + quiet_to) at time zone zone
    when quiet_from > quiet_to and wall::time < quiet_to then (wall::date + quiet_to) at time zone zone
  end
  from (select moment at time zone zone as wall) w
$$;

-- 'g' for groups, 'p' for private chats: each has its own cap.
create function chat_kind(job_type text) returns text language sql immutable as $$
  select case job_type when 'SendToGroups' then 'g' else 'p' end
$$;

-- From when on one more may go; null when it may go now. A whole hour leaves the window at once, and only
-- when all of it is 24 hours old: never more than the cap in any 24 hours, up to an hour late.
create function cap_free_at(spent jsonb, kind text, cap int, moment timestamptz)
returns timestamptz language sql stable as $$
  select to_timestamp(min(hour + 25) * 3600)
  from (
    select hour, sum(n) over () as used, sum(n) over () - sum(n) over (order by hour) as used_then
    from (select substr(key, 2)::bigint as hour, value::int as n from jsonb_each_text(spent)
          where left(key, 1) = kind and substr(key, 2)::bigint >= hour_of(moment) - 24) b
  ) w
  where cap > 0 and used >= cap and used_then < cap
$$;

-- Counts n more (or fewer) in the hour of that moment, and forgets the hours that no longer matter.
create function spend(spent jsonb, kind text, moment timestamptz, n int)
returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(key, amount) filter (where amount > 0), '{}')
  from (
    select key, sum(amount) as amount
    from (
      select key, value::int as amount from jsonb_each_text(spent)
      where substr(key, 2)::bigint >= hour_of(moment) - 24
      union all
      select kind || hour_of(moment), n
    ) entry
    group by key
  ) total
$$;
