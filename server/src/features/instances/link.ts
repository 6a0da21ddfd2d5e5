import { reasonText } from '@sendroom/contract/reasons'
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'
import type { Begin, Caller, Recheck } from '../../platform/access.ts'
import { record, recordRepeated } from '../../platform/audit.ts'
import type { Db } from '../../platform/database/connection.ts'
import { countManualSync } from '../../platform/quotas.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { entryOf } from './audit.ts'
import { type ActingInstance, findActingInstance, requestSync } from './instances.queries.ts'
import { type Deps, readStatus, requireConnection, saveFailureStatus, saveState } from './status.ts'

/** When to ask for the QR code again. */
const QR_RETRY_SECONDS = 2

const needsLogin = { status: 'NeedsLogin', linkedNumber: null } as const

/** The provider's answer may take seconds. Meanwhile the caller may have been locked, or have lost the instance. */
type Waiting = { caller: Caller; recheck: Recheck }

/** Returns the QR code to link an instance with. The provider only gives a code to an instance that is not linked. */
export async function showQr(deps: Deps, { caller, recheck }: Waiting, id: number): Promise<{ qr: string }> {
  const row = await requireActive(deps, caller, id)
  const { provider, credentials } = requireConnection(deps, row)
  const qr = await provider.qr(credentials).catch((error) => refuseToLink(deps, row, error))
  await saveState(deps, id, needsLogin)
  await requireInstance(deps, await recheck(), id)
  // The dialog asks again and again, because a code is short-lived.
  const entry = entryOf('instance.link', row, { by: 'qr' })
  await deps.db.begin((tx) => recordRepeated(tx, caller, entry))
  return { qr }
}

export async function showPairingCode(
  deps: Deps & { defaultCountry: CountryCode },
  { caller, recheck }: Waiting,
  id: number,
  phone: string,
): Promise<{ code: string }> {
  const row = await requireActive(deps, caller, id)
  const number = parsePhoneNumberFromString(phone, deps.defaultCountry)
  if (!number?.isValid()) throw new InvalidInput({ phone: 'ACCOUNT.PHONE_REQUIRED' })
  const { provider, credentials } = requireConnection(deps, row)
  const code = await provider
    .pairingCode(credentials, number.number.slice(1))
    .catch((error) => refuseToLink(deps, row, error))
  await saveState(deps, id, needsLogin)
  await requireInstance(deps, await recheck(), id)
  const entry = entryOf('instance.link', row, { by: 'code', phone: number.number })
  await deps.db.begin((tx) => recordRepeated(tx, caller, entry))
  return { code }
}

export async function logOut(deps: Deps, caller: Caller, id: number): Promise<void> {
  const row = await requireInstance(deps, caller, id)
  const { provider, credentials } = requireConnection(deps, row)
  // Before the call, since nobody can tell afterwards whether a call without an answer has unlinked the instance.
  await deps.db.begin((tx) => record(tx, caller, entryOf('instance.log_out', row)))
  await provider.logout(credentials).catch(async (error) => {
    if (!isConflict(error)) return refuse(deps, row, error)
    await saveState(deps, id, needsLogin)
    throw new Refusal('already_logged_out')
  })
  await saveState(deps, id, needsLogin)
}

/** Requests a sync of the instance's groups. Reads the status first, unless the instance is known to be connected. */
export async function requestInstanceSync(
  deps: Deps,
  begin: Begin,
  caller: Caller,
  id: number,
): Promise<void> {
  const row = await requireActive(deps, caller, id)
  // Before the look at the status: each costs a call of the provider, too.
  await begin((tx, caller) => countManualSync(tx, caller, id))
  if (!isConnected(row)) {
    await readStatus(deps, row)
    if (!isConnected(await requireInstance(deps, caller, id))) throw new Refusal('not_connected')
  }
  // The provider's answer may have taken seconds.
  await begin(async (tx, caller) => {
    const instance = await requireInstance({ db: tx }, caller, id)
    await record(tx, caller, entryOf('instance.sync', instance))
    await requestSync(tx, id)
  })
}

const isConnected = ({ status }: ActingInstance) => status === 'Connected' || status === 'Degraded'

async function requireInstance({ db }: { db: Db }, caller: Caller, id: number): Promise<ActingInstance> {
  const row = await findActingInstance(db, caller, id)
  if (!row) throw new Refusal('not_found')
  return row
}

async function requireActive(deps: Deps, caller: Caller, id: number): Promise<ActingInstance> {
  const row = await requireInstance(deps, caller, id)
  if (!row.isActive) throw new Refusal('instance_inactive')
  return row
}

const isConflict = (error: unknown) => error instanceof ProviderFailure && error.kind === 'conflict'

async function refuseToLink(deps: Deps, row: ActingInstance, error: unknown): Promise<never> {
  if (isConflict(error)) {
    await readStatus(deps, row)
    throw new Refusal('already_connected')
  }
  if (error instanceof ProviderFailure && error.kind === 'not_ready') {
    await saveState(deps, row.id, { status: 'Connecting', linkedNumber: null })
    throw new Refusal('qr_not_ready', {}, QR_RETRY_SECONDS)
  }
  return refuse(deps, row, error)
}

/** Turns the provider's failure into a refusal with its reason, for the user who made the call. */
async function refuse(deps: Deps, row: ActingInstance, error: unknown): Promise<never> {
  await saveFailureStatus(deps, row.id, error)
  if (!(error instanceof ProviderFailure)) throw error
  const wait = error.retryAfterMs === null ? null : Math.ceil(error.retryAfterMs / 1000)
  const { code, params } = error.reason
  // `reason` is English for API clients. Pages show `why` in the reader's language.
  throw new Refusal('provider_failed', { ...params, why: code, reason: reasonText(error.reason) }, wait)
}
