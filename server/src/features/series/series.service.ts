import { limits } from '@sendroom/contract/limits'
import type { NewJob } from '@sendroom/contract/new-jobs'
import { type NewSeries, type Series, type SeriesChange, SeriesPeople } from '@sendroom/contract/series'
import { type Begin, type Caller, lockInstanceForShare } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { isUniqueViolation } from '../../platform/database/errors.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { differing, entryOf, settingsOf } from './audit.ts'
import { requireFit } from './require-fit.ts'
import { dropRunsToCome, planAnew, planSeries, skipPassed } from './runs.queries.ts'
import {
  type Columns,
  countOpen,
  deleteSeries,
  findSeries,
  insertSeries,
  type LockedSeries,
  lockMessagesForShare,
  lockSeries,
  readChosen,
  readTurn,
  replaceSources,
  setState,
  updateSeries,
} from './series.queries.ts'

/** Whom an order is for, as the jobs read it. */
type Choice = Pick<
  NewJob,
  | 'jobType'
  | 'instanceId'
  | 'groupIds'
  | 'groupSetIds'
  | 'phoneNumbers'
  | 'contactIds'
  | 'listIds'
  | 'excludedListIds'
>

/** The jobs' rules for recipients, which hold for series, too. */
export type RecipientRules = {
  /** Throws unless the caller may send to everything and everybody that is chosen. */
  check: (tx: Db, caller: Caller, choice: Choice) => Promise<void>
  /** Those whom the choice means now. */
  freeze: (tx: Db, caller: Caller, choice: Choice) => Promise<object>
}

export const createSeries = (begin: Begin, rules: RecipientRules, body: NewSeries): Promise<Series> =>
  begin(async (tx, caller) => {
    const form = withoutOtherType(body)
    await requireSources(tx, caller, form)
    if ((await countOpen(tx, form.instanceId)) >= limits.seriesOfInstance)
      throw new Refusal('series_too_many')
    const frozen = form.isFrozen ? await rules.freeze(tx, caller, form) : null
    if (!frozen) await rules.check(tx, caller, form)
    const id = await insertSeries(tx, caller, columnsOf(form), frozen).catch(refuseTakenName)
    await replaceSources(tx, id, form)
    await planSeries(tx, id)
    const series = orNotFound(await findSeries(tx, caller, id))
    await record(tx, caller, entryOf('series.create', series, settingsOf(series)))
    return series
  })

/** Whoever changes a series becomes its author, so nobody can send with the rights of somebody else. */
export const changeSeries = (
  begin: Begin,
  rules: RecipientRules,
  id: number,
  { version, ...body }: SeriesChange,
): Promise<Series> =>
  begin(async (tx, caller) => {
    const form = withoutOtherType(body)
    const locked = orNotFound(await lockSeries(tx, caller, id))
    requireVersion(version, locked.version)
    if (locked.state === 'ended') throw new Refusal('series_ended')
    const before = orNotFound(await findSeries(tx, caller, id))
    await requireSources(tx, caller, form)
    const frozen = await freezeAgain(tx, caller, rules, locked, form)
    const { nextPosition } = await turnAfter(tx, id, form.messageIds)
    await updateSeries(tx, caller, id, { ...columnsOf(form), frozen, nextPosition }).catch(refuseTakenName)
    await replaceSources(tx, id, form)
    if (haveTimesChanged(locked, form)) await planAnew(tx, id)
    const after = orNotFound(await findSeries(tx, caller, id))
    await requireRunMessages(tx, caller, after)
    await record(tx, caller, entryOf('series.update', after, differing(before, after)))
    return after
  })

/** Recipients of the other type of job are ignored, as for a job. Nobody checks the caller's right to them. */
const withoutOtherType = (form: NewSeries): NewSeries =>
  form.jobType === 'SendToGroups'
    ? { ...form, phoneNumbers: '', contactIds: [], listIds: [], excludedListIds: [] }
    : { ...form, groupIds: [], groupSetIds: [] }

/** Frozen recipients stay as they are, unless somebody chooses others. */
async function freezeAgain(
  tx: Db,
  caller: Caller,
  rules: RecipientRules,
  locked: LockedSeries,
  form: NewSeries,
): Promise<object | null> {
  const former = { ...locked, ...(await readChosen(tx, locked.id)) }
  const isSame =
    JSON.stringify(choiceOf(former)) === JSON.stringify(choiceOf({ ...form, recipients: peopleOf(form) }))
  if (form.isFrozen && !(isSame && locked.frozen)) return rules.freeze(tx, caller, form)
  await rules.check(tx, caller, form)
  return form.isFrozen ? locked.frozen : null
}

type Chosen = Pick<SeriesChange, 'instanceId' | 'jobType' | 'groupSetIds' | 'listIds' | 'excludedListIds'>

function choiceOf({ instanceId, jobType, recipients, ...sources }: Chosen & { recipients: SeriesPeople }) {
  const { groupIds, phoneNumbers, contactIds } = recipients
  const sets = [sources.groupSetIds, sources.listIds, sources.excludedListIds, groupIds, contactIds]
  return [
    instanceId,
    jobType,
    phoneNumbers,
    ...sets.map((ids) => [...new Set(ids)].toSorted((a, b) => a - b)),
  ]
}

/** The next message stays the next one, if it is still there. */
async function turnAfter(tx: Db, id: number, messageIds: readonly number[]) {
  const turn = await readTurn(tx, id)
  const next = messageIds.indexOf(turn.messageIds[turn.nextPosition] ?? 0)
  return { nextPosition: Math.max(0, next) }
}

const haveTimesChanged = (before: LockedSeries, after: NewSeries) =>
  JSON.stringify(timesOf(before)) !== JSON.stringify(timesOf(after))

/** PostgreSQL sorts the keys of JSON, and so does this. */
const timesOf = ({ rule, quietDays, quietPolicy, instanceId }: Columns | NewSeries) => [
  sorted(rule),
  quietDays,
  quietPolicy,
  instanceId,
]

const sorted = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, of]) => [key, sorted(of)])
    : value

const peopleOf = (form: NewSeries): SeriesPeople => SeriesPeople.parse(form)

const columnsOf = (form: NewSeries): Columns => ({
  name: form.name,
  instanceId: form.instanceId,
  jobType: form.jobType,
  rule: form.rule,
  quietDays: form.quietDays,
  quietPolicy: form.quietPolicy,
  overlap: form.overlap,
  recipients: peopleOf(form),
})

/** Throws unless the caller sees the account and may use all of the messages, which must fit the recipients. */
async function requireSources(tx: Tx, caller: Caller, form: NewSeries): Promise<void> {
  const { instanceId, jobType } = form
  if (!(await lockInstanceForShare(tx, caller, instanceId)))
    throw new InvalidInput({ instanceId: 'JOB.INSTANCE_REQUIRED' })
  const ids = [...new Set(form.messageIds)]
  const messages = await lockMessagesForShare(tx, caller, ids)
  if (messages.length < ids.length) throw new InvalidInput({ messageIds: 'SERIES_FORM.MESSAGE_INVALID' })
  await requireFit(tx, jobType, messages, 'messageIds')
}

/** Throws if a run to come has a message of its own that the new author may not use, or a job could not send. */
async function requireRunMessages(tx: Tx, caller: Caller, { changedRuns, jobType }: Series): Promise<void> {
  const ids = new Set(changedRuns.map(({ message }) => message?.id ?? 0))
  const messages = await lockMessagesForShare(tx, caller, [...ids])
  if (messages.length < ids.size) throw new InvalidInput({ messageIds: 'SERIES_FORM.RUN_MESSAGES_LOST' })
  await requireFit(tx, jobType, messages, 'messageIds')
}

/** Waiting runs are skipped at once. Those to come stay, and are skipped when their time comes. */
export const pauseSeries = (begin: Begin, id: number): Promise<Series> =>
  command(begin, id, 'series.pause', async (tx, caller, { state }) => {
    if (state !== 'active') throw new Refusal('series_not_pausable')
    await setState(tx, id, 'paused', { code: 'series_paused_by', params: { user: caller.username } })
    await skipPassed(tx, id)
  })

export const resumeSeries = (begin: Begin, id: number): Promise<Series> =>
  command(begin, id, 'series.resume', async (tx, _, { state }) => {
    if (state !== 'paused') throw new Refusal('series_not_resumable')
    await skipPassed(tx, id)
    await setState(tx, id, 'active')
    await planSeries(tx, id)
  })

export const endSeries = (begin: Begin, id: number): Promise<Series> =>
  command(begin, id, 'series.end', async (tx, _, { state }) => {
    if (state === 'ended') throw new Refusal('series_ended')
    await setState(tx, id, 'ended')
    await dropRunsToCome(tx, id)
  })

const command = (
  begin: Begin,
  id: number,
  action: 'series.pause' | 'series.resume' | 'series.end',
  change: (tx: Tx, caller: Caller, series: LockedSeries) => Promise<void>,
): Promise<Series> =>
  begin(async (tx, caller) => {
    await change(tx, caller, orNotFound(await lockSeries(tx, caller, id)))
    const series = orNotFound(await findSeries(tx, caller, id))
    await record(tx, caller, entryOf(action, series))
    return series
  })

export const removeSeries = (begin: Begin, id: number): Promise<void> =>
  begin(async (tx, caller) => {
    const series = orNotFound(await lockSeries(tx, caller, id))
    await deleteSeries(tx, id)
    await record(tx, caller, entryOf('series.delete', series))
  })

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error, 'series_name') ? new Refusal('series_taken') : error
}
