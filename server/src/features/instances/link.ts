import { reasonText } from '@sendroom/contract/reasons'
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'
import type { Caller } from '../../platform/access.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import { ProviderFailure } from '../../providers/provider.ts'
import { type AccountRow, findAccount } from './instances.queries.ts'
import { keepFailure, keepState, openLink, type Parts, readStatus } from './status.ts'

const SOON_SECONDS = 2

const needsLogin = { status: 'NeedsLogin', linkedNumber: null } as const

/** The QR code to link an account with. A code was shown, so the account is known to need it. */
export async function showQr(parts: Parts, caller: Caller, id: number): Promise<{ qr: string }> {
  const row = await requireActive(parts, caller, id)
  const { provider, account } = openLink(parts, row)
  const qr = await provider.qr(account).catch((error) => refuseToLink(parts, row, error))
  await keepState(parts, id, needsLogin)
  return { qr }
}

export async function showPairingCode(
  parts: Parts & { defaultCountry: CountryCode },
  caller: Caller,
  id: number,
  phone: string,
): Promise<{ code: string }> {
  const row = await requireActive(parts, caller, id)
  const number = parsePhoneNumberFromString(phone, parts.defaultCountry)
  if (!number?.isValid()) throw new InvalidInput({ phone: 'ACCOUNT.PHONE_REQUIRED' })
  const { provider, account } = openLink(parts, row)
  const code = await provider
    .pairingCode(account, number.number.slice(1))
    .catch((error) => refuseToLink(parts, row, error))
  await keepState(parts, id, needsLogin)
  return { code }
}

export async function logOut(parts: Parts, caller: Caller, id: number): Promise<void> {
  const row = await requireAccount(parts, caller, id)
  const { provider, account } = openLink(parts, row)
  await provider.logout(account).catch(async (error) => {
    if (!isConflict(error)) return refuse(parts, row, error)
    await keepState(parts, id, needsLogin)
    throw new Refusal('already_logged_out')
  })
  await keepState(parts, id, needsLogin)
}

/** Has the groups read; an account that is not known to be connected is looked at first. */
export async function requestGroups(parts: Parts, caller: Caller, id: number): Promise<void> {
  const row = await requireActive(parts, caller, id)
  if (!canRead(row)) {
    await readStatus(parts, row)
    if (!canRead(await requireAccount(parts, caller, id))) throw new Refusal('not_connected')
  }
  await parts.requestSync(id)
}

const canRead = ({ status }: AccountRow) => status === 'Connected' || status === 'Degraded'

async function requireAccount({ db }: Parts, caller: Caller, id: number): Promise<AccountRow> {
  const row = await findAccount(db, caller, id)
  if (!row) throw new Refusal('not_found')
  return row
}

async function requireActive(parts: Parts, caller: Caller, id: number): Promise<AccountRow> {
  const row = await requireAccount(parts, caller, id)
  if (!row.isActive) throw new Refusal('instance_inactive')
  return row
}

const isConflict = (error: unknown) => error instanceof ProviderFailure && error.kind === 'conflict'

async function refuseToLink(parts: Parts, row: AccountRow, error: unknown): Promise<never> {
  if (isConflict(error)) {
    await readStatus(parts, row)
    throw new Refusal('already_connected')
  }
  if (error instanceof ProviderFailure && error.kind === 'not_ready') {
    await keepState(parts, row.id, { status: 'Connecting', linkedNumber: null })
    throw new Refusal('qr_not_ready', {}, SOON_SECONDS)
  }
  return refuse(parts, row, error)
}

/** What the provider's failure means to whoever asked, in plain words. */
async function refuse(parts: Parts, row: AccountRow, error: unknown): Promise<never> {
  await keepFailure(parts, row.id, error)
  if (!(error instanceof ProviderFailure)) throw error
  const wait = error.retryAfterMs === null ? null : Math.ceil(error.retryAfterMs / 1000)
  const { code, params } = error.reason
  // In English for programs; pages say the `why` in the reader's language.
  throw new Refusal('provider_failed', { ...params, why: code, reason: reasonText(error.reason) }, wait)
}
