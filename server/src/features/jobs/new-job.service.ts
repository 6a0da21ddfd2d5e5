import type { JobRow, NewJob } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { CountryCode } from 'libphonenumber-js'
import { planJob, type Recipient } from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import type { Db, Sql } from '../../platform/database/connection.ts'
import { InvalidInput, Refusal, seen } from '../../platform/refusal.ts'
import { findJobRow, holdGroups, holdInstance, holdMessage } from './jobs.queries.ts'
import { readPhoneNumbers } from './phone-numbers.ts'

/** Makes a job with its own text, image and recipients: what happens to the message later changes no job. */
export async function createJob(
  { sql, defaultCountry }: { sql: Sql; defaultCountry: CountryCode },
  caller: Caller,
  order: NewJob,
): Promise<JobRow> {
  const people = order.jobType === 'SendToUsers' ? await readPeople(order.phoneNumbers, defaultCountry) : null
  return sql.begin(async (tx) => {
    const { instance, message } = await hold(tx, caller, order)
    if (!instance.isActive) throw new Refusal('instance_inactive')
    const recipients = people ?? (await findGroups(tx, order.instanceId, order.groupIds))
    const { jobType, messageId, instanceId } = order
    const id = await planJob(tx, {
      jobType,
      messageId,
      instanceId,
      ...message,
      scheduledAt: ifAhead(order.scheduledAt, instance.now),
      createdBy: { id: caller.id, name: caller.username },
      recipients,
    })
    return seen(await findJobRow(tx, caller, id))
  })
}

async function hold(tx: Db, caller: Caller, { instanceId, messageId }: NewJob) {
  const instance = await holdInstance(tx, caller, instanceId)
  const message = await holdMessage(tx, caller, messageId)
  if (instance && message) return { instance, message }
  throw new InvalidInput({
    ...(!instance && { instanceId: 'JOB.INSTANCE_REQUIRED' }),
    ...(!message && { messageId: 'JOB.MESSAGE_REQUIRED' }),
  })
}

/** A time that has passed means now. */
const ifAhead = (scheduledAt: string | null | undefined, now: string) =>
  scheduledAt && Date.parse(scheduledAt) > Date.parse(now) ? scheduledAt : null

async function findGroups(tx: Db, instanceId: number, groupIds: number[]): Promise<Recipient[]> {
  const wanted = [...new Set(groupIds)]
  const groups = await holdGroups(tx, instanceId, wanted)
  if (groups.length !== wanted.length) throw new InvalidInput({ groupIds: 'JOB.GROUP_INVALID' })
  const left = groups.filter(({ hasLeft }) => hasLeft)
  if (left.length > 0) throw new Refusal('group_left', { names: someOf(left.map(({ name }) => name)) })
  return groups.map(({ id, chatId, name }) => ({ groupId: id, chatId, name }))
}

async function readPeople(text: string, defaultCountry: CountryCode): Promise<Recipient[]> {
  const { numbers, unreadable } = await readPhoneNumbers(text, defaultCountry)
  if (unreadable.length > 0) throw new Refusal('phone_unreadable', { numbers: someOf(unreadable) })
  if (numbers.length === 0) throw new InvalidInput({ phoneNumbers: 'JOB.PHONE_REQUIRED' })
  if (numbers.length > limits.recipients) throw new Refusal('too_many_recipients')
  return numbers.map((number) => ({ groupId: null, chatId: `${number}@s.whatsapp.net`, name: `+${number}` }))
}

/** Enough to find them by: an answer must not grow with what was pasted. */
const someOf = (texts: string[]) =>
  texts
    .slice(0, 20)
    .map((text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text))
    .concat(texts.length > 20 ? '…' : [])
    .join(', ')
