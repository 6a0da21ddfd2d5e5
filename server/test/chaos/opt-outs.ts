import { randomUUID } from 'node:crypto'
import type { Db, Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { beginOptOut, optInByMessage } from '../../src/platform/opt-outs.ts'
import { retryWhileDown } from '../kill-postgres.ts'
import type { ChaosRun } from './chaos-run.ts'
import type { ChaosInstance } from './instances.ts'

/** A message of a person that the provider has. */
export type SaidStop = { instanceId: number; messageId: string; chatId: string; saidAt: string }

/**
 * A person wants no more messages, or messages again. They write so to the instance. Where nobody would read it before
 * the next hour, because no server takes webhook calls, it is stored at once.
 */
export async function say(run: ChaosRun, what: 'stop' | 'start', index: number, recipient: number) {
  const instance = run.instance(index)
  const chatId = instance.addressBook.people[recipient] ?? ''
  return run.plan.receipts
    ? write(run, instance, chatId, what)
    : retryWhileDown(() => store(run.db, instance.id, chatId, what))
}

const texts = { stop: 'Dừng', start: 'Bắt đầu' }

/** The time is taken before the message. */
export async function write(
  run: ChaosRun,
  { id: instanceId, token }: Pick<ChaosInstance, 'id' | 'token'>,
  chatId: string,
  what: 'stop' | 'start',
): Promise<void> {
  const saidAt = await retryWhileDown(() => now(run.db))
  const { id: messageId } = await run.environment.simulator.receive(token, phoneOf(chatId), texts[what])
  if (what === 'stop') run.saidStops.push({ instanceId, messageId, chatId, saidAt })
}

export const store = (db: Pool, instanceId: number, chatId: string, what: 'stop' | 'start') =>
  db.begin(async (tx) => {
    const identities = [{ kind: 'phone', value: phoneOf(chatId) }] as const
    const message = { instanceId, providerMessageId: randomUUID(), saidAt: await now(tx) }
    if (what === 'start') await optInByMessage(tx, identities, message)
    else await beginOptOut(tx, { identities, ...message, words: texts.stop, by: null })
  })

const phoneOf = (chatId: string) => chatId.split('@')[0] ?? ''

const now = async (db: Db) => (await db.one<{ at: string }>(sql`select clock_now() as at`)).at

/**
 * Logs who opts out and in, and each intent for somebody who had opted out: `ignored opt-out`.
 *
 * The first trigger runs once the row of the delivery is locked, before the engine's own trigger: PostgreSQL calls them
 * by their names. So the engine, which has waited for all its locks by then, could see each opt-out that is noted. The
 * second trigger runs at the end of the statement. An opt-out that is still there then stood all the time in between.
 * So an intent that is logged ignored it, whatever the order of the commits.
 */
export const OPT_OUT_INSTRUMENTS = `
  create table chaos.noted (intent uuid not null, opt_out_id bigint not null);

  create function chaos.note_opt_outs() returns trigger language plpgsql as $$
  begin
    insert into chaos.noted
    select new.intent, o.opt_out_id from opted_out o
    where o.value = split_part(new.chat_id, '@', 1) and coalesce(o.instance_id, new.instance_id) = new.instance_id;
    return new;
  end $$;
  create trigger chaos_note_opt_outs before update on deliveries for each row
    when (old.status <> 'sending' and new.status = 'sending') execute function chaos.note_opt_outs();

  create function chaos.log_ignored_opt_out() returns trigger language plpgsql as $$
  begin
    insert into chaos.log (kind, instance_id, job_id, delivery_id, chat_id)
    select distinct 'ignored opt-out', new.instance_id, new.job_id, new.id, new.chat_id
    from chaos.noted n join opted_out o on o.opt_out_id = n.opt_out_id
    where n.intent = new.intent and o.value = split_part(new.chat_id, '@', 1);
    return null;
  end $$;
  create trigger log_ignored_opt_out after update on deliveries for each row
    when (old.status <> 'sending' and new.status = 'sending') execute function chaos.log_ignored_opt_out();

  create function chaos.log_opt_out() returns trigger language plpgsql as $$
  begin
    insert into chaos.log (kind, instance_id, chat_id, became)
    values ('opt-out', coalesce(new.instance_id, old.instance_id, 0),
      coalesce(new.value, old.value) || '@s.whatsapp.net', case tg_op when 'INSERT' then 'out' else 'in' end);
    return null;
  end $$;
  create trigger log_opt_out after insert or delete on opted_out for each row execute function chaos.log_opt_out();
`
