import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { listQuery, page } from './paging.ts'
import { recipientOutcomes } from './recipient-outcomes.ts'
import { blankable, Id, Instant, idParams, Reason } from './values.ts'

// The rows of one job: its recipients and its log lines.

/** A delivery that was sent or has failed. */
export const SentMessage = z
  .object({
    id: z.number(),
    recipientName: z.string(),
    /** The chat's id at WhatsApp, or the phone number. */
    recipientId: z.string(),
    /** The recipient's own text. Null if everybody gets the job's. */
    ownText: z.string().nullable(),
    status: z.enum(['Sent', 'Failed']),
    sentAt: Instant.nullable(),
    /** The times of the first delivery receipt and the first read receipt. A channel has none. */
    deliveredAt: Instant.nullable(),
    readAt: Instant.nullable(),
    /** How many members of a group got and read the message. Null for a person, and for a channel. */
    deliveredTo: z.number().nullable(),
    readBy: z.number().nullable(),
    /** The members of the group without the sender. Null for others, or if the size is unknown. */
    members: z.number().nullable(),
    /** Whom the message mentions: so many members, of so many that the group had. Null if it mentions nobody. */
    mentions: z.object({ reached: z.number(), members: z.number() }).nullable(),
    /** The votes in a poll by option, and when they came last. Null until the first results, and for other messages. */
    votes: z.object({ counts: z.record(z.string(), z.number()), updatedAt: Instant }).nullable(),
    /** Whether the members of a group can be listed, each with what they have done with the message. */
    areMembersKept: z.boolean(),
    /** The English sentence of `reason`. */
    errorMessage: z.string().nullable(),
    /** Why it failed, or why the job skipped somebody. Null for a recipient whom a cancel skipped. */
    reason: Reason.nullable(),
  })
  .meta({ id: 'SentMessage' })
export type SentMessage = z.output<typeof SentMessage>

/** Any recipient of a job's current run. `Waiting` includes a message that is being sent or in doubt. */
export const JobRecipient = SentMessage.extend({ status: z.enum(recipientOutcomes) }).meta({
  id: 'JobRecipient',
})
export type JobRecipient = z.output<typeof JobRecipient>

/** The state of a message for a member of a group, as WhatsApp reported it. Without a report it is `None`. */
export const memberStates = ['None', 'Delivered', 'Read'] as const
export type MemberState = (typeof memberStates)[number]

/** A present member of a group that a job has written to. */
export const JobMember = z
  .object({
    /** The phone number, digits only. If WhatsApp hides the number, an id that ends in `@lid`. */
    personId: z.string(),
    name: z.string().nullable(),
    state: z.enum(memberStates),
  })
  .meta({ id: 'JobMember' })
export type JobMember = z.output<typeof JobMember>

/** A line of a job's log. `message` is the English sentence of `reason`. */
export const JobLog = z
  .object({
    id: z.number(),
    createdAt: Instant,
    logLevel: z.enum(['Info', 'Warning', 'Error']),
    message: z.string(),
    reason: Reason,
  })
  .meta({ id: 'JobLog' })
export type JobLog = z.output<typeof JobLog>

/** The query for the rows of one job, newest first. */
export const JobRowsQuery = listQuery(['id'], { sortBy: 'id', sortDirection: 'desc' })
export type JobRowsQuery = z.output<typeof JobRowsQuery>

/** The query for the recipients of one job: the failed ones first, then in the order in which the job sends. */
export const JobRecipientsQuery = z.object({
  ...JobRowsQuery.pick({ page: true, pageSize: true, search: true }).shape,
  /** Without it, all recipients. */
  outcome: blankable(z.enum(recipientOutcomes).optional()),
})
export type JobRecipientsQuery = z.output<typeof JobRecipientsQuery>

/** Which recipients of one job a file has: all, or those that the page's filter and search leave. */
export const JobRecipientsFilter = JobRecipientsQuery.pick({ search: true, outcome: true })
export type JobRecipientsFilter = z.output<typeof JobRecipientsFilter>

/** The query for the members of a recipient: those without a receipt first, then those who have not read, by name. */
export const JobMembersQuery = z.object({
  ...JobRowsQuery.pick({ page: true, pageSize: true }).shape,
  /** Without it, all members. */
  state: blankable(z.enum(memberStates).optional()),
})
export type JobMembersQuery = z.output<typeof JobMembersQuery>

/** The endpoints of a job's rows, which are among those of `jobs`. */
export const jobRows = {
  sentMessages: endpoint({
    method: 'GET',
    path: '/jobs/:id/sent-messages',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'All sent and failed deliveries of a job',
    params: idParams,
    query: JobRowsQuery,
    response: page(SentMessage),
  }),
  recipients: endpoint({
    method: 'GET',
    path: '/jobs/:id/recipients',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'The recipients of a job, all or by outcome, the failed ones first',
    params: idParams,
    query: JobRecipientsQuery,
    response: page(JobRecipient),
  }),
  exportCsv: endpoint({
    method: 'GET',
    path: '/jobs/:id/recipients/export/csv',
    access: 'signedIn',
    summary: 'The recipients of a job as a CSV file, all or by outcome, in the order in which the job sends',
    params: idParams,
    query: JobRecipientsFilter,
    download: 'text/csv; charset=utf-8',
  }),
  exportXlsx: endpoint({
    method: 'GET',
    path: '/jobs/:id/recipients/export/xlsx',
    access: 'signedIn',
    summary: 'The same as an Excel file',
    params: idParams,
    query: JobRecipientsFilter,
    download: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
  members: endpoint({
    method: 'GET',
    path: '/jobs/:id/recipients/:recipientId/members',
    access: 'canExportParticipants',
    allowsApiKeys: true,
    summary:
      'Who of a group has received and read the message; empty when the retention time is over, and until it is sent',
    params: idParams.extend({ recipientId: Id }),
    query: JobMembersQuery,
    response: page(JobMember),
  }),
  logs: endpoint({
    method: 'GET',
    path: '/jobs/:id/logs',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'The whole log of a job',
    params: idParams,
    query: JobRowsQuery,
    response: page(JobLog),
  }),
}
