import { limits } from '@sendroom/contract/limits'
import type { JobDraft, JobPreview } from '@sendroom/contract/new-jobs'
import type { CountryCode } from 'libphonenumber-js'
import { expectOrder } from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { HeavyContext, HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { InvalidInput } from '../../platform/refusal.ts'
import { readPhoneList, withRecipients } from './large-list.ts'
import { personOf } from './new-job.service.ts'
import { countChosen, isVisibleInstance } from './preview.queries.ts'
import { nothingWrong, reviewTexts, templateOfDraft } from './review-texts.ts'

type Deps = { db: Pool; defaultCountry: CountryCode; heavyWork: HeavyWork }

/** Previews the job that the form would create now. Writes nothing, and refuses no field for being empty. */
export async function previewJob(
  deps: Deps,
  caller: Caller,
  draft: JobDraft,
  signal: AbortSignal,
): Promise<JobPreview> {
  const { instanceId } = draft
  if (instanceId && !(await isVisibleInstance(deps.db, caller, instanceId)))
    throw new InvalidInput({ instanceId: 'JOB.INSTANCE_REQUIRED' })
  const request = { userId: caller.id, signal, replaces: 'preview' } as const
  return withRecipients(deps.heavyWork, request, draft, (heavy) => preview(deps, caller, draft, heavy))
}

async function preview(
  deps: Deps,
  caller: Caller,
  draft: JobDraft,
  heavy: HeavyContext | null,
): Promise<JobPreview> {
  const { db } = deps
  const { jobType, instanceId } = draft
  const counted =
    jobType === 'SendToUsers' ? await countPeople(deps, caller, draft, heavy) : await countGroups(db, draft)
  heavy?.signal.throwIfAborted()
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
  ...nothingWrong(),
}

async function countPeople(
  { db, defaultCountry }: Deps,
  caller: Caller,
  draft: JobDraft,
  heavy: HeavyContext | null,
): Promise<Counted> {
  const { phoneNumbers, leaveOutIncomplete } = draft
  const { numbers, duplicates, unreadable } = await readPhoneList(heavy, phoneNumbers, defaultCountry)
  const first = unreadable.first.map((text) => text.slice(0, 50))
  const template = await templateOfDraft(db, caller, draft)
  const review = template
    ? await reviewTexts(db, template, numbers.map(personOf), draft, defaultCountry)
    : nothingWrong()
  const recipients = numbers.length - (leaveOutIncomplete ? review.incomplete.total : 0)
  return { ...nothing, recipients, duplicates, unreadable: { ...unreadable, first }, ...review }
}

/** Groups belong to an instance, so without one there are none to count. */
async function countGroups(db: Pool, { instanceId, groupIds }: JobDraft): Promise<Counted> {
  const wanted = [...new Set(groupIds)]
  const duplicates = groupIds.length - wanted.length
  if (!instanceId) return { ...nothing, duplicates }
  return { ...nothing, duplicates, ...(await countChosen(db, instanceId, wanted, limits.previewNames)) }
}
