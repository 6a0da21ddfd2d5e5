import { randomUUID } from 'node:crypto'
import type { Db, Pool } from '../../src/platform/database/connection.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { beginOptOut, optInByMessage } from '../../src/platform/opt-outs.ts'
import { retryWhileDown } from '../kill-postgres.ts'
import type { Environment } from './environment.ts'
import type { ChaosInstance } from './instances.ts'
import type { Plan } from './plan.ts'

/** The part of a chaos run that is needed here. */
type Run = {
  db: Pool
  environment: Environment
  plan: Pick<Plan, 'receipts'>
  instance: (index: number) => ChaosInstance
  saidStops: SaidStop[]
}

/** A message of a person that the provider has. */
export type SaidStop = { instanceId: number; messageId: string; chatId: string; saidAt: string }

/**
 * A person wants no more messages, or messages again. They write so to the instance. Where nobody would read it before
 * the next hour, because no server takes webhook calls, it is stored at once.
 */
export async function say(run: Run, what: 'stop' | 'start', index: number, recipient: number) {
  const instance = run.instance(index)
  const chatId = instance.addressBook.people[recipient] ?? ''
  return run.plan.receipts
    ? write(run, instance, chatId, what)
    : retryWhileDown(() => store(run.db, instance.id, chatId, what))
}

const texts = { stop: 'Dừng', start: 'Bắt đầu' }

/** The time is taken before the message. */
export async function write(
  run: Run,
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
