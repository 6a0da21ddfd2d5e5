-- Works with programs from 0032 on.
--
-- Takes one off each of these entries of `sent_by_day`. Its day is that of the account's time zone. If the zone was
-- changed since, the day has another number, at most two away: then the nearest day that has an entry gives it.
create function take_back(by_day jsonb, entries text[]) returns jsonb language plpgsql immutable as $$
declare
  entry text;
  counted text;
begin
  foreach entry in array entries loop
    select key into counted
    from jsonb_object_keys(by_day) key, abs(substr(key, 2)::int - substr(entry, 2)::int) as days
    where left(key, 1) = left(entry, 1) and days <= 2
    order by days limit 1;
    by_day := case
      when counted is null then by_day
      when (by_day ->> counted)::int > 1 then jsonb_set(by_day, array[counted], to_jsonb((by_day ->> counted)::int - 1))
      else by_day - counted end;
  end loop;
  return by_day;
end $$;

-- A day ahead, such as after the clock was wrong, deletes nothing that still counts.
create or replace function record_day_and_forget(by_day jsonb, kind text, day int, n int) returns jsonb
language sql stable as $$
  select coalesce(jsonb_object_agg(key, amount) filter (where amount > 0), '{}')
  from (
    select key, sum(amount) as amount
    from (
      select key, value::int as amount from jsonb_each_text(by_day)
      where substr(key, 2)::int >= least(day, local_day(clock_now(), 'UTC') + 1) - 32
      union all
      select kind || day, n
    ) entry
    group by key
  ) total
$$;
