-- Each message asks these three. Nearly always the answer needs no look at the hours: no quiet hours, no cap, or one
-- more in an hour that is counted already. Wrappers that say so cost a tenth.

alter function quiet_until(time, time, text, timestamptz) rename to quiet_until_if_set;
create function quiet_until(quiet_from time, quiet_to time, zone text, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when quiet_from is not null then quiet_until_if_set(quiet_from, quiet_to, zone, moment) end
$$;

alter function cap_free_at(jsonb, text, int, timestamptz) rename to cap_free_at_if_set;
create function cap_free_at(spent jsonb, kind text, cap int, moment timestamptz)
returns timestamptz language sql stable as $$
  select case when cap > 0 then cap_free_at_if_set(spent, kind, cap, moment) end
$$;

alter function spend(jsonb, text, timestamptz, int) rename to spend_and_forget;
create function spend(spent jsonb, kind text, moment timestamptz, n int)
returns jsonb language sql stable as $$
  select case when (spent ->> (kind || hour_of(moment)))::int + n > 0
    then jsonb_set(spent, array[kind || hour_of(moment)], to_jsonb((spent ->> (kind || hour_of(moment)))::int + n))
    else spend_and_forget(spent, kind, moment, n) end
$$;
