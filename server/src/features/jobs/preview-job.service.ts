import type { JobDraft, JobPreview } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { CountryCode } from 'libphonenumber-js'
import { expectOrder } from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import type { Pool } from '../../platform/database/connection.ts'
import { InvalidInput } from '../../platform/refusal.ts'
import { readPhoneNumbers } from './phone-numbers.ts'
import { countChosen, isVisibleInstance } from './preview.queries.ts'

/** Previews the job that the form would create now. Writes nothing, and refuses no field for being empty. */
export async function previewJob(
  { db, defaultCountry }: { db: Pool; defaultCountry: CountryCode },
  caller: Caller,
  draft: JobDraft,
): Promise<JobPreview> {
  const { jobType, instanceId } = draft
  if (instanceId && !(await isVisibleInstance(db, caller, instanceId)))
    throw new InvalidInput({ instanceId: 'JOB.INSTANCE_REQUIRED' })
  const counted =
    jobType === 'SendToUsers' ? await countPeople(draft, defaultCountry) : await countGroups(db, draft)
  const order = { jobType, recipients: counted.recipients, scheduledAt: draft.scheduledAt ?? null }
  const expected = instanceId ? await expectOrder(db, { ...order, instanceId }) : null
  return {
    ...counted,
    durationSeconds:
      expected && Math.round((Date.parse(expected.endsAt) - Date.parse(expected.beginsAt)) / 1000),
    endsAt: expected?.endsAt ?? null,
  }
}

type Counted = Omit<JobPreview, 'durationSeconds' | 'endsAt'>

const nothing: Counted = {
  recipients: 0,
  duplicates: 0,
  unreadable: { total: 0, first: [] },
  leftGroups: { total: 0, first: [] },
  closedGroups: { total: 0, first: [] },
}

async function countPeople({ phoneNumbers }: JobDraft, defaultCountry: CountryCode): Promise<Counted> {
  const { numbers, duplicates, unreadable } = await readPhoneNumbers(phoneNumbers, defaultCountry)
  const first = unreadable.slice(0, limits.previewNames).map((text) => text.slice(0, 50))
  return {
    ...nothing,
    recipients: numbers.length,
    duplicates,
    unreadable: { total: unreadable.length, first },
  }
}

/** Groups belong to an instance, so without one there are none to count. */
async function countGroups(db: Pool, { instanceId, groupIds }: JobDraft): Promise<Counted> {
  const wanted = [...new Set(groupIds)]
  const duplicates = groupIds.length - wanted.length
  if (!instanceId) return { ...nothing, duplicates }
  return { ...nothing, duplicates, ...(await countChosen(db, instanceId, wanted, limits.previewNames)) }
}
