/** Every address of the app, in one place; `$id` is filled in by the router. */
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
} as const

/** The id of an address; null when it is missing or no number above zero. */
export function idOf(params: { id?: string }): number | null {
  const id = Number(params.id)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}
