import type { FieldKey } from '@sendroom/contract/field-words'
import { limits } from '@sendroom/contract/limits'
import type { JobDraft, JobRecipients } from '@sendroom/contract/new-jobs'
import type { CountryCode } from 'libphonenumber-js'
import type { Recipient, Recipients } from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import { lockListsForShare, readLists } from '../../platform/contacts/lists.ts'
import type { Db } from '../../platform/database/connection.ts'
import { groupsOfSets, lockGroupSetsForShare, readGroupSets } from '../../platform/group-sets.ts'
import type { HeavyContext } from '../../platform/heavy/heavy-work.ts'
import { namesOf } from '../../platform/names-of.ts'
import { readPhoneList } from '../../platform/phone-numbers.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import { lockGroupsForShare } from './jobs.queries.ts'
import { type ChosenPeople, openPeople, visibleContacts } from './people.queries.ts'

// The recipients of a new or changed job, of the preview of one, and of a series.

/** A run of a series sends to whoever is still there of those who were chosen one by one. */
type Choice = JobRecipients & { instanceId: number; isOfRun?: boolean }

/**
 * Reads the groups of a job, chosen one by one and in sets, and keeps them from being deleted until the transaction
 * ends. A set goes on after the instance has left one of its groups. A group that was chosen by hand must be there.
 */
export async function lockGroupRecipients(tx: Db, caller: Caller, order: Choice): Promise<Recipient[]> {
  const chosen = await chooseGroups(tx, caller, order, lockGroupSetsForShare)
  const groups = await lockGroupsForShare(tx, order.instanceId, [...chosen.ids, ...chosen.idsOfSets])
  if (!order.isOfRun) requireChosenGroups(groups, chosen.ids)
  const present = groups.filter(({ hasLeft }) => !hasLeft)
  if (present.length === 0) throw new InvalidInput({ groupIds: 'JOB.GROUP_REQUIRED' })
  return present.map(({ id, chatId, name }) => ({ groupId: id, contactId: null, chatId, name }))
}

type Group = Awaited<ReturnType<typeof lockGroupsForShare>>[number]

function requireChosenGroups(groups: readonly Group[], chosen: ReadonlySet<number>): void {
  if (groups.filter(({ id }) => chosen.has(id)).length !== chosen.size)
    throw new InvalidInput({ groupIds: 'JOB.GROUP_INVALID' })
  const left = groups.filter(({ id, hasLeft }) => hasLeft && chosen.has(id))
  if (left.length === 0) return
  const names = left.map(({ name }) => name)
  throw new Refusal('group_left', namesOf('names', names, names.length))
}

type ChosenGroups = { ids: ReadonlySet<number>; idsOfSets: number[] }

/** Throws unless the caller may use all of the sets, and they are the instance's. */
export async function chooseGroups(
  db: Db,
  caller: Caller,
  { instanceId, groupIds, groupSetIds }: Pick<Choice, 'instanceId' | 'groupIds' | 'groupSetIds'>,
  read = readGroupSets,
): Promise<ChosenGroups> {
  const sets = await read(db, caller, instanceId, groupSetIds)
  if (sets.length < new Set(groupSetIds).size)
    throw new InvalidInput({ groupSetIds: 'JOB.GROUP_SET_INVALID' })
  const idsOfSets = await db.many<{ id: number }>(groupsOfSets(groupSetIds))
  return { ids: new Set(groupIds), idsOfSets: idsOfSets.map(({ id }) => id) }
}

/** Reads the typed numbers. Throws if one is unreadable, or if nobody else is chosen either. */
export async function readTypedNumbers(
  heavy: HeavyContext | null,
  { phoneNumbers, contactIds, listIds }: JobRecipients,
  defaultCountry: CountryCode,
): Promise<string[]> {
  const { numbers, unreadable } = await readPhoneList(heavy, phoneNumbers, defaultCountry)
  if (unreadable.total > 0)
    throw new Refusal('phone_unreadable', namesOf('numbers', unreadable.first, unreadable.total))
  if (numbers.length + contactIds.length + listIds.length === 0)
    throw new InvalidInput({ phoneNumbers: 'JOB.PHONE_REQUIRED' })
  return numbers
}

/** Reads whom a job to people goes to, and keeps the lists as they are until the transaction ends. */
export async function lockPeople(
  tx: Db,
  caller: Caller,
  order: Choice,
  numbers: readonly string[],
): Promise<Recipients> {
  const contactIds = order.isOfRun ? await visibleContacts(tx, caller, order.contactIds) : order.contactIds
  const people = await choosePeople(tx, caller, { ...order, contactIds }, numbers, lockListsForShare)
  const recipients = await openPeople(tx, caller, people, order.instanceId)
  if (recipients.length === 0) throw new InvalidInput({ listIds: 'JOB.NOBODY_LEFT' })
  if (recipients.length > limits.recipients) throw new Refusal('too_many_recipients')
  return recipients
}

/** Throws unless the caller may use all of the lists and sees all of the contacts. */
export async function choosePeople(
  db: Db,
  caller: Caller,
  draft: Pick<JobDraft, 'contactIds' | 'listIds' | 'excludedListIds'>,
  numbers: readonly string[],
  read = readLists,
): Promise<ChosenPeople> {
  const contactIds = [...new Set(draft.contactIds)]
  const { listIds, excludedListIds } = draft
  const usable = await read(db, caller, [...listIds, ...excludedListIds])
  const among = (ids: readonly number[]) => usable.filter(({ id }) => ids.includes(id))
  const [lists, excluded] = [among(listIds), among(excludedListIds)]
  const isEverybodyVisible =
    contactIds.length === 0 || (await visibleContacts(db, caller, contactIds)).length === contactIds.length
  const wrong: Record<string, FieldKey> = {
    ...(lists.length < new Set(listIds).size && { listIds: 'JOB.LIST_INVALID' }),
    ...(excluded.length < new Set(excludedListIds).size && { excludedListIds: 'JOB.LIST_INVALID' }),
    ...(!isEverybodyVisible && { contactIds: 'JOB.CONTACT_INVALID' }),
  }
  if (Object.keys(wrong).length > 0) throw new InvalidInput(wrong)
  return { numbers, contactIds, lists, excluded }
}

type SeriesChoice = Choice & Pick<JobDraft, 'jobType'>

/** Reads the typed numbers of a job or series to people. */
export const readNumbersOf = async (
  heavy: HeavyContext | null,
  choice: JobRecipients & Pick<JobDraft, 'jobType'>,
  country: CountryCode,
): Promise<string[]> => (choice.jobType === 'SendToUsers' ? readTypedNumbers(heavy, choice, country) : [])

/** The rules for recipients that series share with jobs, for a form with these typed numbers. */
export const recipientRules = (numbers: readonly string[]) => ({
  /** Throws unless the caller may send to everything and everybody that is chosen. */
  async check(tx: Db, caller: Caller, choice: SeriesChoice): Promise<void> {
    if (choice.jobType === 'SendToUsers') {
      await choosePeople(tx, caller, choice, numbers, lockListsForShare)
      return
    }
    const { ids } = await chooseGroups(tx, caller, choice, lockGroupSetsForShare)
    requireChosenGroups(await lockGroupsForShare(tx, choice.instanceId, [...ids]), ids)
  },

  /** Those whom the choice means now: the ids of groups, or those of contacts and other numbers. */
  async freeze(tx: Db, caller: Caller, choice: SeriesChoice): Promise<{ ids: number[]; numbers: string[] }> {
    if (choice.jobType === 'SendToGroups') {
      const groups = await lockGroupRecipients(tx, caller, choice)
      return { ids: groups.flatMap(({ groupId }) => groupId ?? []), numbers: [] }
    }
    const people = await lockPeople(tx, caller, choice, numbers)
    const [ids, others]: [number[], string[]] = [[], []]
    for await (const { contactId, chatId } of people)
      if (contactId === null) others.push(`+${chatId.split('@')[0]}`)
      else ids.push(contactId)
    return { ids, numbers: others }
  },
})
