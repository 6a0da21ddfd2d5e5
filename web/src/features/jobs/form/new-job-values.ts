import type { JobType } from '@sendroom/contract/job-life'
import { NewJob } from '@sendroom/contract/new-jobs'
import { z } from 'zod'
import { HALF_TYPED } from '../../../forms/half-typed-date.ts'
import type { Draft } from './job-preview.tsx'

/** The values of the form for a new job. Each choice of a message or recipients stays while the other one is shown. */
export type Values = {
  jobType: JobType
  /** An id, as is `instanceId`; 0 for none. */
  messageId: number
  /** Whether the message is written here. */
  isWritten: boolean
  message: { textContent: string }
  imageFile: File | null
  instanceId: number
  /** An instant, empty for now, or `HALF_TYPED`. */
  scheduledAt: string
  groupIds: number[]
  phoneNumbers: string
}

export const blank: Values = {
  jobType: 'SendToGroups',
  messageId: 0,
  isWritten: false,
  message: { textContent: '' },
  imageFile: null,
  instanceId: 0,
  scheduledAt: '',
  groupIds: [],
  phoneNumbers: '',
}

type OneMessage = { messageId: number } | { message: Values['message'] }

const messageOf = ({
  isWritten,
  message,
  messageId,
}: Pick<Values, 'isWritten' | 'message' | 'messageId'>): OneMessage =>
  isWritten ? { message } : { messageId }

/** The form as a job: without what is chosen but not shown. */
export function bodyOf({ isWritten, message, messageId, imageFile: _, ...rest }: Values) {
  const isToGroups = rest.jobType === 'SendToGroups'
  return {
    ...rest,
    ...messageOf({ isWritten, message, messageId }),
    groupIds: isToGroups ? rest.groupIds : [],
    phoneNumbers: isToGroups ? '' : rest.phoneNumbers,
  }
}

/** The request's body: a form if there is an image. */
export function requestOf<Body extends object>(job: Body, { isWritten, imageFile }: Values): Body | FormData {
  if (!isWritten || !imageFile) return job
  const form = new FormData()
  form.set('job', JSON.stringify(job))
  form.set('imageFile', imageFile)
  return form
}

/** Names the file in the request id: another image makes another job. */
export const fileOf = ({ isWritten, imageFile }: Values) =>
  isWritten && imageFile ? [imageFile.name, imageFile.size, imageFile.lastModified] : undefined

/** The form as a draft for the preview: null for missing choices, no time while it is half-typed. */
export function draftOf(values: Values): Draft {
  return {
    ...bodyOf({ ...values, isWritten: false }),
    messageId: (!values.isWritten && values.messageId) || null,
    instanceId: values.instanceId || null,
    ...(values.scheduledAt === HALF_TYPED && { scheduledAt: '' }),
  }
}

const MINUTE_MS = 60_000
const isInFuture = (instant: string) => Date.parse(instant) > Date.now() - MINUTE_MS

/** The server takes a past time as now. In the form it is a mistake, or it passed while the form was filled in. */
const FutureJob = NewJob.refine(({ scheduledAt }) => !scheduledAt || isInFuture(scheduledAt), {
  path: ['scheduledAt'],
  error: 'JOB.SCHEDULED_AT_PASSED',
})

export const NewJobForm = z.preprocess((values) => bodyOf(values as Values), FutureJob)
