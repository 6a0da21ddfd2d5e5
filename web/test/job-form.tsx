import type { Group } from '@sendroom/contract/groups'
import type { JobRow } from '@sendroom/contract/jobs'
import type { JobPreview } from '@sendroom/contract/new-jobs'
import { screen } from '@testing-library/react'
import { group } from './group.ts'
import { instance, wholeInstance } from './instance.ts'
import { row } from './job.ts'
import { messageRow } from './message.ts'
import { admin, renderApp } from './render.tsx'
import { type Answers, pageOf, type RecordedRequest, refuse } from './server.ts'

export const shop = { ...instance, id: 7, name: 'Shop' }
export const depot = { ...instance, id: 8, name: 'Depot' }
const groupsOf: Record<number, Group[]> = {
  7: [
    { ...group, id: 1, name: 'Family' },
    { ...group, id: 2, name: 'Friends' },
    { ...group, id: 3, name: 'Former', hasLeft: true },
    { ...group, id: 4, name: 'Work' },
  ],
  8: [{ ...group, id: 9, name: 'Drivers' }],
}
export const hello = { ...messageRow, instanceId: 7, instanceName: 'Shop' }
export const plain = { ...hello, id: 6, textContent: 'No groups here' }
export const assigned = [1, 3, 4, 9].map((id) => ({ id, name: '' }))

export const answers: Answers = {
  'GET /instances': () => pageOf([shop, depot]),
  'GET /messages': () => pageOf([hello, plain]),
  'GET /messages/:id': ({ params }) =>
    params.id === '5'
      ? { ...hello, assignedGroups: assigned, version: 1 }
      : { ...plain, assignedGroups: [], version: 1 },
  'POST /groups/search': ({ body }) => {
    const { instanceIds } = body as { instanceIds: number[] }
    return pageOf(groupsOf[instanceIds[0] ?? 0] ?? [])
  },
  'GET /instances/:id': () => wholeInstance,
  'GET /lists': () => pageOf([]),
  'GET /group-sets': () => pageOf([]),
  'GET /jobs': () => pageOf([]),
}
export const created: JobRow = { ...row, messageTitle: 'Hello', status: 'Pending' }

const none = { total: 0, first: [] }
/** The preview of a job with nothing to note. */
export const calm: JobPreview = {
  recipients: 3,
  duplicates: 0,
  leftOut: 0,
  withoutNumber: 0,
  unreadable: none,
  leftGroups: none,
  leftInSets: none,
  closedGroups: none,
  mentions: null,
  ...{ optedOut: 0, notOnWhatsapp: 0 },
  incomplete: { total: 0, first: [], variables: [] },
  tooLong: { total: 0, first: [] },
  durationSeconds: null,
  endsAt: null,
  hold: null,
}

export const open = (more: Answers = {}) => renderApp({ path: '/jobs/new', answers: { ...answers, ...more } })
export type Person = ReturnType<typeof open>['person']

export const submit = async (person: Person) =>
  person.click(await screen.findByRole('button', { name: 'Create job' }))

export const timeField = () => screen.findByLabelText<HTMLInputElement>('Scheduled at')

/** The bodies of the requests that create jobs. */
export const jobRequests = (requests: RecordedRequest[]) =>
  requests.flatMap(({ name, body }) => (name === 'POST /jobs' ? [body as { requestId: string }] : []))

/** The session ends while the job is created, and the user signs in again. */
export const endedSession: Answers = {
  'POST /jobs': () => refuse(401, 'unauthenticated'),
  'POST /auth/login': () => ({ token: 'new', user: admin }),
  'GET /auth/options': () => ({ selfRegistration: false, passwordMin: 6 }),
}
