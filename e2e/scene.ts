import { expect } from '@playwright/test'
import type { Api } from './api.ts'

let count = 0
/** A name no other story has: the stories of a worker share one Sendroom. */
export const named = (what: string) => `${what} ${process.pid}-${++count}`

/** A test-mode account that is linked, with its groups read. */
export async function addAccount(admin: Api, name: string) {
  const whapiToken = `test_linked_${name.replace(/\W+/g, '-')}`
  const { id } = await admin.call('POST /instances', { body: { name, whapiToken } })
  await expect
    .poll(() => admin.call('GET /instances/:id', { params: { id } }), { timeout: 60_000 })
    .toMatchObject({ status: 'Connected', lastSyncAt: expect.any(String), syncProblem: null })
  return { id, name, whapiToken }
}

/** The groups of an account whose name has these words. */
export async function groupsOf(admin: Api, account: { id: number }, words: string) {
  const { data } = await admin.call('POST /groups/search', {
    body: { instanceIds: [account.id], search: words, pageSize: 100 },
  })
  return data
}

/** A Member with the password `secret member`, who may use these accounts only. */
export async function addMember(
  admin: Api,
  may: { use: { id: number }[]; canSendMessages: boolean; canCreateJobs: boolean },
) {
  const username = named('member').replace(' ', '-')
  const { use, ...flags } = may
  const assignedInstances = use.map(({ id }) => id)
  const email = `${username}@example.com`
  const password = 'secret member'
  await admin.call('POST /users', { body: { username, email, password, assignedInstances, ...flags } })
  return { username, password }
}
