import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { key } from './values.ts'

const invalid = key('QUOTAS.INVALID')
const quota = z.number(invalid).int(invalid).min(1, invalid).max(limits.quota, invalid)

/** How much one user and one instance may take. */
export const Quotas = z
  .object({
    /** The recipients of a user's jobs that have not ended, or were created in the last 24 hours and cancelled. */
    recipientsPerUser: quota,
    /** The recipients of an instance's jobs that have not ended. */
    recipientsPerInstance: quota,
    /** The syncs of an instance that users ask for in 24 hours. */
    syncsPerDay: quota,
    /** The searches of a user that run at once. More of them wait. */
    searchesAtOnce: quota,
    /** The images that a user has uploaded, as they are stored. */
    imageMegabytesPerUser: quota,
  })
  .meta({ id: 'Quotas' })
export type Quotas = z.output<typeof Quotas>

export const quotas = {
  get: endpoint({
    method: 'GET',
    path: '/quotas',
    access: 'admin',
    summary: 'How much one user and one instance may take',
    response: Quotas,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/quotas',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Set how much one user and one instance may take',
    body: Quotas,
    response: Quotas,
  }),
}
