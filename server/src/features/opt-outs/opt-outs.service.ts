import type { Added, Decision, NewOptOuts, OptOut } from '@sendroom/contract/opt-outs'
import type { CountryCode } from 'libphonenumber-js'
import type { Begin } from '../../platform/access.ts'
import { record } from '../../platform/audit.ts'
import { batchesOf } from '../../platform/batches.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { HeavyRequest, HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { beginOptOut, endOptOut, identitiesOf, optOutNumbers } from '../../platform/opt-outs.ts'
import { readPhoneNumber } from '../../platform/phone-number.ts'
import { readPhoneList } from '../../platform/phone-numbers.ts'
import { InvalidInput, orNotFound, Refusal, requireVersion } from '../../platform/refusal.ts'
import { findOptOut, lockPossible, type Undecided, writeDecision } from './opt-outs.queries.ts'

type Deps = { heavyWork: HeavyWork; defaultCountry: CountryCode }

/** How many numbers one transaction opts out. Messages that opt somebody out wait for it. */
const SLICE = 5_000

/** Opts out the numbers of a text, one or 100,000. What is no number is left out and answered. */
export const addOptOuts = (
  { heavyWork, defaultCountry }: Deps,
  begin: Begin,
  request: HeavyRequest,
  { phoneNumbers, note }: NewOptOuts,
): Promise<Added> =>
  heavyWork.run(request, async (heavy) => {
    const { numbers, duplicates, unreadable } = await readPhoneList(heavy, phoneNumbers, defaultCountry)
    if (numbers.length === 0) throw new InvalidInput({ phoneNumbers: 'OPT_OUT.PHONE_REQUIRED' })
    const source = numbers.length > 1 ? 'import' : 'form'
    let added = 0
    // The same list again goes on where an error has ended this one.
    for await (const slice of batchesOf(numbers, SLICE))
      added += await begin((tx, caller) => optOutNumbers(tx, caller, { numbers: slice, note, source }))
    return { added, known: numbers.length - added, duplicates, unreadable }
  })

export const finishOptOut = (begin: Begin, id: number, reason: string): Promise<OptOut> =>
  begin(async (tx, caller) => {
    const before = orNotFound(await findOptOut(tx, caller, id))
    // A second click, or another user at the same moment.
    if (before.holds) await endOptOut(tx, id, caller, reason)
    return orNotFound(await findOptOut(tx, caller, id))
  })

/** A person decides what a message meant. Whoever decides second is told so. */
export const decide = (
  begin: Begin,
  id: number,
  { decision, phoneNumber, version }: Decision,
  defaultCountry: CountryCode,
): Promise<void> =>
  begin(async (tx, caller) => {
    // Before the row: whoever has this lock decides all that the person wrote.
    await lock(tx, LOCKS.optOuts)
    const message = orNotFound((await lockPossible(tx, id)) ?? null)
    requireVersion(version, message.version)
    if (message.isDecided) throw new Refusal('stale_version')
    if (decision === 'nothing') {
      await writeDecision(tx, id, { byName: caller.username, optOutId: null })
      return record(tx, caller, {
        action: 'opt_out.dismiss',
        details: { phone: nameOf(message), text: message.words },
      })
    }
    const begun = await beginOptOut(tx, {
      ...personOf(message, phoneNumber, defaultCountry),
      ...{ words: message.words, saidAt: message.saidAt, instanceId: message.instanceId },
      ...{ providerMessageId: null, by: caller },
    })
    if (begun === null) throw new InvalidInput({ phoneNumber: 'OPT_OUT.PHONE_REQUIRED' })
    await writeDecision(tx, id, { byName: caller.username, optOutId: begun.id })
  })

/** The hidden number has written. Whose number it is says the user, or what the message quotes. */
function personOf({ phone, lid }: Undecided, typed: string | undefined, defaultCountry: CountryCode) {
  const alsoPhone = phone ?? (typed ? readPhoneNumber(typed, defaultCountry) : null)
  if (typed && alsoPhone === null) throw new InvalidInput({ phoneNumber: 'OPT_OUT.PHONE_INVALID' })
  return { identities: identitiesOf({ phone: null, lid }), alsoPhone }
}

const nameOf = ({ phone, lid }: Undecided) => (phone ? `+${phone}` : (lid ?? ''))
