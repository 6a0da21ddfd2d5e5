import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { key } from './values.ts'

const invalid = key('RETENTION.DAYS_INVALID')
/** Null keeps them for ever. */
const days = z
  .number(invalid)
  .int(invalid)
  .min(limits.receiptDays, invalid)
  .max(limits.retentionDays, invalid)
  .nullable()

const unusedInvalid = key('RETENTION.UNUSED_INVALID')
/** Null keeps them for ever. A month at least, so that nothing goes which is only used now and then. */
const unusedDays = z
  .number(unusedInvalid)
  .int(unusedInvalid)
  .min(limits.unusedDays, unusedInvalid)
  .max(limits.retentionDays, unusedInvalid)
  .nullable()

/** How many days details are kept. Older ones are deleted. */
export const Retention = z
  .object({
    /** The recipients of a job, after the job has ended. Its counts stay. */
    deliveryDays: days,
    /** The log of a job, after the job has ended. */
    logDays: days,
    /** How long the members who received or read a group's message are kept, after it was sent. The counts stay. */
    receiptDays: days,
    /** Messages that nobody has changed, and no job or series used. */
    messageDays: unusedDays,
    /** Groups and channels with their members, after the account has left them or was last connected. */
    groupDays: unusedDays,
    /** Contacts that nobody has changed or imported, and that got and wrote no message. Opt-outs stay. */
    contactDays: unusedDays,
  })
  .meta({ id: 'Retention' })
export type Retention = z.output<typeof Retention>

/** A program from before leaves out the later ones, which stay as they are. */
const { deliveryDays, logDays, receiptDays, ...later } = Retention.shape
export const RetentionChange = z
  .object({ deliveryDays, logDays, receiptDays, ...z.object(later).partial().shape })
  .meta({ id: 'RetentionChange' })
export type RetentionChange = z.output<typeof RetentionChange>

export const retention = {
  get: endpoint({
    method: 'GET',
    path: '/retention',
    access: 'admin',
    summary: 'How many days details of jobs, and what nobody uses, are kept',
    response: Retention,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/retention',
    access: 'admin',
    needsConfirmation: true,
    summary:
      'Set how many days details of jobs, and what nobody uses, are kept; older ones are deleted for good',
    body: RetentionChange,
    response: Retention,
  }),
}
