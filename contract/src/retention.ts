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

/** How many days details are kept. Older ones are deleted. */
export const Retention = z
  .object({
    /** The recipients of a job, after the job has ended. Its counts stay. */
    deliveryDays: days,
    /** The log of a job, after the job has ended. */
    logDays: days,
    /** How long the members who received or read a group's message are kept, after it was sent. The counts stay. */
    receiptDays: days,
  })
  .meta({ id: 'Retention' })
export type Retention = z.output<typeof Retention>

export const retention = {
  get: endpoint({
    method: 'GET',
    path: '/retention',
    access: 'admin',
    summary: 'How many days details of jobs are kept',
    response: Retention,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/retention',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Set how many days details of jobs are kept; older ones are deleted for good',
    body: Retention,
    response: Retention,
  }),
}
