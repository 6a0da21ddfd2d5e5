import { limits } from '@sendroom/contract/limits'
import type { NewNumberChecks, NumberCheckPreview, Queued } from '@sendroom/contract/number-checks'
import { reasonText } from '@sendroom/contract/reasons'
import type { CountryCode } from 'libphonenumber-js'
import { type Begin, type Caller, lockInstanceForShare } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import { selectedBy } from '../../platform/contacts/filter.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import { join } from '../../platform/database/sql.ts'
import type { HeavyRequest, HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { type PhoneNumbers, readPhoneList } from '../../platform/phone-numbers.ts'
import { InvalidInput, orNotFound, Refusal } from '../../platform/refusal.ts'
import { ProviderFailure, providerOf } from '../../providers/provider.ts'
import type { CheckDeps } from './check-numbers.ts'
import {
  type CheckingInstance,
  countWaiting,
  findCheckingInstance,
  numbersOf,
  queueNumbers,
  stopChecks,
  typedNumbers,
} from './number-checks.queries.ts'

export type RequestDeps = CheckDeps & { heavyWork: HeavyWork; defaultCountry: CountryCode }

/** Queues typed numbers and those of contacts. They are checked one by one: see `check-numbers.ts`. */
export async function requestChecks(
  deps: RequestDeps,
  begin: Begin,
  caller: Caller,
  { instanceId, contacts, phoneNumbers, allowsMetered }: NewNumberChecks,
  signal: AbortSignal,
): Promise<Queued> {
  const { numbers } = await readNumbers(deps, phoneNumbers, { caller, signal })
  if (!contacts && numbers.length === 0)
    throw new InvalidInput({ phoneNumbers: 'NUMBER_CHECK.PHONE_REQUIRED' })
  const instance = await findCheckingInstance(deps.db, caller, instanceId)
  if (!instance) throw new InvalidInput({ instanceId: 'JOB.INSTANCE_INVALID' })
  if (!allowsMetered && (await isMetered(deps, instance)))
    throw new Refusal('number_check_metered', { limit: limits.numberChecksMetered })
  return begin(async (tx, caller) => {
    orNotFound(await lockInstanceForShare(tx, caller, instanceId))
    // Two requests at once count each other's numbers.
    await lock(tx, LOCKS.numberChecksOf(caller.id))
    const chosen = contacts ? [numbersOf(await selectedBy(tx, contacts))] : []
    const queued = await queueNumbers(
      tx,
      caller,
      instance,
      join([...chosen, typedNumbers(numbers)], ' union '),
    )
    if ((await countWaiting(tx, caller.id)) > limits.numberChecksWaiting)
      throw new Refusal('quota_number_checks', { limit: limits.numberChecksWaiting })
    if (queued.queued > 0) await record(tx, caller, entryOf('number_check.create', instance, queued.queued))
    return queued
  })
}

/** Tells what a check of these numbers would do. Writes nothing, and refuses nothing for being empty. */
export async function previewChecks(
  deps: RequestDeps,
  phoneNumbers: string,
  request: HeavyRequest,
): Promise<NumberCheckPreview> {
  const { numbers, duplicates, unreadable } = await readNumbers(deps, phoneNumbers, request)
  return { numbers: numbers.length, duplicates, unreadable }
}

async function readNumbers(
  { heavyWork, defaultCountry }: RequestDeps,
  text: string,
  request: HeavyRequest,
): Promise<PhoneNumbers> {
  if (text.trim() === '') return { numbers: [], duplicates: 0, unreadable: { total: 0, first: [] } }
  const read = await heavyWork.run(request, (heavy) => readPhoneList(heavy, text, defaultCountry))
  if (read.numbers.length > limits.numberChecksWaiting)
    throw new InvalidInput({ phoneNumbers: 'NUMBER_CHECK.TOO_MANY' })
  return read
}

/** A provider that does not answer can't tell, so nothing is queued: a trial's calls must not be used up unnoticed. */
async function isMetered({ providers, secrets }: CheckDeps, instance: CheckingInstance): Promise<boolean> {
  const provider = providerOf(providers, instance)
  if (!provider) throw new Refusal(providers.forbidsTestMode ? 'test_mode_off' : 'test_token_refused')
  try {
    return await provider.isMetered({ token: secrets.decrypt(instance.tokenCipher) })
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const { code, params } = error.reason
    throw new Refusal('provider_failed', { ...params, why: code, reason: reasonText(error.reason) })
  }
}

export const stop = (begin: Begin, instanceId: number): Promise<number> =>
  begin(async (tx, caller) => {
    const instance = orNotFound(await findCheckingInstance(tx, caller, instanceId))
    const stopped = await stopChecks(tx, caller, instanceId)
    if (stopped > 0) await record(tx, caller, entryOf('number_check.stop', instance, stopped))
    return stopped
  })

const entryOf = (
  action: 'number_check.create' | 'number_check.stop',
  { id, name }: Pick<CheckingInstance, 'id' | 'name'>,
  count: number,
) => ({ action, object: { type: 'instance', id, name }, details: { count } }) as const
