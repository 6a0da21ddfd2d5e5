import { z } from 'zod'
import { approvalFields } from './account-approval.ts'
import { endpoint } from './endpoint.ts'
import { instanceStatuses } from './instance-status.ts'
import { limits } from './limits.ts'
import { instanceFilters } from './list-filters.ts'
import { warmUpSteps } from './pace.ts'
import { listQuery, page } from './paging.ts'
import {
  blankable,
  Hold,
  Instant,
  idParams,
  instant,
  key,
  ReadVersion,
  Reason,
  TimeZone,
  timeOfDay,
} from './values.ts'
import { isMaskedToken, mayBeToken } from './whapi-token.ts'

const seconds = z
  .number(key('ACCOUNT_FORM.PAUSE_INVALID'))
  .min(0, key('ACCOUNT_FORM.PAUSE_INVALID'))
  .max(limits.pauseSeconds, key('ACCOUNT_FORM.PAUSE_INVALID'))
/** The range from which each pause between two messages is drawn, in seconds. [0, 0] means no pause. */
export const PauseSeconds = z
  .tuple([seconds, seconds], key('ACCOUNT_FORM.PAUSE_INVALID'))
  .refine(([from, to]) => from <= to, key('ACCOUNT_FORM.PAUSE_INVALID'))

const cap = z
  .number(key('ACCOUNT_FORM.CAP_INVALID'))
  .int(key('ACCOUNT_FORM.CAP_INVALID'))
  .min(0, key('ACCOUNT_FORM.CAP_INVALID'))
  .max(limits.dailyCap, key('ACCOUNT_FORM.CAP_INVALID'))
/** The maximum number of messages in any 24 hours, to groups and to private chats. 0 means no limit. */
export const DailyCap = z.object({ groups: cap, private: cap })

const quietTime = timeOfDay(key('ACCOUNT_FORM.QUIET_INVALID'))
/** A range of the day, in the instance's time zone, in which nothing is sent. May span midnight. */
export const QuietHours = z
  .object({ from: quietTime, to: quietTime })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: key('ACCOUNT_FORM.QUIET_INVALID') })

const limit = (max: number, text: Parameters<typeof key>[0]) =>
  z.number(key(text)).int(key(text)).min(0, key(text)).max(max, key(text))

/** How fast an instance may send. The limits reflect what WhatsApp tolerates, not what a server can do. */
const pacing = {
  groupPauseSeconds: PauseSeconds,
  privatePauseSeconds: PauseSeconds,
  dailyCap: DailyCap,
  privateSlowAfter: limit(limits.dailyCap, 'ACCOUNT_FORM.CAP_INVALID').meta({
    description:
      'From this many private messages of a day on, `privateSlowPauseSeconds` is the pause. 0: never',
  }),
  privateSlowPauseSeconds: PauseSeconds,
  privatePerQuarterHour: limit(limits.perQuarterHour, 'ACCOUNT_FORM.QUARTER_INVALID').meta({
    description: 'The most private messages in any 15 minutes. 0: no limit',
  }),
  privateHoursPerDay: limit(24, 'ACCOUNT_FORM.HOURS_INVALID').meta({
    description: 'The most hours of a day in which anything private is sent. 0: no limit',
  }),
  privateDaysInARow: limit(limits.daysInARow, 'ACCOUNT_FORM.DAYS_INVALID').meta({
    description: 'After so many days in a row with 20 private messages or more, one day without. 0: none',
  }),
  personCap: limit(limits.personCap, 'ACCOUNT_FORM.PERSON_CAP_INVALID').meta({
    description: 'The most messages to one person in any 24 hours. 0: no limit',
  }),
  personRestDays: limit(limits.personRestDays, 'ACCOUNT_FORM.PERSON_REST_INVALID').meta({
    description: 'Days between two jobs to the same person. 0: none',
  }),
  newPeopleCap: limit(limits.dailyCap, 'ACCOUNT_FORM.CAP_INVALID').meta({
    description: 'The most people written to in the last 30 days who have not answered. 0: no limit',
  }),
  warmUpStep: z
    .literal(warmUpSteps, key('FIELD.INVALID'))
    .nullable()
    .meta({ description: 'The most private messages a day that the warm-up allows now. Null: no warm-up' }),
  quietHours: QuietHours.nullable(),
  timeZone: TimeZone,
}

/** An instance as lists show it. */
export const InstanceRow = z
  .object({
    id: z.number(),
    name: z.string(),
    whatsAppNumber: z.string(),
    isActive: z.boolean(),
    /** Whether the instance is in test mode and sends nothing to WhatsApp. */
    isTest: z.boolean(),
    createdAt: Instant,
    /** When the subscription at the provider ends, if known. */
    expiredTime: Instant.nullable(),
    status: z.enum(instanceStatuses),
    /** When the status was last confirmed. */
    statusSeenAt: Instant.nullable(),
    /** The instance's own problem that stops it from sending (if restricted: only to people). Null without one. */
    waiting: Reason.nullable(),
    /** The problem or the limit that holds back messages to people now, and the same for groups. */
    holds: z.object({ people: Hold.nullable(), groups: Hold.nullable() }),
    /** When a sync last read all groups. */
    lastSyncAt: Instant.nullable(),
    isSyncing: z.boolean(),
    /** When the newest sync ended, successfully or not. Null while one runs. */
    syncEndedAt: Instant.nullable(),
    /** Why the newest sync failed. Null if it succeeded. */
    syncProblem: Reason.nullable(),
  })
  .meta({ id: 'InstanceRow' })
export type InstanceRow = z.output<typeof InstanceRow>

/** The step of a warm-up, and what today has of what earns the next one. */
export const WarmUp = z
  .object({
    step: z.literal(warmUpSteps).meta({ description: 'The most private messages in 24 hours' }),
    nextStep: z
      .literal(warmUpSteps)
      .nullable()
      .meta({ description: 'Null: the warm-up ends with this step' }),
    sentToday: z.number(),
    neededToday: z.number().meta({ description: 'So many messages of a day earn the next step' }),
    spoiltBy: z.enum(['refusal', 'opt_outs']).nullable().meta({ description: 'Why today does not count' }),
  })
  .meta({ id: 'WarmUp' })
export type WarmUp = z.output<typeof WarmUp>

/** A single instance with its pace settings, as its form needs it. */
export const Instance = InstanceRow.extend({
  ...pacing,
  ...approvalFields,
  /** How many active users can approve its jobs. */
  approverCount: z.number(),
  /** Not validated here: the database may contain a zone that new values no longer allow. */
  timeZone: z.string(),
  warmUp: WarmUp.nullable(),
  /** Increases with each edit by a person. */
  version: z.number(),
  /** Included only for Admins, and masked: `••••1234`. */
  whapiToken: z.string().optional(),
}).meta({ id: 'Instance' })
export type Instance = z.output<typeof Instance>

const token = z
  .string(key('ACCOUNT_FORM.TOKEN_INVALID'))
  .trim()
  .min(1, key('ACCOUNT_FORM.TOKEN_INVALID'))
  .max(limits.whapiToken, key('ACCOUNT_FORM.TOKEN_INVALID'))

const fields = {
  name: z
    .string(key('ACCOUNT_FORM.NAME_INVALID'))
    .trim()
    .min(1, key('ACCOUNT_FORM.NAME_INVALID'))
    .max(limits.instanceName, key('ACCOUNT_FORM.NAME_INVALID')),
  whatsAppNumber: z.string().trim().max(limits.whatsAppNumber, key('ACCOUNT_FORM.WHATSAPP_INVALID')),
  whapiToken: token.refine(mayBeToken, key('ACCOUNT_FORM.TOKEN_INVALID')),
  isActive: z.boolean(),
  expiredTime: instant(key('ACCOUNT_FORM.EXPIRY_INVALID')).nullable(),
  ...pacing,
  ...approvalFields,
}

export const NewInstance = z.object({
  ...fields,
  whatsAppNumber: fields.whatsAppNumber.default(''),
  isActive: fields.isActive.default(true),
  expiredTime: fields.expiredTime.default(null),
  ...z.object({ ...pacing, ...approvalFields }).partial().shape,
})
export type NewInstance = z.output<typeof NewInstance>

const changedToken = token.refine(
  (text) => isMaskedToken(text) || mayBeToken(text),
  key('ACCOUNT_FORM.TOKEN_INVALID'),
)
/** A partial change. Omitted fields keep their values, and so does a token that is repeated as it was answered. */
export const InstanceChange = z
  .object({ ...fields, whapiToken: changedToken, version: ReadVersion })
  .partial()
export type InstanceChange = z.output<typeof InstanceChange>

export const InstanceListQuery = listQuery(
  ['id', 'name', 'whatsAppNumber', 'isActive', 'createdAt', 'expiredTime', 'status'],
  {
    sortBy: 'createdAt',
    sortDirection: 'desc',
  },
).extend({
  only: blankable(
    z
      .enum(instanceFilters)
      .optional()
      .describe('`attention`: accounts that are down or expire within seven days'),
  ),
})
export type InstanceListQuery = z.output<typeof InstanceListQuery>

export const instances = {
  list: endpoint({
    method: 'GET',
    path: '/instances',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'List the instances you may see',
    query: InstanceListQuery,
    response: page(InstanceRow),
  }),
  get: endpoint({
    method: 'GET',
    path: '/instances/:id',
    access: 'signedIn',
    allowsApiKeys: true,
    summary: 'One instance; Admins also get the end of its token',
    params: idParams,
    response: Instance,
  }),
  create: endpoint({
    method: 'POST',
    path: '/instances',
    access: 'admin',
    summary: 'Add an instance',
    body: NewInstance,
    response: Instance,
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/instances/:id',
    access: 'admin',
    summary: 'Change an instance. Replacing its token needs a `POST /auth/confirm`, as deleting it does',
    params: idParams,
    body: InstanceChange,
    response: Instance,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/instances/:id',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Delete an instance with its jobs, messages, groups and participants',
    params: idParams,
  }),
  clearData: endpoint({
    method: 'DELETE',
    path: '/instances/data/:id',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Delete the jobs, messages, groups and participants of an instance',
    params: idParams,
  }),
  qr: endpoint({
    method: 'GET',
    path: '/instances/:id/qrcode-base64',
    access: 'canLinkAccounts',
    hasEffect: true,
    summary: 'The QR code to scan with the phone, as a data URI',
    params: idParams,
    response: z.object({ qr: z.string() }),
  }),
  pairingCode: endpoint({
    method: 'GET',
    path: '/instances/:id/connect-code',
    access: 'canLinkAccounts',
    hasEffect: true,
    summary: 'The pairing code to type on the phone',
    params: idParams,
    query: z.object({ phone: z.string().trim().min(1, key('ACCOUNT.PHONE_REQUIRED')).max(50) }),
    response: z.object({ code: z.string() }),
  }),
  logout: endpoint({
    method: 'GET',
    path: '/instances/:id/logout',
    access: 'canLinkAccounts',
    hasEffect: true,
    summary: 'Unlink the instance from WhatsApp',
    params: idParams,
  }),
  resume: endpoint({
    method: 'POST',
    path: '/instances/:id/resume',
    access: 'canCreateJobs',
    summary: 'Resume an instance that stopped after too many failed messages',
    params: idParams,
  }),
  sync: endpoint({
    method: 'POST',
    path: '/instances/:id/sync',
    access: 'signedIn',
    summary: 'Read the groups of the instance again, in the background',
    params: idParams,
    status: 202,
  }),
}
