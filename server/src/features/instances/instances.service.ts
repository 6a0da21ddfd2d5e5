import { testTokenPrefix } from '@sendroom/contract/instance-status'
import type { Instance, InstanceChange, NewInstance } from '@sendroom/contract/instances'
import { testPace } from '@sendroom/contract/pace'
import { accountIsActive, deleteJobsOfInstance, hasUnsettled, resumeAccount } from '../../engine/index.ts'
import { type Caller, isAdmin } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { isUniqueViolation, isUnknownValue } from '../../platform/database/errors.ts'
import { omitUndefined } from '../../platform/omit-undefined.ts'
import { InvalidInput, Refusal, seen } from '../../platform/refusal.ts'
import {
  type Columns,
  deleteData,
  deleteInstance,
  findAccount,
  findInstance,
  hasJobs,
  insertInstance,
  lockInstance,
  shortenPause,
  updateInstanceColumns,
} from './instances.queries.ts'
import { type Parts, readStatus, readStatusWhileLinking } from './status.ts'
import { findSetWebhook } from './webhook.queries.ts'
import { removeWebhook } from './webhook.ts'

/** The token only for Admins: their form shows it. */
export async function getInstance(parts: Parts, caller: Caller, id: number): Promise<Instance> {
  const known = await findInstance(parts.db, caller, id)
  if (!known) throw new Refusal('not_found')
  const isStale = await readStatusWhileLinking(parts, known)
  const found = isStale ? await findInstance(parts.db, caller, id) : known
  if (!found) throw new Refusal('not_found')
  const { tokenCipher, ...instance } = found
  return isAdmin(caller) ? { ...instance, whapiToken: parts.secrets.decrypt(tokenCipher) } : instance
}

export async function createInstance(parts: Parts, caller: Caller, form: NewInstance): Promise<Instance> {
  const { whapiToken, ...fields } = form
  const token = tokenColumns(parts, whapiToken)
  const columns = { ...(token.isTest ? columnsOf(testPace) : {}), ...columnsOf(fields), ...token }
  const id = await insertInstance(parts.db, columns).catch(refusedColumns)
  await readNewStatus(parts, caller, id)
  return getInstance(parts, caller, id)
}

export async function updateInstance(
  parts: Parts,
  caller: Caller,
  id: number,
  change: InstanceChange,
): Promise<Instance> {
  const { whapiToken, ...fields } = change
  const former = await findSetWebhook(parts.db, id)
  const { isNew, hasNewToken } = await parts.db.begin(async (tx) => {
    const before = await lockInstance(tx, id)
    if (!before) throw new Refusal('not_found')
    const hasNewToken = whapiToken !== undefined && !parts.secrets.hash(whapiToken).equals(before.tokenHash)
    const token = hasNewToken ? await newToken(parts, tx, id, whapiToken) : {}
    await updateInstanceColumns(tx, id, { ...columnsOf(fields), ...token }).catch(refusedColumns)
    if (fields.groupPauseSeconds || fields.privatePauseSeconds) await shortenPause(tx, id)
    const isActivated = fields.isActive === true && !before.isActive
    if (isActivated) await accountIsActive(tx, id)
    return { hasNewToken, isNew: hasNewToken || isActivated }
  })
  if (former && hasNewToken) void removeWebhook(parts, former).catch(() => {})
  // What the former account did or suffered is not held against this one.
  if (hasNewToken) await resumeAccount(parts.db, id, caller.username)
  if (isNew) await readNewStatus(parts, caller, id)
  return getInstance(parts, caller, id)
}

/** The account may be another one now: nothing is known of its status. */
async function newToken(parts: Parts, tx: Db, id: number, whapiToken: string): Promise<Columns> {
  if (await hasUnsettled(tx, id)) throw new Refusal('token_in_use')
  const unknown = {
    status: 'Unknown',
    statusSeenAt: null,
    webhookBase: null,
    webhookTriedAt: 'epoch',
    failuresInARow: 0,
  }
  return { ...tokenColumns(parts, whapiToken), ...unknown }
}

async function readNewStatus(parts: Parts, caller: Caller, id: number): Promise<void> {
  const row = await findAccount(parts.db, caller, id)
  if (row?.isActive) await readStatus(parts, row, { wake: true })
}

/** Somebody looked into the account; one that does not wait is none the worse for it. */
export async function resumeInstance({ db }: Parts, caller: Caller, id: number): Promise<void> {
  const account = seen(await findAccount(db, caller, id))
  if (!account.isActive) throw new Refusal('instance_inactive')
  await resumeAccount(db, id, caller.username)
}

export async function removeInstance(parts: Parts, caller: Caller, id: number): Promise<void> {
  const former = await findSetWebhook(parts.db, id)
  await withoutJobs(parts, caller, id, (tx) => deleteInstance(tx, id))
  // Nobody waits for it: what is told of an account that is gone finds nobody.
  if (former) void removeWebhook(parts, former).catch(() => {})
}

export async function clearInstanceData(parts: Parts, caller: Caller, id: number): Promise<void> {
  await withoutJobs(parts, caller, id, (tx) => deleteData(tx, id))
}

/** Deletes the jobs of an account, then does this while no new one can be begun. */
async function withoutJobs(
  { db }: Parts,
  caller: Caller,
  id: number,
  task: (tx: Db) => PromiseLike<unknown>,
) {
  if (!(await findAccount(db, caller, id))) throw new Refusal('not_found')
  if ((await deleteJobsOfInstance(db, id, caller.username)) === 'busy') throw new Refusal('account_busy')
  await db.begin(async (tx) => {
    if (!(await lockInstance(tx, id))) throw new Refusal('not_found')
    if (await hasJobs(tx, id)) throw new Refusal('account_busy')
    await task(tx)
  })
}

function tokenColumns({ secrets, providers }: Parts, token: string) {
  const isTest = token.startsWith(testTokenPrefix)
  if (isTest && !providers.test) throw new Refusal('test_token_refused')
  return { tokenCipher: secrets.encrypt(token), tokenHash: secrets.hash(token), isTest }
}

/** The columns of the fields that are given. */
function columnsOf(fields: Partial<Omit<NewInstance, 'whapiToken'>>): Columns {
  const { groupPauseSeconds, privatePauseSeconds, dailyCap, quietHours, ...plain } = fields
  const ms = (seconds: number | undefined) => (seconds === undefined ? undefined : Math.round(seconds * 1000))
  return omitUndefined({
    ...plain,
    groupPauseFromMs: ms(groupPauseSeconds?.[0]),
    groupPauseToMs: ms(groupPauseSeconds?.[1]),
    privatePauseFromMs: ms(privatePauseSeconds?.[0]),
    privatePauseToMs: ms(privatePauseSeconds?.[1]),
    groupCap: dailyCap?.groups,
    privateCap: dailyCap?.private,
    quietFrom: quietHours === null ? null : quietHours?.from,
    quietTo: quietHours === null ? null : quietHours?.to,
  })
}

/** For `.catch`: what the database refuses becomes its refusal. */
function refusedColumns(error: unknown): never {
  if (isUniqueViolation(error, 'instances_token')) throw new Refusal('token_taken')
  if (isUnknownValue(error)) throw new InvalidInput({ timeZone: 'ACCOUNT_FORM.TIME_ZONE_INVALID' })
  throw error
}
