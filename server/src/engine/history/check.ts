import type { Db, Pool } from '../../platform/database/connection.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { sql } from '../../platform/database/sql.ts'
import { knowsContent } from '../../platform/message-content.ts'
import { meter } from '../../platform/meter.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { type EngineDeps, type ProviderConnection, resolveProvider } from '../context.ts'
import { markHistoryUnreadable, markInstanceTrouble } from '../health/instance-status.ts'
import { finishJobs } from '../jobs/lifecycle.ts'
import { orNullAtAbort } from '../shared/abort.ts'
import { needsHistoryCheck } from '../shared/era.ts'
import { lockInstances, underLock } from '../shared/lock.ts'
import { isRunning } from '../shared/pace.ts'
import { ANY_BUT_TEXT, contentKeys } from '../shared/same-message.ts'
import { firstDueAt, jobsOf, withTheirJobs } from './jobs-of-messages.ts'
import {
  type History,
  type ListedMessage,
  matchMessages,
  type UnknownMessage,
  type UnsentDelivery,
} from './match.ts'
import { failUncertain, holdUncertainJobs, holdUnclearJobs } from './unclear.ts'
import { writeFound } from './write-found.ts'

/** An instance whose history is to be read before it sends. */
export type HistoryCheck = {
  instanceId: number
  era: string
  tokenCipher: Buffer
  isTest: boolean
  /** Whatever this database may have lost was sent after this time. Null when the instance has never sent. */
  lastIntentAt: string | null
  /** The database's clock when the check began. */
  beganAt: string
  /** This machine's clock just before that, in ms. */
  askedAt: number
}

/** A check whose worker died is repeated after this time. Two checks at once do no harm. */
const REPEAT_CHECK_MS = 60_000
/** The list begins this much earlier. It covers a provider's clock that is wrong, and costs a few messages more. */
const LIST_MARGIN_MS = 600_000

/**
 * Makes the instance send nothing before its history is read once more, if the job to be made was due before the
 * present era: the database may have lost that job, and what it sent. Call this in the transaction that makes the job,
 * before it.
 */
export const reopenCheck = (tx: Db, instanceId: number, dueAt: string) =>
  tx.run(sql`
    update instances set checked_era = null, history_check_at = 'epoch'
    where id = ${instanceId} and ${dueAt}::timestamptz <= (select history_complete_at from heartbeat)`)

/** Takes instances with something to send whose history has to be read first. */
export async function claimHistoryChecks(db: Pool, limit: number, except: number[]): Promise<HistoryCheck[]> {
  const askedAt = Date.now()
  const due = await db.many<Omit<HistoryCheck, 'askedAt'>>(sql`
    with running as materialized (
      select distinct j.instance_id from jobs j where ${isRunning} and j.paused_at is null
    ), due as materialized (
      select i.id from running join instances i on i.id = running.instance_id
      where ${needsHistoryCheck} and i.is_active and i.waiting is null and i.id <> all(${except})
        and i.history_check_at <= clock_now()
        and (select history_complete_at from heartbeat) <= clock_now()
      order by i.next_due_at
      limit ${limit}
      for no key update of i skip locked
    )
    update instances i set history_check_at = clock_now() + ${REPEAT_CHECK_MS} * interval '1 ms'
    from due where i.id = due.id
    returning i.id as instance_id, current_era() as era, i.token_cipher, i.is_test, i.last_intent_at,
      clock_now() as began_at`)
  return due.map((check) => ({ ...check, askedAt }))
}

/**
 * Reads what the instance has sent since its last intent, marks those deliveries sent, and lets it send again. Without
 * a history that can be believed it waits, as with any other trouble. Returns the jobs that have changed. A stop
 * interrupts the reading, which takes a call for each page, and another worker begins it anew.
 */
export async function checkHistory(
  deps: EngineDeps,
  check: HistoryCheck,
  stopping: AbortSignal,
): Promise<number[]> {
  const connection = resolveProvider(deps, check)
  const reading = connection && readHistory(deps, connection, check, stopping)
  const history = reading && (await orNullAtAbort(reading, stopping))
  if (stopping.aborted) {
    await releaseCheck(deps.db, check.instanceId)
    return []
  }
  if (!history) {
    await write(deps, check, stopping, (tx) => markHistoryUnreadable(tx, check.instanceId))
    return []
  }
  const changed = await write(deps, check, stopping, (tx) => conclude(tx, check, history))
  await finishJobs(deps.db, changed)
  return changed
}

const write = <T>(
  { db }: EngineDeps,
  { instanceId }: HistoryCheck,
  stopping: AbortSignal,
  work: (tx: Db) => Promise<T>,
) => underLock(db, instanceId, () => stopping.aborted, work)

/** A stop waits for no lock. A check that is not released is repeated a minute after its begin. */
const releaseCheck = (db: Pool, instanceId: number) =>
  db.run(sql`
    update instances set history_check_at = 'epoch'
    where id in (select i.id from instances i where i.id = ${instanceId} ${lockInstances('skip')})`)

/** The messages of the instance by their content. Null when the history can't be read or believed. */
async function readHistory(
  deps: EngineDeps,
  { provider, credentials }: ProviderConnection,
  check: HistoryCheck,
  stopping: AbortSignal,
): Promise<History | null> {
  const history: History = new Map()
  try {
    const { status } = await provider.status(credentials, { wake: true })
    await write(deps, check, stopping, (tx) => markInstanceTrouble(tx, check.instanceId, status))
    if (status !== 'Connected') return null
    const pages = provider.ownMessages(credentials, null, await listFrom(deps.db, check))
    for await (const { messages, clockAheadMs } of pages) {
      if (stopping.aborted) return null
      for (const message of messages) {
        if (message.fromPhone) continue
        const sentAt = message.timestamp * 1000 - clockAheadMs + databaseAheadMs(check)
        const listed = { id: message.id, chatId: message.chatId, sentAt }
        for (const content of [...contentKeys(message), ...(message.kind === 'text' ? [] : [ANY_BUT_TEXT])])
          history.set(content, (history.get(content) ?? new Map()).set(message.id, listed))
      }
    }
    return history
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return null
  }
}

/** From when on messages are listed, in unix seconds by this machine's clock. */
async function listFrom(db: Db, check: HistoryCheck): Promise<number> {
  const due = await firstDueAt(db, check.instanceId)
  const lastIntent = check.lastIntentAt === null ? 0 : Date.parse(check.lastIntentAt)
  const since = Math.min(Math.max(due.first, lastIntent), due.ofRuns)
  const from = since - databaseAheadMs(check) - LIST_MARGIN_MS
  return Math.max(0, Math.floor(from / 1000))
}

const databaseAheadMs = ({ beganAt, askedAt }: HistoryCheck) => Date.parse(beganAt) - askedAt

/**
 * Under the instance's lock, and only in the era that the history was read for: in a later one, more may be missing.
 * Returns the jobs that have changed.
 */
async function conclude(tx: Db, { instanceId, era }: HistoryCheck, history: History) {
  await forBulkWrites(tx)
  const { isCurrent } = await tx.one<{ isCurrent: boolean }>(sql`select current_era() = ${era} as is_current`)
  if (!isCurrent) {
    await tx.run(sql`update instances set history_check_at = 'epoch' where id = ${instanceId}`)
    return []
  }
  await dropMatched(tx, instanceId, history)
  const messages = await withTheirJobs(tx, instanceId, history)
  const found = matchMessages(messages, await findUnsent(tx, messages))
  const changed = found.length > 0 ? await writeFound(tx, instanceId, found) : []
  changed.push(...(await holdUnclearJobs(tx, messages)), ...(await holdUncertainJobs(tx, instanceId)))
  changed.push(...(await failUncertain(tx, instanceId, notRecognised(history, messages))))
  meter.foundInHistory(found.length)
  // The next era may begin at any moment, and its check must not wait for a repetition of this one.
  await tx.run(sql`
    update instances set checked_era = ${era}, history_check_at = 'epoch'
    where id = ${instanceId} and ${knowsContent}`)
  return [...new Set(changed)]
}

/** The messages of the history that have the content of no job. */
function notRecognised(history: History, messages: UnknownMessage[]): ListedMessage[] {
  const recognised = new Set(messages.map(({ id }) => id))
  return [...(history.get(ANY_BUT_TEXT)?.values() ?? [])].filter(({ id }) => !recognised.has(id))
}

/** Leaves the messages that no delivery is matched with. */
async function dropMatched(tx: Db, instanceId: number, history: History): Promise<void> {
  const ids = [...history.values()].flatMap((alike) => [...alike.keys()])
  const matched = await tx.many<{ id: string }>(sql`
    select provider_message_id as id from matched_messages
    where instance_id = ${instanceId} and provider_message_id = any(${ids})`)
  const known = new Set(matched.map(({ id }) => id))
  for (const [content, alike] of history) {
    for (const id of alike.keys()) if (known.has(id)) alike.delete(id)
    if (alike.size === 0) history.delete(content)
  }
}

/** Every delivery of the messages' jobs in their chats that does not count as sent. */
const findUnsent = (tx: Db, messages: UnknownMessage[]) =>
  tx.many<UnsentDelivery>(sql`
    select d.id, d.job_id, d.chat_id, d.status, extract(epoch from j.completed_at) * 1000 as ended_at,
      d.intent is not null as was_tried
    from deliveries d join jobs j on j.id = d.job_id
    where d.job_id = any(${jobsOf(messages)}) and d.chat_id = any(${messages.map(({ chatId }) => chatId)})
      and d.status <> 'sent'`)
