import { expect, test } from 'vitest'
import { repeatSyncs } from '../src/features/groups/sync.queries.ts'
import { markGroupsChanged } from '../src/features/instances/webhook.queries.ts'
import { type Provider, ProviderFailure } from '../src/providers/provider.ts'
import { useContext } from './context.ts'
import { syncNow } from './sync-now.ts'

// Tests when the next sync is due after the provider has reported a change of groups.

const context = useContext()

/** Syncs an instance without groups. `whileRead` runs while the page is read. */
async function sync(instanceId: number, whileRead: () => Promise<unknown> = async () => {}) {
  const empty = { rows: [], next: 0, total: 0 }
  const live = {
    contacts: async () => empty,
    channels: async () => empty,
    groups: async () => {
      await whileRead()
      return empty
    },
  } as unknown as Provider // a sync of no groups calls nothing else
  const { db, secrets } = context
  await syncNow({ db, secrets, providers: { live, test: live } }, instanceId)
}

async function dueAfterAnHour() {
  await context.shiftClock('65 minutes')
  await repeatSyncs(context.db)
  return context.dueSyncs()
}

test('a change that was reported before a sync makes no other one due', async () => {
  const { id } = await context.add.instance({ token: 'live-1' })
  await markGroupsChanged(context.db, id)
  await sync(id)
  expect(await dueAfterAnHour()).toEqual([])
})

test('a change that is reported during a sync makes another one due, as its page may be from before', async () => {
  const { id } = await context.add.instance({ token: 'live-1' })
  // The first report must not hide the second one.
  await markGroupsChanged(context.db, id)
  await sync(id, () => markGroupsChanged(context.db, id))
  expect(await dueAfterAnHour()).toEqual([id])
})

test('a reported change stays due when the sync fails', async () => {
  const { id } = await context.add.instance({ token: 'live-1' })
  await markGroupsChanged(context.db, id)
  const fail = async () => {
    throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
  }
  await sync(id, fail)
  expect(await dueAfterAnHour()).toEqual([id])
})
