/** Every path of the app. The router fills in `$id`. */
export const paths = {
  login: '/login',
  dashboard: '/dashboard',
  messages: '/messages',
  newMessage: '/messages/new',
  editMessage: '/messages/edit/$id',
  jobs: '/jobs',
  newJob: '/jobs/new',
  job: '/jobs/$id',
  groups: '/groups',
  instances: '/instances',
  newInstance: '/instances/new',
  editInstance: '/instances/edit/$id',
  users: '/users',
  newUser: '/users/new',
  editUser: '/users/edit/$id',
  audit: '/audit',
  retention: '/retention',
  quotas: '/limits',
  system: '/system',
  receivers: '/webhooks',
  newReceiver: '/webhooks/new',
  editReceiver: '/webhooks/edit/$id',
  receiver: '/webhooks/$id',
} as const

export type Path = (typeof paths)[keyof typeof paths]

/** The id in an address; null if it is missing or not a positive integer. */
export function idOf(params: { id?: string }): number | null {
  const id = Number(params.id)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/** The choices that an address makes in the form for a new job. */
type NewJobSearch = { message?: number; instance?: number }

/** Reads them. Invalid values are dropped, since anybody can type an address. */
export function readNewJobSearch(raw: Record<string, unknown>): NewJobSearch {
  const [message, instance] = [raw.message, raw.instance].map((id) => idOf({ id: String(id) }))
  return { ...(message && { message }), ...(instance && { instance }) }
}
