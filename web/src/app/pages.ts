import { paths } from '../paths.ts'

/** The code of the pages, for the router and for who sends for it before there is one. */
export const pages = {
  [paths.dashboard]: () => import('../features/dashboard/dashboard-page.tsx'),
  [paths.messages]: () => import('../features/messages/messages-page.tsx'),
  [paths.newMessage]: () => import('../features/messages/message-form-page.tsx'),
  [paths.editMessage]: () => import('../features/messages/message-form-page.tsx'),
  [paths.jobs]: () => import('../features/jobs/jobs-page.tsx'),
  [paths.newJob]: () => import('../features/jobs/job-form-page.tsx'),
  [paths.job]: () => import('../features/jobs/job-detail-page.tsx'),
  [paths.groups]: () => import('../features/groups/groups-page.tsx'),
  [paths.instances]: () => import('../features/instances/instances-page.tsx'),
  [paths.newInstance]: () => import('../features/instances/instance-form-page.tsx'),
  [paths.editInstance]: () => import('../features/instances/instance-form-page.tsx'),
  [paths.users]: () => import('../features/users/users-page.tsx'),
  [paths.newUser]: () => import('../features/users/user-form-page.tsx'),
  [paths.editUser]: () => import('../features/users/user-form-page.tsx'),
}

export const loadShell = () => import('./shell.tsx')

/** Sends for all that this address shows. Whether it comes is the router's business, which asks again. */
export function sendForPage(address: string) {
  loadShell().catch(() => {})
  pages[pageAt(address)]().catch(() => {})
}

/** Unknown addresses lead to the dashboard. */
export const pageAt = (address: string): keyof typeof pages =>
  addresses.find((path) => patternOf(path).test(address)) ?? paths.dashboard

// Object.keys() forgets which keys these are.
const addresses = Object.keys(pages) as (keyof typeof pages)[]
const patternOf = (path: string) => new RegExp(`^${path.replace('$id', '[^/]+')}$`)
