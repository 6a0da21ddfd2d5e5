import type { JobDraft } from '@sendroom/contract/new-jobs'
import type { CountryCode } from 'libphonenumber-js'
import type { HeavyContext, HeavyRequest, HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { hasTooManyEntries } from '../../platform/phone-numbers.ts'
import { Refusal } from '../../platform/refusal.ts'
import { readNumbersOf, recipientRules } from './recipients.service.ts'

type Recipients = Pick<
  JobDraft,
  'jobType' | 'phoneNumbers' | 'listIds' | 'excludedListIds' | 'groupIds' | 'groupSetIds'
>
type Form = Recipients & Pick<JobDraft, 'contactIds'>

/** A text of this length has about 400 numbers, which take 5 ms, and 20 ms at worst. */
const LARGE_TEXT = 5000
const LARGE_GROUPS = 1000

/**
 * Runs the work on a job's recipients. For many of them the work takes its turn as heavy work, and so it does for any
 * list of contacts and set of groups, which may be large. For few it starts at once, without `heavy`.
 */
export async function withRecipients<T>(
  heavyWork: HeavyWork,
  request: HeavyRequest,
  { jobType, phoneNumbers, listIds, excludedListIds, groupIds, groupSetIds }: Recipients,
  work: (heavy: HeavyContext | null) => Promise<T>,
): Promise<T> {
  const isToUsers = jobType === 'SendToUsers'
  if (isToUsers && hasTooManyEntries(phoneNumbers)) throw new Refusal('too_many_recipients')
  const isLarge = isToUsers
    ? phoneNumbers.length > LARGE_TEXT || listIds.length + excludedListIds.length > 0
    : groupIds.length > LARGE_GROUPS || groupSetIds.length > 0
  return isLarge ? heavyWork.run(request, work) : work(null)
}

/** Runs the work on the form of a series, which takes its turn as that on a job does. */
export const openWithRules =
  (heavyWork: HeavyWork, country: CountryCode) =>
  <T>(
    request: HeavyRequest,
    form: Form,
    work: (rules: ReturnType<typeof recipientRules>) => Promise<T>,
  ): Promise<T> =>
    withRecipients(heavyWork, request, form, async (heavy) =>
      work(recipientRules(await readNumbersOf(heavy, form, country))),
    )
