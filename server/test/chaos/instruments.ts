import type { Db, Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import type { FastTime } from './fast-time.ts'
import { OPT_OUT_INSTRUMENTS } from './opt-out-instruments.ts'
import { SERIES_INSTRUMENTS } from './series-instruments.ts'

/**
 * Adds the schema `chaos`: a clock that runs fast and can be shifted, and a log of all changes. Triggers write the log
 * in the transaction of the change, so it has the true order.
 */
export async function addInstruments(db: Pool, { originMs, speed }: FastTime): Promise<void> {
  await db.script(`
    create schema chaos;
    create table chaos.clock (origin timestamptz not null, speed float8 not null, ahead interval not null);
    insert into chaos.clock values (to_timestamp(${originMs} / 1000.0), ${speed}, '0');
    create or replace function clock_now() returns timestamptz language sql stable as
      'select origin + (now() - origin) * speed + ahead from chaos.clock';

    create table chaos.log (
      id bigint generated always as identity primary key,
      at timestamptz not null default clock_now(),
      -- A clock that runs as fast, but is never shifted.
      true_ms float8 not null default extract(epoch from now()) * 1000 * ${speed},
      -- The application name of the process that made the change.
      actor text not null default current_setting('application_name'),
      kind text not null,
      instance_id bigint, job_id bigint, run int, delivery_id bigint, chat_id text,
      was text, became text, provider_message_id text, reason text
    );
    create index on chaos.log (id) where became = 'sending';

    create function chaos.log_instance() returns trigger language plpgsql as $$
    begin
      if new.claim is distinct from old.claim then
        insert into chaos.log (kind, instance_id, was, became) values ('claim', new.id, old.claim, new.claim);
      end if;
      if new.waiting is distinct from old.waiting then
        insert into chaos.log (kind, instance_id, was, became)
        values ('waiting', new.id, old.waiting->>'code', new.waiting->>'code');
      end if;
      if new.restricted_until is distinct from old.restricted_until then
        insert into chaos.log (kind, instance_id, was, became)
        values ('restricted', new.id, old.restricted_until, new.restricted_until);
      end if;
      return null;
    end $$;
    create trigger log_instance after update on instances for each row
      when (new.claim is distinct from old.claim or new.waiting is distinct from old.waiting
        or new.restricted_until is distinct from old.restricted_until)
      execute function chaos.log_instance();

    -- The beginning of an era, and when the engine knows what an instance sent before that.
    create function chaos.log_era() returns trigger language plpgsql as $$
    begin
      insert into chaos.log (kind, became) values ('era', new.era);
      return null;
    end $$;
    create trigger log_era after update on heartbeat for each row
      when (new.era <> old.era) execute function chaos.log_era();
    create function chaos.log_checked_era() returns trigger language plpgsql as $$
    begin
      insert into chaos.log (kind, instance_id, was, became)
      values ('checked', new.id, old.checked_era, new.checked_era);
      return null;
    end $$;
    create trigger log_checked_era after update on instances for each row
      when (new.checked_era is distinct from old.checked_era) execute function chaos.log_checked_era();

    create function chaos.log_delivery() returns trigger language plpgsql as $$
    begin
      -- The clock may be shifted while a statement waits for a lock. The statement still decides by the time of its
      -- start, which intent_at holds.
      insert into chaos.log (at, kind, instance_id, job_id, run, delivery_id, chat_id, was, became, provider_message_id, reason)
      select case when new.status = 'sending' then new.intent_at else clock_now() end,
        'delivery', new.instance_id, new.job_id, j.run, new.id, new.chat_id, old.status, new.status,
        new.provider_message_id, new.reason->>'code'
      from jobs j where j.id = new.job_id;
      return null;
    end $$;
    create trigger log_delivery after update on deliveries for each row
      when (new.status <> old.status or new.provider_message_id is distinct from old.provider_message_id)
      execute function chaos.log_delivery();

    -- Logs only what must never happen: within one attempt a time moves back or disappears, a count shrinks, or a
    -- delivered message fails.
    create function chaos.log_receipt() returns trigger language plpgsql as $$
    begin
      insert into chaos.log (kind, instance_id, job_id, delivery_id, chat_id, was, became, provider_message_id)
      values ('receipt', new.instance_id, new.job_id, new.id, new.chat_id,
        concat_ws(' ', old.status, old.delivered_at, old.read_at, old.delivered_members, old.read_members),
        concat_ws(' ', new.status, new.delivered_at, new.read_at, new.delivered_members, new.read_members),
        new.provider_message_id);
      return null;
    end $$;
    create trigger log_receipt after update on deliveries for each row
      when (new.intent = old.intent and new.provider_message_id = old.provider_message_id and (
        coalesce(new.delivered_at > old.delivered_at, old.delivered_at is not null and new.delivered_at is null)
        or coalesce(new.read_at > old.read_at, old.read_at is not null and new.read_at is null)
        or new.delivered_members < old.delivered_members or new.read_members < old.read_members
        or old.delivered_at is not null and new.status = 'failed'))
      execute function chaos.log_receipt();

    create function chaos.log_job() returns trigger language plpgsql as $$
    begin
      insert into chaos.log (kind, instance_id, job_id, run, was, became)
      values ('job', new.instance_id, new.id, new.run,
        old.status || case when old.paused_at is null then '' else ' paused' end,
        new.status || case when new.paused_at is null then '' else ' paused' end);
      return null;
    end $$;
    create trigger log_job after update on jobs for each row
      when (new.status <> old.status or new.run <> old.run or new.paused_at is distinct from old.paused_at)
      execute function chaos.log_job();

    create function chaos.log_deleted_job() returns trigger language plpgsql as $$
    begin
      insert into chaos.log (kind, instance_id, job_id, run, was, became)
      values ('job', old.instance_id, old.id, old.run, old.status, 'deleted');
      return null;
    end $$;
    create trigger log_deleted_job after delete on jobs for each row execute function chaos.log_deleted_job();

    -- A restart turns the text 'job 3 run 1' into 'job 3 run 2', and so each recipient's own.
    create function chaos.renumber_text() returns trigger language plpgsql as $$
    begin
      new.text_content = regexp_replace(old.text_content, ' run ' || old.run || '$', ' run ' || new.run);
      update delivery_texts set text = regexp_replace(text, ' run ' || old.run || '$', ' run ' || new.run)
      where delivery_id in (select id from deliveries where job_id = new.id);
      return new;
    end $$;
    create trigger renumber_text before update on jobs for each row
      when (new.run <> old.run) execute function chaos.renumber_text();
    ${OPT_OUT_INSTRUMENTS}
    ${SERIES_INSTRUMENTS}
  `)
}

type LogKind =
  | ('claim' | 'waiting' | 'restricted' | 'era' | 'checked' | 'delivery' | 'receipt' | 'job')
  | ('opt-out' | 'ignored opt-out')
  | ('series' | 'run' | 'job of run')

/** A row of chaos.log. */
export type LogEntry = {
  id: number
  at: string
  trueMs: number
  actor: string
  kind: LogKind
  instanceId: number
  jobId: number | null
  /** The job run. */
  run: number | null
  deliveryId: number | null
  chatId: string | null
  /** These three belong to a series and its runs. */
  seriesId: number | null
  localTime: string | null
  dueAt: string | null
  was: string | null
  became: string | null
  providerMessageId: string | null
  reason: string | null
}

export const readLog = (db: Pool) => db.many<LogEntry>(sql`select * from chaos.log order by id`)

/**
 * Runs the task if no message is being sent or in doubt, and keeps new sends from starting meanwhile. Returns whether
 * the task ran. Look-ups draw conclusions from elapsed time, so no clock may jump while they need it. Nor may it within
 * the transaction that makes a run, or the log would have the wrong time.
 */
export const whileIdle = (db: Pool, task: (tx: Db) => Promise<unknown>): Promise<boolean> =>
  db.begin(async (tx) => {
    await tx.run(sql`select from series order by id for update`)
    const instances = await tx.many<{ inFlight: number | null }>(
      sql`select in_flight from instances order by id for update`,
    )
    const unsettled = await tx.run(sql`select from deliveries where status in ('sending', 'doubt') limit 1`)
    if (unsettled > 0 || instances.some(({ inFlight }) => inFlight !== null)) return false
    await task(tx)
    return true
  })

/** Shifts the clock forward if nothing is being sent. Returns whether the clock was shifted. */
export const shiftIdleClock = (db: Pool, seconds: number) => whileIdle(db, (tx) => shiftClock(tx, seconds))

/**
 * Shifts the clock at once, forward or back, even while messages are being sent. The heartbeat goes with it, as if the
 * workers had been alive all the time.
 */
export const shiftClock = (db: Db, seconds: number) =>
  db.run(sql`
    with shifted as (
      update chaos.clock set ahead = ahead + make_interval(secs => ${seconds})
    )
    update heartbeat set beat_at = beat_at + make_interval(secs => ${seconds})`)
