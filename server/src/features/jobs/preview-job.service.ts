import { limits } from '@sendroom/contract/limits'
import type { JobDraft, JobPreview } from '@sendroom/contract/new-jobs'
import type { CountryCode } from 'libphonenumber-js'
import { expectOrder } from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import type { Pool } from '../../platform/database/connection.ts'
import type { HeavyContext, HeavyWork } from '../../platform/heavy/heavy-work.ts'
import { readPhoneList } from '../../platform/phone-numbers.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import { withRecipients } from './large-list.ts'
import { countPeople, readPeople } from './people.queries.ts'
import { countChosen, countMentions, findHold, isVisibleInstance } from './preview.queries.ts'
import { chooseGroups, choosePeople } from './recipients.service.ts'
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
  const request = { caller, signal, replaces: 'preview' } as const
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
    jobType === 'SendToUsers'
      ? await previewPeople(deps, caller, draft, heavy)
      : await previewGroups(db, caller, draft)
  heavy?.signal.throwIfAborted()
  const { newPeople, ...counts } = counted
  const { recipients, optedOut, notOnWhatsapp } = counts
  const reached = Math.max(0, recipients - optedOut - notOnWhatsapp)
  const order = { jobType, recipients: reached, newPeople, scheduledAt: draft.scheduledAt ?? null }
  const expected = instanceId ? await expectOrder(db, { ...order, instanceId }) : null
  const hold = instanceId ? await findHold(db, { ...order, instanceId }) : null
  return {
    ...counts,
    durationSeconds:
      expected && Math.round((Date.parse(expected.endsAt) - Date.parse(expected.beginsAt)) / 1000),
    endsAt: expected?.endsAt ?? null,
    hold,
  }
}

type Counted = Omit<JobPreview, 'durationSeconds' | 'endsAt' | 'hold'> & { newPeople: number }

const nothing: Counted = {
  recipients: 0,
  duplicates: 0,
  leftOut: 0,
  withoutNumber: 0,
  unreadable: { total: 0, first: [] },
  leftGroups: { total: 0, first: [] },
  leftInSets: { total: 0, first: [] },
  closedGroups: { total: 0, first: [] },
  mentions: null,
  optedOut: 0,
  notOnWhatsapp: 0,
  newPeople: 0,
  ...nothingWrong(),
}

async function previewPeople(
  { db, defaultCountry }: Deps,
  caller: Caller,
  draft: JobDraft,
  heavy: HeavyContext | null,
): Promise<Counted> {
  const { numbers, duplicates, unreadable } = await readPhoneList(heavy, draft.phoneNumbers, defaultCountry)
  const first = unreadable.first.map((text) => text.slice(0, 50))
  const people = await choosePeople(db, caller, draft, numbers)
  const template = await templateOfDraft(db, caller, draft)
  // Side by side: each resolves the recipients, and together they take the longer of both times.
  const [counts, review] = await Promise.all([
    // In a transaction, which knows forgotten numbers.
    db.begin((tx) => countPeople(tx, caller, people, draft.instanceId ?? null)),
    template
      ? db.begin((tx) =>
          reviewTexts(template, (checked) => readPeople(tx, caller, people, checked), draft, defaultCountry),
        )
      : nothingWrong(),
  ])
  if (counts.recipients > limits.recipients) throw new Refusal('too_many_recipients')
  return {
    ...nothing,
    ...counts,
    recipients: counts.recipients - (draft.leaveOutIncomplete ? review.incomplete.total : 0),
    duplicates: duplicates + counts.duplicates,
    unreadable: { ...unreadable, first },
    ...review,
  }
}

/** Groups belong to an instance, so without one there are none to count. */
async function previewGroups(db: Pool, caller: Caller, draft: JobDraft): Promise<Counted> {
  const { instanceId, groupIds, scheduledAt } = draft
  if (!instanceId) return { ...nothing, duplicates: groupIds.length - new Set(groupIds).size }
  const { ids, idsOfSets } = await chooseGroups(db, caller, { ...draft, instanceId })
  const duplicates = groupIds.length + idsOfSets.length - new Set([...ids, ...idsOfSets]).size
  const groups = { ids: [...ids], idsOfSets }
  const order = { instanceId, scheduledAt: scheduledAt ?? null }
  return {
    ...nothing,
    duplicates,
    ...(await countChosen(db, instanceId, groups, limits.previewNames)),
    mentions: draft.mentionsAll ? await countMentions(db, order, groups, limits.previewNames) : null,
  }
}
