import type { contract } from '@sendroom/contract'
import { context, type Fixture } from './fixture.ts'
import { of, type RowsOf, type Statuses } from './rows.ts'

// The matrix' rows of API keys. Each caller has a key of their own: api-keys.routes.test.ts tells of those of others.

const signedInUsers = (status: number): Statuses => [401, 401, status, status, status, status]

const change = ({ instanceId }: Fixture) => ({
  name: 'Shop system',
  rights: ['canCreateJobs' as const],
  instanceIds: [instanceId],
  addresses: ['203.0.113.0/24'],
})

const ownKey = async ({ user, somebody }: Fixture) => of((await context.add.apiKey(user ?? somebody)).keyId)

export const apiKeyRows: RowsOf<typeof contract.apiKeys> = {
  list: [signedInUsers(200), () => ({})],
  get: [signedInUsers(200), ownKey],
  create: [[401, 401, 400, 201, 201, 201], (fixture) => ({ body: { ...change(fixture), days: 30 } })],
  update: [
    [401, 401, 400, 200, 200, 200],
    async (fixture) => ({ ...(await ownKey(fixture)), body: change(fixture) }),
  ],
  revoke: [signedInUsers(204), ownKey],
}
