import type { JobType } from '@sendroom/contract/job-life'
import { NewJob } from '@sendroom/contract/new-jobs'
import { z } from 'zod'
import type { InputOf } from '../../../api/client.ts'
import { blankContent, pollOf, textOf, type WrittenValues, writtenOf } from '../../../forms/content-values.ts'
import { HALF_TYPED } from '../../../forms/half-typed-date.ts'

/** The values of the form for a new job. Each choice of a message or recipients stays while the other one is shown. */
export type Values = {
  name: string
  jobType: JobType
  /** An id, as is `instanceId`; 0 for none. */
  messageId: number
  /** Whether the message is written here. */
  isWritten: boolean
  message: WrittenValues
  imageFile: File | null
  instanceId: number
  /** An instant, empty for now, or `HALF_TYPED`. */
  scheduledAt: string
  groupIds: number[]
  groupSetIds: number[]
  listIds: number[]
  contacts: ChosenContact[]
  phoneNumbers: string
  excludedListIds: number[]
  /** For groups. */
  mentionsAll: boolean
  /** Texts for people without a value, by the key of the variable. */
  fallbacks: Record<string, string>
  leaveOutIncomplete: boolean
}

export type Draft = InputOf<'POST /jobs/preview'>['body']

/** With the name as the form shows it. */
export type ChosenContact = { id: number; name: string }

export const blank: Values = {
  name: '',
  jobType: 'SendToGroups',
  messageId: 0,
  isWritten: false,
  message: { textContent: '', content: blankContent },
  imageFile: null,
  instanceId: 0,
  scheduledAt: '',
  groupIds: [],
  groupSetIds: [],
  listIds: [],
  contacts: [],
  phoneNumbers: '',
  excludedListIds: [],
  mentionsAll: false,
  fallbacks: {},
  leaveOutIncomplete: false,
}

type OneMessage = { messageId: number } | { message: ReturnType<typeof writtenOf> }

const messageOf = ({
  isWritten,
  message,
  messageId,
}: Pick<Values, 'isWritten' | 'message' | 'messageId'>): OneMessage =>
  isWritten ? { message: writtenOf(message) } : { messageId }

/** The form as a job: without what is chosen but not shown. */
export function bodyOf(values: Values) {
  const { name, jobType, instanceId, scheduledAt } = values
  return {
    ...(name.trim() !== '' && { name }),
    ...{ jobType, ...messageOf(values), instanceId, scheduledAt },
    ...recipientsOf(values),
    ...(jobType === 'SendToGroups' && values.mentionsAll && { mentionsAll: true }),
    ...fallbacksOf(values),
  }
}

/** Whom the job goes to. */
export function recipientsOf({ jobType, groupIds, groupSetIds, phoneNumbers, contacts, ...lists }: Values) {
  if (jobType === 'SendToGroups') return { groupIds, phoneNumbers: '', ...filled({ groupSetIds }) }
  const { listIds, excludedListIds } = lists
  const contactIds = contacts.map(({ id }) => id)
  return { groupIds: [], phoneNumbers, ...filled({ listIds, contactIds, excludedListIds }) }
}

/** The texts for people who lack a value, or the wish to leave them out. */
export function fallbacksOf({ jobType, leaveOutIncomplete, ...values }: Values) {
  if (jobType === 'SendToGroups') return {}
  const fallbacks = Object.fromEntries(
    Object.entries(values.fallbacks).filter(([, text]) => text.trim() !== ''),
  )
  return {
    ...(Object.keys(fallbacks).length > 0 && { fallbacks }),
    ...(leaveOutIncomplete && { leaveOutIncomplete }),
  }
}

/** Leaves out empty choices, which are the default. */
const filled = <Choices extends Record<string, number[]>>(choices: Choices) =>
  Object.fromEntries(Object.entries(choices).filter(([, ids]) => ids.length > 0)) as Partial<Choices> // the same keys

/** The request's body: a form if there is an image. */
export function requestOf<Body extends object>(job: Body, values: Values): Body | FormData {
  const imageFile = imageOf(values)
  if (!imageFile) return job
  const form = new FormData()
  form.set('job', JSON.stringify(job))
  form.set('imageFile', imageFile)
  return form
}

/** Names the file in the request id: another image makes another job. */
export function fileOf(values: Values) {
  const imageFile = imageOf(values)
  return imageFile ? [imageFile.name, imageFile.size, imageFile.lastModified] : undefined
}

/** The image of the message that is written here. */
export const imageOf = ({ isWritten, message, imageFile }: Values) =>
  isWritten && message.content.kind === 'text' ? imageFile : null

/** The form as a draft for the preview: null for missing choices, no time while it is half-typed. */
export function draftOf(values: Values): Draft {
  const { isWritten, message, messageId } = values
  const textContent = textOf(message)
  return {
    ...bodyOf({ ...values, isWritten: false }),
    messageId: (!isWritten && messageId) || null,
    // Only variables change what the preview counts.
    ...(isWritten && textContent.includes('{{') && { message: { textContent, ...pollOf(message.content) } }),
    instanceId: values.instanceId || null,
    ...(values.scheduledAt === HALF_TYPED && { scheduledAt: '' }),
  }
}

const MINUTE_MS = 60_000
export const isInFuture = (instant: string) => Date.parse(instant) > Date.now() - MINUTE_MS

/** The server takes a past time as now. In the form it is a mistake, or it passed while the form was filled in. */
const FutureJob = NewJob.refine(({ scheduledAt }) => !scheduledAt || isInFuture(scheduledAt), {
  path: ['scheduledAt'],
  error: 'JOB.SCHEDULED_AT_PASSED',
})

export const NewJobForm = z.preprocess((values) => bodyOf(values as Values), FutureJob)
