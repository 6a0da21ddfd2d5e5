import { paths } from '../paths.ts'

/** Loaders of the pages' code, for the router and for `preloadPage`. */
export const pages = {
  [paths.dashboard]: () => import('../features/dashboard/dashboard-page.tsx'),
  [paths.messages]: () => import('../features/messages/messages-page.tsx'),
  [paths.newMessage]: () => import('../features/messages/message-form-page.tsx'),
  [paths.editMessage]: () => import('../features/messages/message-form-page.tsx'),
  [paths.jobs]: () => import('../features/jobs/list/jobs-page.tsx'),
  [paths.newJob]: () => import('../features/jobs/form/job-form-page.tsx'),
  [paths.job]: () => import('../features/jobs/detail/job-detail-page.tsx'),
  [paths.groups]: () => import('../features/groups/groups-page.tsx'),
  [paths.instances]: () => import('../features/instances/instances-page.tsx'),
  [paths.newInstance]: () => import('../features/instances/instance-form-page.tsx'),
  [paths.editInstance]: () => import('../features/instances/instance-form-page.tsx'),
  [paths.users]: () => import('../features/users/users-page.tsx'),
  [paths.newUser]: () => import('../features/users/user-form-page.tsx'),
  [paths.editUser]: () => import('../features/users/user-form-page.tsx'),
  [paths.audit]: () => import('../features/audit/audit-page.tsx'),
  [paths.retention]: () => import('../features/retention/retention-page.tsx'),
  [paths.quotas]: () => import('../features/quotas/quotas-page.tsx'),
  [paths.system]: () => import('../features/system/system-page.tsx'),
  [paths.receivers]: () => import('../features/receivers/receivers-page.tsx'),
  [paths.newReceiver]: () => import('../features/receivers/receiver-form-page.tsx'),
  [paths.editReceiver]: () => import('../features/receivers/receiver-form-page.tsx'),
  [paths.receiver]: () => import('../features/receivers/receiver-page.tsx'),
}

export const loadShell = () => import('./shell.tsx')

/** Starts loading the code of the page at this address. Failures are left to the router, which loads it again. */
export function preloadPage(address: string) {
  loadShell().catch(() => {})
  pages[pageAt(address)]().catch(() => {})
}

/** The path pattern of the page at this address; the dashboard for unknown addresses. */
export const pageAt = (address: string): keyof typeof pages =>
  addresses.find((path) => patternOf(path).test(address)) ?? paths.dashboard

// The cast restores the key type, which Object.keys() widens to string.
const addresses = Object.keys(pages) as (keyof typeof pages)[]
const patternOf = (path: string) => new RegExp(`^${path.replace('$id', '[^/]+')}$`)
