-- Works with programs from 0032 on.
--
-- A single run of a series may send another message. docs/decisions/0037-series.md and 0039-approval.md.

alter table series_runs
  -- The message of this run alone, as long as the run is to come. Null: the next one of the series.
  add message_id bigint references messages,
  -- The user who chose it, and so does not approve it. No reference, as ids of users are never used again.
  add message_by_user_id bigint,
  -- The content of the message that was approved, as `message_content_hash` gives it.
  add approved_message bytea;
create index series_runs_message on series_runs (message_id) where message_id is not null;
create index series_runs_own_message on series_runs (series_id) where message_id is not null;

create function message_content_hash(of_message bigint) returns bytea language sql stable as $$
  select sha256(convert_to(jsonb_build_array(m.text_content, m.has_variables, i.name)::text, 'UTF8'))
  from messages m left join images i on i.id = m.image_id where m.id = of_message
$$;

-- A program from before does not know this message and would send the next one of the series. It is refused, and a
-- program that knows makes the run. A run that is over lets its message go, which can be deleted then.
create function let_message_of_run_go() returns trigger language plpgsql as $$
begin
  if new.state = 'made' and new.message_id is distinct from (select message_id from jobs where id = new.job_id) then
    raise exception 'run % of a series has a message of its own', new.id;
  end if;
  new.message_id := null;
  return new;
end $$;
create trigger series_runs_let_message_go before update of state on series_runs
  for each row when (new.message_id is not null and new.state not in ('planned', 'waiting'))
  execute function let_message_of_run_go();

create or replace function change_series_of_message() returns trigger language plpgsql as $$
begin
  update series s set version = version + 1
  where s.state <> 'ended' and s.id in (
    select m.series_id from series_messages m where m.message_id = new.id
    union all
    select r.series_id from series_runs r where r.message_id = new.id);
  return null;
end $$;
