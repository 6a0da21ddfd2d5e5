import { expect } from '@playwright/test'
import type { Api } from './api.ts'

let count = 0
/** A unique name. The scenarios of a worker share one Sendroom, so their names must differ. */
export const uniqueName = (what: string) => `${what} ${process.pid}-${++count}`

/** Adds a test-mode instance with odd groups and waits until it is connected and its groups are read. */
export async function addInstance(admin: Api, name: string) {
  const whapiToken = `test_linked_odd_${name.replace(/\W+/g, '-')}`
  const { id } = await admin.call('POST /instances', { body: { name, whapiToken } })
  await expect
    .poll(() => admin.call('GET /instances/:id', { params: { id } }), { timeout: 60_000 })
    .toMatchObject({ status: 'Connected', lastSyncAt: expect.any(String), syncProblem: null })
  return { id, name, whapiToken }
}

/** The first 100 groups of an instance whose name contains these words. */
export async function groupsOf(admin: Api, instance: { id: number }, words: string) {
  const { data } = await admin.call('POST /groups/search', {
    body: { instanceIds: [instance.id], search: words, pageSize: 100 },
  })
  return data
}

/** Adds a Member who may use only these instances. Returns the credentials. */
export async function addMember(
  admin: Api,
  may: { use: { id: number }[]; canSendMessages: boolean; canCreateJobs: boolean; canApproveJobs?: boolean },
) {
  const username = uniqueName('member').replace(' ', '-')
  const { use, ...flags } = may
  const assignedInstances = use.map(({ id }) => id)
  const email = `${username}@example.com`
  const password = 'secret member'
  const { id } = await admin.call('POST /users', {
    body: { username, email, password, assignedInstances, ...flags },
  })
  return { id, username, password }
}

/** Sets the pause between two groups. Without one, a test-mode instance sends too fast to be watched. */
export const setGroupPause = (admin: Api, { id }: { id: number }, seconds: number) =>
  admin.call('PUT /instances/:id', { params: { id }, body: { groupPauseSeconds: [seconds, seconds] } })

/** Waits until a job matches `expected`. */
export const untilJob = (admin: Api, id: number, expected: Record<string, unknown>) =>
  expect
    .poll(() => admin.call('GET /jobs/:id', { params: { id } }), { timeout: 60_000 })
    .toMatchObject(expected)
