import type { JobRow, NewJob } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import type { TestMessage } from '@sendroom/contract/messages'
import type { CountryCode } from 'libphonenumber-js'
import { planJob, type Recipient, type Recipients } from '../../engine/index.ts'
import type { Begin, Caller } from '../../platform/access.ts'
import type { Db, Pool } from '../../platform/database/connection.ts'
import type { UploadedFile } from '../../platform/images/multipart.ts'
import { storeImage } from '../../platform/images/queries.ts'
import type { ImageStore } from '../../platform/images/store.ts'
import { InvalidInput, orNotFound, Refusal } from '../../platform/refusal.ts'
import { recordCreation } from './audit.ts'
import {
  findJobRow,
  findRequestedJob,
  lockGroupsForShare,
  lockInstanceForShare,
  lockMessageForShare,
} from './jobs.queries.ts'
import { readPhoneNumbers } from './phone-numbers.ts'

type Deps = { db: Pool; images: ImageStore; defaultCountry: CountryCode }

/**
 * Creates a job with its own text, image and recipients, so that later changes of the message do not affect the job. A
 * client that lost the answer asks again with the same `requestId` and gets the same job.
 */
export async function createJob(
  { db, defaultCountry }: Deps,
  begin: Begin,
  caller: Caller,
  order: NewJob,
): Promise<JobRow> {
  const { requestId } = order
  const existing = requestId ? await findRequestedJob(db, caller, requestId) : null
  if (existing) return existing
  const people =
    order.jobType === 'SendToUsers' ? await readPhoneRecipients(order.phoneNumbers, defaultCountry) : null
  return begin(async (tx, caller) => {
    const { instance, message } = await lockInstanceAndMessage(tx, caller, order)
    if (!instance.isActive) throw new Refusal('instance_inactive')
    const recipients = people ?? (await lockGroupRecipients(tx, order.instanceId, order.groupIds))
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
    await recordCreation(tx, caller, id)
    return orNotFound(await findJobRow(tx, caller, id))
  })
}

/** Creates a job that sends an unsaved text to one number. The job belongs to no message. */
export async function sendTestMessage(
  { db, images, defaultCountry }: Deps,
  begin: Begin,
  { textContent, instanceId, phoneNumber, imageOf }: TestMessage,
  file: UploadedFile | null,
): Promise<JobRow> {
  const { numbers, unreadable } = await readPhoneNumbers(phoneNumber, defaultCountry)
  if (numbers.length !== 1 || unreadable.length > 0)
    throw new InvalidInput({ phoneNumber: 'JOB.TEST_PHONE_INVALID' })
  const imageId = file ? await storeImage(db, images, file.bytes) : null
  return begin(async (tx, caller) => {
    const instance = await lockInstanceForShare(tx, caller, instanceId)
    if (!instance) throw new InvalidInput({ instanceId: 'JOB.INSTANCE_REQUIRED' })
    if (!instance.isActive) throw new Refusal('instance_inactive')
    const saved = imageOf === null ? null : orNotFound(await lockMessageForShare(tx, caller, imageOf))
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
    await recordCreation(tx, caller, id)
    return orNotFound(await findJobRow(tx, caller, id))
  })
}

async function lockInstanceAndMessage(tx: Db, caller: Caller, { instanceId, messageId }: NewJob) {
  const instance = await lockInstanceForShare(tx, caller, instanceId)
  const message = await lockMessageForShare(tx, caller, messageId)
  if (instance && message) return { instance, message }
  throw new InvalidInput({
    ...(!instance && { instanceId: 'JOB.INSTANCE_REQUIRED' }),
    ...(!message && { messageId: 'JOB.MESSAGE_REQUIRED' }),
  })
}

/** Returns null, which means now, for a time that has passed. */
const ifAhead = (scheduledAt: string | null | undefined, now: string) =>
  scheduledAt && Date.parse(scheduledAt) > Date.parse(now) ? scheduledAt : null

async function lockGroupRecipients(tx: Db, instanceId: number, groupIds: number[]): Promise<Recipient[]> {
  const wanted = [...new Set(groupIds)]
  const groups = await lockGroupsForShare(tx, instanceId, wanted)
  if (groups.length !== wanted.length) throw new InvalidInput({ groupIds: 'JOB.GROUP_INVALID' })
  const left = groups.filter(({ hasLeft }) => hasLeft)
  if (left.length > 0) throw new Refusal('group_left', { names: someOf(left.map(({ name }) => name)) })
  return groups.map(({ id, chatId, name }) => ({ groupId: id, chatId, name }))
}

async function readPhoneRecipients(text: string, defaultCountry: CountryCode): Promise<Recipients> {
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

/** Shortens the list: enough to find the entries by, but the answer must not grow with the pasted text. */
const someOf = (texts: string[]) =>
  texts
    .slice(0, 20)
    .map((text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text))
    .concat(texts.length > 20 ? '…' : [])
    .join(', ')
