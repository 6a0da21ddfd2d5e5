import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { instanceStatuses } from './instance-status.ts'
import { limits } from './limits.ts'
import { listQuery, page } from './paging.ts'
import { Instant, idParams, key, Reason } from './values.ts'

const seconds = z
  .number(key('ACCOUNT_FORM.PAUSE_INVALID'))
  .min(0, key('ACCOUNT_FORM.PAUSE_INVALID'))
  .max(limits.pauseSeconds, key('ACCOUNT_FORM.PAUSE_INVALID'))
/** The range a pause between two messages is drawn from, in seconds; [0, 0] is none. */
export const PauseSeconds = z
  .tuple([seconds, seconds], key('ACCOUNT_FORM.PAUSE_INVALID'))
  .refine(([from, to]) => from <= to, key('ACCOUNT_FORM.PAUSE_INVALID'))

const cap = z
  .number(key('ACCOUNT_FORM.CAP_INVALID'))
  .int(key('ACCOUNT_FORM.CAP_INVALID'))
  .min(0, key('ACCOUNT_FORM.CAP_INVALID'))
  .max(limits.dailyCap, key('ACCOUNT_FORM.CAP_INVALID'))
/** Messages in any 24 hours, to groups and to private chats; 0 is no limit. */
export const DailyCap = z.object({ groups: cap, private: cap })

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, key('ACCOUNT_FORM.QUIET_INVALID'))
/** Times of day in the instance's time zone between which nothing is sent; may span midnight. */
export const QuietHours = z
  .object({ from: timeOfDay, to: timeOfDay })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: key('ACCOUNT_FORM.QUIET_INVALID') })

const isTimeZone = (name: string) => {
  try {
    // PostgreSQL reads an offset such as +07:00 with the opposite sign, and CET as an hour that knows no summer.
    return (
      (name === 'UTC' || name.includes('/')) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
    )
  } catch {
    return false
  }
}

/** How fast an instance may send. Times are chosen by what WhatsApp tolerates, not by what a server can do. */
const pacing = {
  groupPauseSeconds: PauseSeconds,
  privatePauseSeconds: PauseSeconds,
  dailyCap: DailyCap,
  quietHours: QuietHours.nullable(),
  timeZone: z.string().max(100).refine(isTimeZone, key('ACCOUNT_FORM.TIME_ZONE_INVALID')),
}

export const InstanceRow = z
  .object({
    id: z.number(),
    name: z.string(),
    whatsAppNumber: z.string(),
    isActive: z.boolean(),
    /** A test-mode account: nothing it sends leaves the machine. */
    isTest: z.boolean(),
    createdAt: Instant,
    /** When the account's term at the provider ends, where that is known. */
    expiredTime: Instant.nullable(),
    status: z.enum(instanceStatuses),
    /** When the status was last seen true. */
    statusSeenAt: Instant.nullable(),
    /** Why the account sends nothing at the moment (restricted: nothing to people), if that is its own trouble. */
    waiting: Reason.nullable(),
    /** When its groups were last read whole. */
    lastSyncAt: Instant.nullable(),
    isSyncing: z.boolean(),
    /** When the newest sync ended, however it went; null while one runs. */
    syncEndedAt: Instant.nullable(),
    /** Why the newest sync failed, if it did. */
    syncProblem: Reason.nullable(),
  })
  .meta({ id: 'InstanceRow' })
export type InstanceRow = z.output<typeof InstanceRow>

export const Instance = InstanceRow.extend({
  ...pacing,
  /** One that is no longer taken may be stored. */
  timeZone: z.string(),
  /** Given to Admins only, for the form. */
  whapiToken: z.string().optional(),
}).meta({ id: 'Instance' })
export type Instance = z.output<typeof Instance>

const fields = {
  name: z
    .string(key('ACCOUNT_FORM.NAME_INVALID'))
    .trim()
    .min(1, key('ACCOUNT_FORM.NAME_INVALID'))
    .max(limits.instanceName, key('ACCOUNT_FORM.NAME_INVALID')),
  whatsAppNumber: z.string().trim().max(limits.whatsAppNumber, key('ACCOUNT_FORM.WHATSAPP_INVALID')),
  whapiToken: z
    .string(key('ACCOUNT_FORM.TOKEN_INVALID'))
    .trim()
    .min(1, key('ACCOUNT_FORM.TOKEN_INVALID'))
    .max(limits.whapiToken, key('ACCOUNT_FORM.TOKEN_INVALID')),
  isActive: z.boolean(),
  expiredTime: z.iso.datetime(key('ACCOUNT_FORM.EXPIRY_INVALID')).nullable(),
  ...pacing,
}

export const NewInstance = z.object({
  ...fields,
  whatsAppNumber: fields.whatsAppNumber.default(''),
  isActive: fields.isActive.default(true),
  expiredTime: fields.expiredTime.default(null),
  groupPauseSeconds: pacing.groupPauseSeconds.optional(),
  privatePauseSeconds: pacing.privatePauseSeconds.optional(),
  dailyCap: pacing.dailyCap.optional(),
  quietHours: pacing.quietHours.optional(),
  timeZone: pacing.timeZone.optional(),
})
export type NewInstance = z.output<typeof NewInstance>

/** Fields left out stay as they are. */
export const InstanceChange = z.object(fields).partial()
export type InstanceChange = z.output<typeof InstanceChange>

export const InstanceListQuery = listQuery(
  ['id', 'name', 'whatsAppNumber', 'isActive', 'createdAt', 'expiredTime', 'status'],
  {
    sortBy: 'createdAt',
    sortDirection: 'desc',
  },
)
export type InstanceListQuery = z.output<typeof InstanceListQuery>

export const instances = {
  list: endpoint({
    method: 'GET',
    path: '/instances',
    access: 'signedIn',
    summary: 'List the instances you may see',
    query: InstanceListQuery,
    response: page(InstanceRow),
  }),
  get: endpoint({
    method: 'GET',
    path: '/instances/:id',
    access: 'signedIn',
    summary: 'One instance; Admins also get its token',
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
    summary: 'Change an instance',
    params: idParams,
    body: InstanceChange,
    response: Instance,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/instances/:id',
    access: 'admin',
    summary: 'Delete an instance with its jobs, messages, groups and participants',
    params: idParams,
  }),
  clearData: endpoint({
    method: 'DELETE',
    path: '/instances/data/:id',
    access: 'admin',
    summary: 'Delete the jobs, messages, groups and participants of an instance',
    params: idParams,
  }),
  qr: endpoint({
    method: 'GET',
    path: '/instances/:id/qrcode-base64',
    access: 'signedIn',
    summary: 'The QR code to scan with the phone, as a data URI',
    params: idParams,
    response: z.object({ qr: z.string() }),
  }),
  pairingCode: endpoint({
    method: 'GET',
    path: '/instances/:id/connect-code',
    access: 'signedIn',
    summary: 'The pairing code to type on the phone',
    params: idParams,
    query: z.object({ phone: z.string().trim().min(1, key('ACCOUNT.PHONE_REQUIRED')).max(50) }),
    response: z.object({ code: z.string() }),
  }),
  logout: endpoint({
    method: 'GET',
    path: '/instances/:id/logout',
    access: 'signedIn',
    summary: 'Unlink the instance from WhatsApp',
    params: idParams,
  }),
  resume: endpoint({
    method: 'POST',
    path: '/instances/:id/resume',
    access: 'canCreateJobs',
    summary: 'Let an account that waits after its trouble send again',
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
