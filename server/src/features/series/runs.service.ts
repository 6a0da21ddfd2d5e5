import type { RunMessage, SeriesRun } from '@sendroom/contract/series-runs'
import { type Begin, type Caller, lockAuthor } from '../../platform/access.ts'
import { type Entry, record } from '../../platform/audit.ts'
import type { Tx } from '../../platform/database/connection.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { entryOf } from './audit.ts'
import { requireFit } from './require-fit.ts'
import { findRun, isAhead, moveRunTo, setMessageOfRun, skipRunBy } from './runs.queries.ts'
import { type LockedSeries, lockMessagesForShare, lockSeries, readAuthorId } from './series.queries.ts'

/*
 * Changes of a single run that is still to come. The rule and all other runs stay.
 */

export const skipRun = (begin: Begin, id: number, runId: number): Promise<SeriesRun> =>
  begin((tx, caller) =>
    changeRun(tx, caller, id, runId, 'series.skip_run', () => skipRunBy(tx, runId, caller.username)),
  )

/** The run keeps its local time, by which it is known. */
export const moveRun = (begin: Begin, id: number, runId: number, dueAt: string): Promise<SeriesRun> =>
  begin((tx, caller) =>
    changeRun(tx, caller, id, runId, 'series.move_run', async () => {
      if (!(await isAhead(tx, dueAt))) throw new InvalidInput({ dueAt: 'SERIES_FORM.RUN_TIME_INVALID' })
      return moveRunTo(tx, runId, dueAt)
    }),
  )

/**
 * Gives a run a message of its own, or takes it away. The run still takes its turn, so that the others send what they
 * would have sent. On an account with approvals, the message has to be approved with the series.
 */
export const setRunMessage = (
  begin: Begin,
  id: number,
  runId: number,
  { messageId, version }: RunMessage,
): Promise<SeriesRun> =>
  begin(async (tx, caller) => {
    // The author is locked before the series, as when a run is made.
    const author = await lockAuthor(tx, await readAuthorId(tx, caller, id))
    return changeRun(tx, caller, id, runId, 'series.set_run_message', async (series) => {
      requireVersion(version, series.version)
      if (messageId !== null) await requireMessage(tx, [caller, author], series, messageId)
      return setMessageOfRun(tx, runId, messageId, caller)
    })
  })

/** Throws unless all of these users may use the message, which must fit the recipients. */
async function requireMessage(
  tx: Tx,
  users: (Caller | null)[],
  { jobType, authorId }: LockedSeries,
  messageId: number,
): Promise<void> {
  for (const user of users) {
    const messages = user ? await lockMessagesForShare(tx, user, [messageId]) : []
    const isAuthor = user === users.at(-1)
    if (messages.length === 0 || (isAuthor && user?.id !== authorId))
      throw new InvalidInput({ messageId: 'SERIES_FORM.RUN_MESSAGE_INVALID' })
    await requireFit(tx, jobType, messages, 'messageId')
  }
}

async function changeRun(
  tx: Tx,
  caller: Caller,
  id: number,
  runId: number,
  action: Entry['action'],
  change: (series: LockedSeries) => Promise<number>,
): Promise<SeriesRun> {
  const series = orNotFound(await lockSeries(tx, caller, id))
  const before = orNotFound(await findRun(tx, id, runId))
  if ((await change(series)) === 0) throw new Refusal('run_not_planned')
  const after = orNotFound(await findRun(tx, id, runId))
  const details = {
    run: before.localTime,
    ...(before.dueAt !== after.dueAt && { dueAt: [before.dueAt, after.dueAt] }),
    ...(before.message?.id !== after.message?.id && {
      text: after.message?.textContent,
      formerText: before.message?.textContent,
    }),
  }
  await record(tx, caller, entryOf(action, series, details))
  return after
}
