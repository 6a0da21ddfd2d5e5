import { z } from 'zod'
import { jobTypes } from './job-life.ts'
import { limits } from './limits.ts'
import { WrittenMessage } from './messages.ts'
import { canStandFor } from './personal-text.ts'
import { isPoll } from './text-previews.ts'
import { firstOf, Hold, Instant, idList, instant, isForm, key, Named, ReadVersion } from './values.ts'

const messageId = z.number(key('JOB.MESSAGE_REQUIRED')).int().positive(key('JOB.MESSAGE_REQUIRED')).nullish()
const instanceId = z.number(key('JOB.INSTANCE_REQUIRED')).int().positive(key('JOB.INSTANCE_REQUIRED'))
const scheduledAt = z
  .union(
    [z.literal('').transform(() => null), instant(key('JOB.SCHEDULED_AT_INVALID'))],
    key('JOB.SCHEDULED_AT_INVALID'),
  )
  .nullish()
const mentionsAll = z
  .boolean()
  .describe(
    'Mentions all members of each group, once a day for each account and group. Needs the right canMentionAll. For texts, images and videos.',
  )
const name = z.string().trim().max(limits.jobName, key('JOB.NAME_TOO_LONG'))

const recipientFields = {
  groupIds: idList(limits.recipients, { tooMany: key('JOB.RECIPIENTS_TOO_MANY') }).default([]),
  groupSetIds: idList(limits.jobLists)
    .default([])
    .describe('Sets of groups of the account. Groups in them that the account has left are left out.'),
  /** Numbers separated by commas, semicolons, tabs or new lines. */
  phoneNumbers: z.string().max(4_000_000, key('JOB.RECIPIENTS_TOO_MANY')).default(''),
  contactIds: idList(limits.pageSizeMax)
    .default([])
    .describe(
      'For SendToUsers, beside `phoneNumbers`: contacts that you see. Everybody gets the message once, at the primary number. A phone number of a contact that you see is that contact.',
    ),
  listIds: idList(limits.jobLists)
    .default([])
    .describe('Lists of contacts that you may use, as they are when the job is created.'),
  excludedListIds: idList(limits.jobLists)
    .default([])
    .describe('Lists whose contacts are left out, also if their numbers are in `phoneNumbers`.'),
}

const personalFields = {
  fallbacks: z
    .record(
      z.string().max(limits.contactFieldKey),
      z
        .string(key('JOB.FALLBACK_INVALID'))
        .trim()
        .max(limits.contactValue, key('JOB.FALLBACK_INVALID'))
        .refine((text) => text === '' || canStandFor(text), key('JOB.FALLBACK_INVALID')),
    )
    .refine((fallbacks) => Object.keys(fallbacks).length <= limits.contactFields + 1)
    .default({})
    .describe(
      'Texts for people without a value, by the key of the variable. One in the message itself goes before. An empty text counts as none.',
    ),
  leaveOutIncomplete: z
    .boolean()
    .default(false)
    .describe(
      'Leaves out people who have no value for a variable and no fallback. Without this a job with such people is refused: `values_missing`.',
    ),
}

/** Whom a job goes to. */
export const JobRecipients = z.object(recipientFields)
export type JobRecipients = z.output<typeof JobRecipients>

/** The fields of a new job. Those of a series are the same. */
export const newJobFields = {
  jobType: z.enum(jobTypes, key('JOB.JOB_TYPE_REQUIRED')).default('SendToGroups'),
  ...{ messageId, instanceId, scheduledAt },
  ...recipientFields,
  ...personalFields,
}

/** A job whose form is still being filled in. Missing choices are null or left out. */
export const JobDraft = z.object({
  ...newJobFields,
  /** A message that is written with the job, as far as it is. */
  message: z.object({ textContent: z.string().max(limits.messageText), isPoll }).nullish(),
  instanceId: newJobFields.instanceId.nullish(),
  mentionsAll: mentionsAll.default(false),
})
export type JobDraft = z.output<typeof JobDraft>

/** Whom the messages of a job to groups would mention. */
const MentionPreview = z.object({
  /** The members of the groups where this account may mention them, as of the last sync. */
  members: z.number(),
  /** Those of them whose number WhatsApp shows. */
  reached: z.number(),
  /** Groups that the account has mentioned on the job's day. Their messages go out without mentions. */
  mentionedBefore: firstOf(Named),
})

/** The outcome to expect if the draft were created as a job now. */
export const JobPreview = z
  .object({
    /** The number of recipients, without duplicates, unreadable numbers, left groups and people who are left out. */
    recipients: z.number(),
    duplicates: z.number(),
    /** People whom a list to leave out takes out. */
    leftOut: z.number(),
    /** Contacts whose phone number WhatsApp hides. They are left out. */
    withoutNumber: z.number(),
    /** Entries that are not phone numbers, as they were typed. A job with any is refused. */
    unreadable: firstOf(z.string()),
    /** Groups that the instance has left. A job with any is refused. */
    leftGroups: firstOf(Named),
    /** Groups of the sets that the instance has left. The job leaves them out. */
    leftInSets: firstOf(Named),
    /** Groups to which the instance may not write. They count as recipients, but would fail. */
    closedGroups: firstOf(Named),
    /** Null unless the draft mentions all members of groups. */
    mentions: MentionPreview.nullable(),
    /** Recipients who have opted out. They count as recipients, and the job skips them. */
    optedOut: z.number(),
    /** The same for numbers that were checked in the last 30 days and are not on WhatsApp. */
    notOnWhatsapp: z.number(),
    /** People who lack a value, and the variables. A job with any is refused, unless it leaves them out. */
    incomplete: firstOf(z.string()).extend({ variables: z.array(z.string()) }),
    /** People for whom the text gets too long. A job with any is refused. */
    tooLong: firstOf(z.string()),
    /** From the start to the last message, at the instance's pace and with its other jobs. Null if unknown. */
    durationSeconds: z.number().nullable(),
    endsAt: Instant.nullable(),
    /** Why the instance has to wait now, unless that ends before the job's time. */
    hold: Hold.nullable(),
  })
  .meta({ id: 'JobPreview' })
export type JobPreview = z.output<typeof JobPreview>

/**
 * Requires a message, and groups or people, depending on the type. A time that has passed means now.
 */
export const NewJob = z
  .object({
    ...newJobFields,
    mentionsAll: mentionsAll.default(false),
    name: name.default('').describe('For your own lists. Recipients never see it.'),
    message: WrittenMessage.nullish().describe(
      'In place of `messageId`: a message of the job’s account that is created together with the job. Needs the right to write messages, too. An image may be sent as a file.',
    ),
    /** An idempotency key, so that a retry after a lost answer creates no second job. */
    requestId: z
      .uuid()
      .nullish()
      .describe(
        'A UUID of your choice. Repeating it returns the same job, unless that job was cancelled. Without one, an equal request of yours within 3 seconds counts as a double click and returns the same job.',
      ),
  })
  .refine(({ messageId, message }) => Boolean(messageId) !== Boolean(message), {
    path: ['messageId'],
    error: key('JOB.MESSAGE_REQUIRED'),
    when: isForm,
  })
  .superRefine((job, context) => {
    if (job.jobType === 'SendToGroups' && job.groupIds.length + job.groupSetIds.length === 0)
      context.addIssue({ code: 'custom', path: ['groupIds'], message: key('JOB.GROUP_REQUIRED') })
    if (job.jobType !== 'SendToGroups' && job.mentionsAll)
      context.addIssue({ code: 'custom', path: ['mentionsAll'], message: key('JOB.MENTIONS_NOT_HERE') })
    const hasContacts = job.contactIds.length + job.listIds.length > 0
    if (job.jobType === 'SendToUsers' && job.phoneNumbers.trim() === '' && !hasContacts)
      context.addIssue({ code: 'custom', path: ['phoneNumbers'], message: key('JOB.PHONE_REQUIRED') })
  })
export type NewJob = z.output<typeof NewJob>

/**
 * A change of a job. What is left out stays as it is. The kind of job stays in any case. Of a job that has begun only
 * the name can be changed.
 */
export const JobChange = z.object({
  version: ReadVersion,
  name: name.optional(),
  mentionsAll: mentionsAll.optional(),
  scheduledAt: scheduledAt.describe('Null is now.'),
  instanceId: instanceId
    .optional()
    .describe('Another account. A job to groups needs new recipients then: groups belong to an account.'),
  messageId: messageId.describe('The job gets the present text and image of this message.'),
  recipients: JobRecipients.optional().describe('In place of all recipients that it has.'),
  ...personalFields,
})
export type JobChange = z.output<typeof JobChange>
