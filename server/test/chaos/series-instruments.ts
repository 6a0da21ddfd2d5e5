/**
 * Logs what becomes of each series, of its runs and of their jobs. With unique texts, the text of a run's job has the
 * time of the run, so the ledger shows a run that was sent twice, whatever the database says.
 */
export const SERIES_INSTRUMENTS = `
  alter table chaos.log add series_id bigint, add local_time text, add due_at timestamptz;

  create function chaos.log_series() returns trigger language plpgsql as $$
  begin
    insert into chaos.log (kind, series_id, was, became, reason)
    values ('series', new.id, case when tg_op = 'UPDATE' then old.state end, new.state, new.paused_reason->>'code');
    return null;
  end $$;
  create trigger log_new_series after insert on series for each row execute function chaos.log_series();
  create trigger log_series after update on series for each row
    when (new.state <> old.state) execute function chaos.log_series();

  create function chaos.log_run() returns trigger language plpgsql as $$
  declare
    run series_runs := coalesce(new, old);
  begin
    insert into chaos.log (kind, series_id, local_time, due_at, job_id, was, became, reason)
    values ('run', run.series_id, run.local_time, run.due_at, run.job_id, case when tg_op <> 'INSERT' then old.state end,
      case tg_op when 'DELETE' then 'deleted' else new.state end, run.reason->>'code');
    return null;
  end $$;
  create trigger log_new_run after insert or delete on series_runs for each row execute function chaos.log_run();
  create trigger log_run after update on series_runs for each row
    when (new.state <> old.state or new.due_at <> old.due_at) execute function chaos.log_run();

  create function chaos.log_job_of_run() returns trigger language plpgsql as $$
  begin
    insert into chaos.log (kind, job_id, due_at, became) values ('job of run', new.id, new.scheduled_at, new.status);
    return null;
  end $$;
  create trigger log_job_of_run after insert on jobs for each row
    when (new.name like 'Series %') execute function chaos.log_job_of_run();

  create function chaos.add_run_to_text() returns trigger language plpgsql as $$
  begin
    new.text_content = new.text_content || ' at ' || to_char(new.scheduled_at at time zone 'UTC', 'DD HH24:MI:SS.MS')
      || ' run 1';
    return new;
  end $$;
  create trigger add_run_to_text before insert on jobs for each row
    when (new.text_content like 'series %') execute function chaos.add_run_to_text();
`
