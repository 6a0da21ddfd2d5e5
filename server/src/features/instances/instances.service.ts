import { testTokenPrefix } from '@sendroom/contract/instance-status'
import type { Instance, InstanceChange, NewInstance } from '@sendroom/contract/instances'
import { testPace, type WarmUpStep, warmUpSteps } from '@sendroom/contract/pace'
import { isMaskedToken, maskToken } from '@sendroom/contract/whapi-token'
import {
  deleteJobsOfInstance,
  forgetUploads,
  hasUnsettled,
  markInstanceActive,
  resumeSending,
} from '../../engine/index.ts'
import { type Begin, type Caller, isAdmin, requireConfirmation } from '../../platform/access.ts'
import { countApprovers } from '../../platform/approvers.ts'
import { changesOf, record } from '../../platform/audit.ts'
import { uncountSentWithoutRows } from '../../platform/count-fold.ts'
import type { Db, Tx } from '../../platform/database/connection.ts'
import { isUniqueViolation, isUnknownValue } from '../../platform/database/errors.ts'
import { forBulkWrites } from '../../platform/database/session-defaults.ts'
import { sql } from '../../platform/database/sql.ts'
import { omitUndefined } from '../../platform/omit-undefined.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { refuseIfInSeries } from '../../platform/series.ts'
import { entryOf, settingNames, settingsOf } from './audit.ts'
import {
  type ActingInstance,
  type Columns,
  countData,
  deleteData,
  deleteInstance,
  findActingInstance,
  findInstance,
  hasJobs,
  hasTokenHash,
  insertInstance,
  lockInstance,
  shortenPause,
  updateInstanceColumns,
} from './instances.queries.ts'
import { type Deps, noTestMode, readStatus, readStatusWhileLinking } from './status.ts'
import { findSetWebhook } from './webhook.queries.ts'
import { removeWebhook } from './webhook.ts'

/** For Admins, whose form has a field for the token, with the end of the token. Nobody gets the rest of it back. */
export async function getInstance(deps: Deps, caller: Caller, id: number): Promise<Instance> {
  const known = await findInstance(deps.db, caller, id)
  if (!known) throw new Refusal('not_found')
  const wasRead = await readStatusWhileLinking(deps, known)
  const found = wasRead ? await findInstance(deps.db, caller, id) : known
  if (!found) throw new Refusal('not_found')
  const { tokenCipher, ...instance } = found
  return isAdmin(caller)
    ? { ...instance, whapiToken: maskToken(deps.secrets.decrypt(tokenCipher)) }
    : instance
}

export async function createInstance(
  deps: Deps,
  begin: Begin,
  caller: Caller,
  form: NewInstance,
): Promise<Instance> {
  const { whapiToken, ...fields } = form
  const token = tokenColumns(deps, whapiToken)
  const columns = {
    ...columnsOf(token.isTest ? testPace : { warmUpStep: FIRST_STEP }),
    ...columnsOf(fields),
    ...token,
  }
  const id = await begin(async (tx, caller) => {
    await refuseTaken(deps, tx, whapiToken)
    const id = await insertInstance(tx, columns)
    await requireTwoApprovers(tx, id, fields)
    const instance = orNotFound(await findInstance(tx, caller, id))
    await record(tx, caller, entryOf('instance.create', instance, settingsOf(instance)))
    return id
  }).catch(refuseColumns)
  await readNewStatus(deps, caller, id)
  return getInstance(deps, caller, id)
}

export async function updateInstance(
  deps: Deps,
  begin: Begin,
  id: number,
  change: InstanceChange,
): Promise<Instance> {
  const { whapiToken, version, ...fields } = change
  const formerWebhook = await findSetWebhook(deps.db, id)
  const { caller, isNew, hasNewToken } = await begin(async (tx, caller) => {
    const before = orNotFound(await lockInstance(tx, id))
    requireVersion(version, before.version)
    const settings = await readSettings(tx, caller, id)
    const replacement = replacementOf(deps, before, whapiToken)
    const hasNewToken = replacement !== null
    // Whoever has stolen a session could send from an instance of their own what users believe to send from theirs.
    if (hasNewToken) requireConfirmation(caller)
    const token = hasNewToken ? await newToken(deps, tx, id, replacement) : {}
    if (fields.approval !== settings.approval) await requireTwoApprovers(tx, id, fields)
    await updateInstanceColumns(tx, id, { ...columnsOf(fields), ...token }).catch(refuseColumns)
    if (fields.groupPauseSeconds || fields.privatePauseSeconds || fields.privateSlowPauseSeconds)
      await shortenPause(tx, id)
    const isActivated = fields.isActive === true && !before.isActive
    if (isActivated) await markInstanceActive(tx, id)
    // The trouble of the former token's channel does not count against the new one.
    if (hasNewToken) await resumeSending(tx, id, caller.username)
    const instance = orNotFound(await findInstance(tx, caller, id))
    const changes = changesOf(settings, settingsOf(instance), settingNames)
    // The token itself is a secret.
    const details = { changes, tokenChanged: hasNewToken || undefined }
    await record(tx, caller, entryOf('instance.update', instance, details))
    return { caller, hasNewToken, isNew: hasNewToken || isActivated }
  })
  if (formerWebhook && hasNewToken) void removeWebhook(deps, formerWebhook).catch(() => {})
  if (isNew) await readNewStatus(deps, caller, id)
  return getInstance(deps, caller, id)
}

/** Returns the token that replaces the stored one. Null if the form has none, or repeats the stored one. */
function replacementOf(
  { secrets }: Deps,
  stored: Pick<ActingInstance, 'tokenCipher'> & { tokenHash: Buffer },
  typed: string | undefined,
): string | null {
  if (typed === undefined || hashesOf(secrets, typed).some((hash) => hash.equals(stored.tokenHash)))
    return null
  if (!isMaskedToken(typed)) return typed
  // Somebody has replaced the token since this form was read.
  if (typed !== maskToken(secrets.decrypt(stored.tokenCipher))) throw new Refusal('stale_version')
  return null
}

/** Returns the columns to reset for a new token, because it may belong to another WhatsApp account. */
async function newToken(deps: Deps, tx: Tx, id: number, whapiToken: string): Promise<Columns> {
  if (await hasUnsettled(tx, id)) throw new Refusal('token_in_use')
  await forgetUploads(tx, id)
  await refuseTaken(deps, tx, whapiToken)
  const unknown = {
    status: 'Unknown',
    statusSeenAt: null,
    webhookBase: null,
    webhookTriedAt: 'epoch',
    failuresInARow: 0,
    // A sync with the former token loses its lease.
    syncingUntil: null,
    syncDueAt: null,
  }
  return { ...tokenColumns(deps, whapiToken), ...unknown }
}

async function readNewStatus(deps: Deps, caller: Caller, id: number): Promise<void> {
  const row = await findActingInstance(deps.db, caller, id)
  if (row?.isActive) await readStatus(deps, row, { wake: true })
}

/** Resumes an instance after a user has solved its problem. No-op if the instance is not waiting. */
export async function resumeInstance(begin: Begin, id: number): Promise<void> {
  await begin(async (tx, caller) => {
    const instance = orNotFound(await findActingInstance(tx, caller, id))
    if (!instance.isActive) throw new Refusal('instance_inactive')
    await resumeSending(tx, id, caller.username)
    await record(tx, caller, entryOf('instance.resume', instance))
  })
}

export async function removeInstance(deps: Deps, begin: Begin, id: number): Promise<void> {
  const formerWebhook = await findSetWebhook(deps.db, id)
  await withoutJobs(deps, begin, id, 'instance.delete', (tx) => deleteInstance(tx, id))
  // Not awaited: if this fails, the provider's calls for the deleted instance are simply not found.
  if (formerWebhook) void removeWebhook(deps, formerWebhook).catch(() => {})
}

export async function clearInstanceData(deps: Deps, begin: Begin, id: number): Promise<void> {
  await withoutJobs(deps, begin, id, 'instance.clear', (tx) => deleteData(tx, id))
}

/** Deletes the jobs of an instance, then runs the task in a transaction in which no new job can be created. */
async function withoutJobs(
  { db }: Deps,
  begin: Begin,
  id: number,
  action: 'instance.delete' | 'instance.clear',
  task: (tx: Db) => PromiseLike<unknown>,
) {
  let isRecorded = false
  const { caller, entry } = await begin(async (tx, caller) => {
    const instance = orNotFound(await findActingInstance(tx, caller, id))
    return { caller, entry: entryOf(action, instance, { ...(await countData(tx, id)) }) }
  })
  // A single entry stands for the whole, with the first change that is committed: from then on something is gone.
  const recordOnce = async (tx: Tx) => {
    if (!isRecorded) await record(tx, caller, entry)
    isRecorded = true
  }
  if ((await deleteJobsOfInstance(db, id, caller.username, recordOnce)) === 'busy')
    throw new Refusal('account_busy')
  await begin(async (tx) => {
    await forBulkWrites(tx)
    if (!(await lockInstance(tx, id))) throw new Refusal('not_found')
    if (await hasJobs(tx, id)) throw new Refusal('account_busy')
    await refuseIfInSeries(tx, 'messages', sql`select id from messages where instance_id = ${id}`, id)
    await task(tx)
    await recordOnce(tx)
    await uncountSentWithoutRows(tx, id)
  })
}

/** The warm-up of a new account. Whoever knows that its number has been used before leaves it out in the form. */
const FIRST_STEP: WarmUpStep = warmUpSteps[0]

const readSettings = async (tx: Db, caller: Caller, id: number) =>
  settingsOf(orNotFound(await findInstance(tx, caller, id)))

/** The index does not know that two hashes of different keys are of one token. */
async function refuseTaken({ secrets: { former } }: Deps, tx: Tx, token: string): Promise<void> {
  if (former && (await hasTokenHash(tx, former.hash(token)))) throw new Refusal('token_taken')
}

function tokenColumns({ secrets, providers }: Deps, token: string) {
  const isTest = token.startsWith(testTokenPrefix)
  if (isTest && !providers.test) throw noTestMode(providers)
  return { tokenCipher: secrets.encrypt(token), tokenHash: secrets.hash(token), isTest }
}

/** The hashes that a token may be stored with: the second one until `rotate-key` is through. */
const hashesOf = ({ hash, former }: Deps['secrets'], token: string) =>
  former ? [hash(token), former.hash(token)] : [hash(token)]

/** Returns the columns of the fields that are not undefined. */
function columnsOf(fields: Partial<Omit<NewInstance, 'whapiToken'>>): Columns {
  const { groupPauseSeconds, privatePauseSeconds, privateSlowPauseSeconds, dailyCap, quietHours, ...others } =
    fields
  const { privatePerQuarterHour, privateHoursPerDay, privateDaysInARow, ...sameNamed } = others
  const ms = (seconds: number | undefined) => (seconds === undefined ? undefined : Math.round(seconds * 1000))
  return omitUndefined({
    ...sameNamed,
    groupPauseFromMs: ms(groupPauseSeconds?.[0]),
    groupPauseToMs: ms(groupPauseSeconds?.[1]),
    privatePauseFromMs: ms(privatePauseSeconds?.[0]),
    privatePauseToMs: ms(privatePauseSeconds?.[1]),
    privateSlowPauseFromMs: ms(privateSlowPauseSeconds?.[0]),
    privateSlowPauseToMs: ms(privateSlowPauseSeconds?.[1]),
    privatePerQuarter: privatePerQuarterHour,
    privateHours: privateHoursPerDay,
    privateDays: privateDaysInARow,
    groupCap: dailyCap?.groups,
    privateCap: dailyCap?.private,
    quietFrom: quietHours === null ? null : quietHours?.from,
    quietTo: quietHours === null ? null : quietHours?.to,
  })
}

/** With a single approver, nobody could approve what that user makes. */
async function requireTwoApprovers(
  tx: Db,
  id: number,
  { approval = 'never' }: Pick<InstanceChange, 'approval'>,
) {
  if (approval !== 'never' && (await countApprovers(tx, id)) < 2) throw new Refusal('approval_needs_two')
}

/** For `.catch`: turns the database's errors about wrong columns into refusals. */
function refuseColumns(error: unknown): never {
  if (isUniqueViolation(error, 'instances_token')) throw new Refusal('token_taken')
  if (isUnknownValue(error)) throw new InvalidInput({ timeZone: 'ACCOUNT_FORM.TIME_ZONE_INVALID' })
  throw error
}
