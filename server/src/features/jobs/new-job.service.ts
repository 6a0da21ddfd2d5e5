import { createHash } from 'node:crypto'
import type { JobRow } from '@sendroom/contract/jobs'
import type { Message, NewMessage, TestMessage } from '@sendroom/contract/messages'
import type { NewJob } from '@sendroom/contract/new-jobs'
import type { CountryCode } from 'libphonenumber-js'
import { decideReviews, planJob, type Recipients } from '../../engine/index.ts'
import { type Begin, type Caller, lockInstanceForShare, requireRight } from '../../platform/access.ts'
import { LOCKS, lock } from '../../platform/database/advisory-lock.ts'
import type { Db, Pool, Tx } from '../../platform/database/connection.ts'
import type { HeavyContext, HeavyWork } from '../../platform/heavy/heavy-work.ts'
import type { Upload, Uploads } from '../../platform/images/uploads.ts'
import { canMention, noContent, storeContent, textWith } from '../../platform/message-content.ts'
import { readPhoneList } from '../../platform/phone-numbers.ts'
import { requireRoomForRecipients } from '../../platform/quotas.ts'
import { asBelow, InvalidInput, orNotFound, Refusal } from '../../platform/refusal.ts'
import { recordCreation } from './audit.ts'
import { findJobRow, findRequestedJob, forgetRequest, lockMessageForShare } from './jobs.queries.ts'
import { withRecipients } from './large-list.ts'
import { textOfJob, textOfTest } from './personal-job.ts'
import { lockGroupRecipients, lockPeople, readNumbersOf } from './recipients.service.ts'

export type NewJobDeps = {
  db: Pool
  uploads: Uploads
  defaultCountry: CountryCode
  heavyWork: HeavyWork
  /** Creates a message in the transaction that creates its job. */
  writeMessage: (tx: Tx, caller: Caller, message: NewMessage & { imageId: number | null }) => Promise<Message>
}

/** A request with the time of its arrival, by `performance.now()`, and the image of the message that it writes. */
type Arrived = Requested & { arrivedAt: number; image: Upload | null }

type Requested = NewJob & {
  /** The job of a run sends to whoever is still there of those who were chosen when the series was saved. */
  isOfRun?: boolean
}

/** The order for the job of a series' run. `requestId` stands for the run, so that no run gets two jobs. */
export type OrderOfRun = Omit<NewJob, 'message' | 'mentionsAll'> & { requestId: string; scheduledAt: string }

/**
 * Creates a job with its own text, image and recipients, so that later changes of the message do not affect the job. A
 * client that lost the answer asks again with the same `requestId` and gets the same job. If the client leaves before a
 * large job is written, the job is not created. A second click of a client that sends no `requestId` gets the first
 * one's job: see `keyOfContent`. A message that is written with the job exists only together with it.
 */
export async function createJob(
  deps: NewJobDeps,
  begin: Begin,
  caller: Caller,
  order: NewJob & { image: Upload | null },
  signal: AbortSignal,
): Promise<JobRow> {
  const arrivedAt = performance.now()
  const { requestId } = order
  // A program tries again when an answer is lost, perhaps much later than a double click comes.
  if (caller.apiKey && !requestId) throw new InvalidInput({ requestId: 'JOB.REQUEST_ID_REQUIRED' })
  const existing = requestId ? await findRequestedJob(deps.db, caller, requestId) : null
  if (existing) return existing
  requireRights(caller, order)
  if (order.image && !order.message) throw new InvalidInput({ imageFile: 'FIELD.INVALID' })
  return withRecipients(deps.heavyWork, { caller, signal }, order, (heavy) =>
    writeJob(deps, begin, { ...order, arrivedAt }, heavy),
  )
}

/**
 * Creates the job of a series' run for the author of the series, as if they had ordered it. Groups that the account has
 * left, and contacts that are gone, are left out. The job is scheduled for the time of the run, also if that has
 * passed: by this the history check knows which messages may be of a job that the database has lost
 * (engine/history/jobs-of-messages.ts).
 */
export const createJobOfRun = (
  defaultCountry: CountryCode,
  begin: Begin,
  order: OrderOfRun,
): Promise<JobRow> =>
  writeOrder(
    begin,
    { ...order, message: null, mentionsAll: false, image: null, arrivedAt: performance.now(), isOfRun: true },
    {
      defaultCountry,
      heavy: null,
      writeMessage: async () => {
        throw new Error('A run has a saved message')
      },
    },
  )

/** Writing a message with a job, and mentioning everybody, need rights of their own. */
function requireRights(
  caller: Caller,
  { message, mentionsAll }: Pick<NewJob, 'message' | 'mentionsAll'>,
): void {
  if (message) requireRight(caller, 'canWriteMessages')
  if (mentionsAll) requireRight(caller, 'canMentionAll')
}

async function writeJob(
  deps: NewJobDeps,
  begin: Begin,
  order: Arrived,
  heavy: HeavyContext | null,
): Promise<JobRow> {
  const imageId = order.image ? await deps.uploads.store(order.image) : null
  return writeOrder(begin, order, {
    defaultCountry: deps.defaultCountry,
    heavy,
    writeMessage: (tx, caller) => writeMessage(deps, tx, caller, order, imageId),
  })
}

type Content = NonNullable<Awaited<ReturnType<typeof lockMessageForShare>>>

type Writing = {
  defaultCountry: CountryCode
  heavy: HeavyContext | null
  writeMessage: (tx: Tx, caller: Caller) => Promise<Content>
}

async function writeOrder(
  begin: Begin,
  order: Arrived,
  { defaultCountry, heavy, ...writing }: Writing,
): Promise<JobRow> {
  const isToPeople = order.jobType === 'SendToUsers'
  const numbers = await readNumbersOf(heavy, order, defaultCountry)
  return begin(async (tx, caller) => {
    requireRights(caller, order)
    const { instance, saved } = await lockInstanceAndMessage(tx, caller, order)
    if (!instance.isActive) throw new Refusal('instance_inactive')
    const { name, jobType, instanceId } = order
    const requestId = order.requestId ?? keyOfContent(...contentOf(order, saved))
    const repeated = await findRepeated(tx, caller, order, requestId)
    if (repeated) return repeated
    const recipients = isToPeople
      ? await lockPeople(tx, caller, order, numbers)
      : await lockGroupRecipients(tx, caller, order)
    // Those who are left out are known once the texts are written. The commit refuses the others then.
    if (!order.leaveOutIncomplete)
      await requireRoomForRecipients(tx, { userId: caller.id, instanceId, recipients: recipients.length })
    const text = await textOfJob(tx, saved ?? { ...written(order), hasVariables: true }, {
      ...order,
      country: defaultCountry,
      formField: saved ? 'messageId' : 'message.textContent',
      throwIfAborted: () => heavy?.signal.throwIfAborted(),
    })
    const message = saved ?? (await writing.writeMessage(tx, caller))
    if (order.mentionsAll && !canMention(message.content))
      throw new InvalidInput({ mentionsAll: 'JOB.MENTIONS_NOT_HERE' })
    const id = await planJob(tx, {
      name,
      jobType,
      messageId: message.id,
      instanceId,
      ...text,
      imageId: message.imageId,
      content: message.content,
      fileId: message.fileId,
      mentionsAll: order.mentionsAll,
      scheduledAt: order.isOfRun ? (order.scheduledAt ?? null) : ifAhead(order.scheduledAt, instance.now),
      createdBy: { id: caller.id, name: caller.username },
      requestId,
      recipients: heavy ? untilAborted(recipients, heavy.signal) : recipients,
    })
    await decideReviews(tx)
    await recordCreation(tx, caller, id)
    return orNotFound(await findJobRow(tx, caller, id))
  })
}

/** Writes the message of the job's instance, and reads of it what the job copies. */
async function writeMessage(deps: NewJobDeps, tx: Tx, caller: Caller, order: NewJob, imageId: number | null) {
  const { instanceId } = order
  const message = { ...written(order), instanceId, groupIds: [], imageId }
  const { id } = await deps.writeMessage(tx, caller, message).catch(asBelow('message'))
  return orNotFound(await lockMessageForShare(tx, caller, id))
}

const written = ({ message }: NewJob) => ({
  textContent: textWith(message?.textContent ?? '', message?.content ?? null),
  content: message?.content,
})

/**
 * Creates a job that sends an unsaved text to one number. The job belongs to no message. A second click gets the first
 * one's job.
 */
export async function sendTestMessage(
  { uploads, defaultCountry }: NewJobDeps,
  begin: Begin,
  message: TestMessage,
  image: Upload | null,
): Promise<JobRow> {
  const arrivedAt = performance.now()
  const { content, instanceId, phoneNumber, imageOf } = message
  const { numbers, unreadable } = await readPhoneList(null, phoneNumber, defaultCountry)
  if (numbers.length !== 1 || unreadable.total > 0)
    throw new InvalidInput({ phoneNumber: 'JOB.TEST_PHONE_INVALID' })
  const imageId = image ? await uploads.store(image) : null
  return begin(async (tx, caller) => {
    const instance = await lockInstanceForShare(tx, caller, instanceId)
    if (!instance) throw new InvalidInput({ instanceId: 'JOB.INSTANCE_REQUIRED' })
    if (!instance.isActive) throw new Refusal('instance_inactive')
    const saved = imageOf === null ? null : orNotFound(await lockMessageForShare(tx, caller, imageOf))
    const stored = imageId === null ? await storeContent(tx, caller, content) : noContent
    const ownText = await textOfTest(tx, caller, message, defaultCountry)
    const textContent = textWith(ownText, stored.content)
    const all = JSON.stringify([textContent, instanceId, numbers, imageOf, stored])
    const requestId = keyOfContent(all, image?.bytes ?? '')
    const repeated = await findRepeated(tx, caller, { arrivedAt }, requestId)
    if (repeated) return repeated
    const id = await planJob(tx, {
      jobType: 'SendToUsers',
      messageId: null,
      instanceId,
      textContent,
      imageId: stored.content ? null : (imageId ?? saved?.imageId ?? null),
      ...stored,
      scheduledAt: null,
      createdBy: { id: caller.id, name: caller.username },
      requestId,
      recipients: numbers.map((number) => ({
        groupId: null,
        contactId: null,
        chatId: `${number}@s.whatsapp.net`,
        name: `+${number}`,
      })),
    })
    await recordCreation(tx, caller, id)
    return orNotFound(await findJobRow(tx, caller, id))
  })
}

/** How long a request without a `requestId` counts as a repetition of an equal one. */
const REPEAT_MS = 3000

/**
 * The idempotency key of a request without a `requestId`: a hash of all that makes the job. An equal request of the
 * same user gets the same job while that is being created, and for three seconds after. From then on the older job has
 * no key, and another is created.
 */
function keyOfContent(...content: (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of content) hash.update(part)
  return hash.digest('hex').slice(0, 32) // the length of a UUID
}

/** All that makes a job, with the saved message as it is now. */
const contentOf = ({ arrivedAt: _, phoneNumbers, image, ...order }: Arrived, saved: object | null) => [
  JSON.stringify([order, saved]),
  phoneNumbers,
  image?.bytes ?? '',
]

/**
 * Returns the job of an equal request. Waits for one that is being handled: otherwise each would write its message, and
 * only the job would be the same.
 */
async function findRepeated(
  tx: Db,
  caller: Caller,
  order: { requestId?: string | null | undefined; arrivedAt: number },
  requestId: string,
): Promise<JobRow | null> {
  await lock(tx, LOCKS.requestOf(caller.id, requestId))
  if (!order.requestId) {
    // A large job waits for its turn. The first click's job may be older than three seconds by then.
    const waitedMs = performance.now() - order.arrivedAt
    await forgetRequest(tx, caller.id, requestId, REPEAT_MS + waitedMs)
  }
  return findRequestedJob(tx, caller, requestId)
}

async function lockInstanceAndMessage(tx: Db, caller: Caller, { instanceId, messageId }: NewJob) {
  const instance = await lockInstanceForShare(tx, caller, instanceId)
  const saved = messageId ? await lockMessageForShare(tx, caller, messageId) : null
  if (instance && (saved || !messageId)) return { instance, saved }
  throw new InvalidInput({
    ...(!instance && { instanceId: 'JOB.INSTANCE_REQUIRED' }),
    ...(messageId && !saved && { messageId: 'JOB.MESSAGE_REQUIRED' }),
  })
}

/** Returns null, which means now, for a time that has passed. */
export const ifAhead = (scheduledAt: string | null | undefined, now: string) =>
  scheduledAt && Date.parse(scheduledAt) > Date.parse(now) ? scheduledAt : null

/** Throws out of the transaction that writes the recipients, so that no part of the job stays. */
export const untilAborted = (recipients: Recipients, signal: AbortSignal): Recipients => ({
  length: recipients.length,
  async *[Symbol.asyncIterator]() {
    for await (const recipient of recipients) {
      signal.throwIfAborted()
      yield recipient
    }
  },
})
