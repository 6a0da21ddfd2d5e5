import type { JobRow, NewJob } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { TestMessage } from '@sendroom/contract/messages'
import type { CountryCode } from 'libphonenumber-js'
import { planJob, type Recipient, type Recipients } from '../../engine/index.ts'
import type { Caller } from '../../platform/access.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import { type ImageStore, keepImage } from '../../platform/images.ts'
import type { UploadedFile } from '../../platform/multipart.ts'
import { InvalidInput, Refusal, seen } from '../../platform/refusal.ts'
import { findJobRow, findRequestedJob, holdGroups, holdInstance, holdMessage } from './jobs.queries.ts'
import { readPhoneNumbers } from './phone-numbers.ts'

type Parts = { db: Pool; images: ImageStore; defaultCountry: CountryCode }

/**
 * Makes a job with its own text, image and recipients: what happens to the message later changes no job.
 * Whoever asks again, for the answer was lost, gets the job they have.
 */
export async function createJob(
  { db, defaultCountry }: Parts,
  caller: Caller,
  order: NewJob,
): Promise<JobRow> {
  const { requestId } = order
  const before = requestId ? await findRequestedJob(db, caller, requestId) : null
  if (before) return before
  const people = order.jobType === 'SendToUsers' ? await readPeople(order.phoneNumbers, defaultCountry) : null
  return db.begin(async (tx) => {
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
      requestId,
      recipients,
    })
    return seen(await findJobRow(tx, caller, id))
  })
}

/** A job of a text that need not be saved, for one number: it belongs to no message. */
export async function testMessage(
  { db, images, defaultCountry }: Parts,
  caller: Caller,
  { textContent, instanceId, phoneNumber, imageOf }: TestMessage,
  file: UploadedFile | null,
): Promise<JobRow> {
  const { numbers, unreadable } = await readPhoneNumbers(phoneNumber, defaultCountry)
  if (numbers.length !== 1 || unreadable.length > 0)
    throw new InvalidInput({ phoneNumber: 'JOB.TEST_PHONE_INVALID' })
  const imageId = file ? await keepImage(db, images, file.bytes) : null
  return db.begin(async (tx) => {
    const instance = await holdInstance(tx, caller, instanceId)
    if (!instance) throw new InvalidInput({ instanceId: 'JOB.INSTANCE_REQUIRED' })
    if (!instance.isActive) throw new Refusal('instance_inactive')
    const saved = imageOf === null ? null : seen(await holdMessage(tx, caller, imageOf))
    const id = await planJob(tx, {
      jobType: 'SendToUsers',
      messageId: null,
      instanceId,
      textContent,
      imageId: imageId ?? saved?.imageId ?? null,
      scheduledAt: null,
      createdBy: { id: caller.id, name: caller.username },
      recipients: numbers.map(personOf),
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

async function readPeople(text: string, defaultCountry: CountryCode): Promise<Recipients> {
  const { numbers, unreadable } = await readPhoneNumbers(text, defaultCountry)
  if (unreadable.length > 0) throw new Refusal('phone_unreadable', { numbers: someOf(unreadable) })
  if (numbers.length === 0) throw new InvalidInput({ phoneNumbers: 'JOB.PHONE_REQUIRED' })
  if (numbers.length > limits.recipients) throw new Refusal('too_many_recipients')
  return {
    length: numbers.length,
    *[Symbol.iterator]() {
      for (const number of numbers) yield personOf(number)
    },
  }
}

const personOf = (number: string): Recipient => ({
  groupId: null,
  chatId: `${number}@s.whatsapp.net`,
  name: `+${number}`,
})

/** Enough to find them by: an answer must not grow with what was pasted. */
const someOf = (texts: string[]) =>
  texts
    .slice(0, 20)
    .map((text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text))
    .concat(texts.length > 20 ? '…' : [])
    .join(', ')
