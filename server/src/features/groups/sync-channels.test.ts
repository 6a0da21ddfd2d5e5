import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { syncNow } from '../../../test/sync-now.ts'
import { sql } from '../../platform/database/sql.ts'
import { type Provider, type ProviderChannel, ProviderFailure } from '../../providers/provider.ts'

// Tests which channels a sync stores, and when one counts as left.

const simulated = useSimulator()
const context = useContext()

const channel = (role: ProviderChannel['role'], chatId = '1@newsletter'): ProviderChannel => ({
  ...{ chatId, name: `Channel ${chatId}`, role, subscriberCount: 1284 },
})

/** Syncs an instance that is in no groups. */
async function sync(instanceId: number, channels: () => ProviderChannel[]) {
  const none = { rows: [], next: 0, total: 0 }
  const provider = {
    contacts: async () => none,
    groups: async () => none,
    channels: async () => {
      const rows = channels()
      return { rows, next: rows.length, total: rows.length }
    },
  } as unknown as Provider // a sync calls nothing else
  const { db, secrets } = context
  await syncNow({ db, secrets, providers: { live: provider, test: provider } }, instanceId)
}

const stored = () =>
  context.db.many(sql`
    select chat_id, participant_count, can_send, left_at is not null as has_left, missing_since is not null as is_missing
    from groups order by chat_id`)

const problemOf = async (id: number) =>
  (
    await context.db.one<{ syncProblem: { code: string } | null }>(
      sql`select sync_problem from instances where id = ${id}`,
    )
  ).syncProblem?.code

const fail = (kind: 'account' | 'busy' | 'unreachable' | 'refused' | 'not_found') => () => {
  throw new ProviderFailure(kind, { code: 'provider_error', params: {} })
}

const open = {
  ...{ chatId: '1@newsletter', participantCount: 1284, canSend: true, hasLeft: false, isMissing: false },
}

// R-1800
test('a sync stores the channels of the account that it may post to, with their followers', async () => {
  const { id } = await context.add.instance({ token: 'test_linked_sync_channels' })
  const { db, secrets } = context

  await syncNow({ db, secrets, providers: simulated.providers() }, id)

  expect(
    await db.many(sql`
      select name, participant_count, can_send, left_at, (select count(*) from participants where group_id = g.id) as people
      from groups g where chat_id like '%@newsletter' order by name`),
  ).toEqual([
    { name: 'Hàng mới về', participantCount: 412, canSend: true, leftAt: null, people: 0 },
    { name: 'Khuyến mãi mỗi ngày 🎁', participantCount: 1284, canSend: true, leftAt: null, people: 0 },
  ])
  expect(await problemOf(id)).toBeUndefined()
})

// R-1801
test('a channel that the account may no longer post to counts as left at once, until it may again', async () => {
  const { id } = await context.add.instance()
  await sync(id, () => [channel('admin'), channel('guest', '2@newsletter')])
  expect(await stored()).toEqual([open])

  await sync(id, () => [channel('subscriber')])
  expect(await stored()).toEqual([{ ...open, hasLeft: true, isMissing: true }])

  await sync(id, () => [channel('owner')])
  expect(await stored()).toEqual([open])
})

// R-1801
test('a channel that two complete lists lack counts as left', async () => {
  const { id } = await context.add.instance()
  await sync(id, () => [channel('owner')])

  await sync(id, () => [])
  expect(await stored()).toEqual([{ ...open, isMissing: true }])

  await context.moveClock('11 minutes')
  await sync(id, () => [])
  expect(await stored()).toEqual([{ ...open, hasLeft: true, isMissing: true }])
})

// R-1801
test('known channels that can’t be read are a problem of the sync, and stay as they are', async () => {
  const { id } = await context.add.instance()
  await sync(id, () => [channel('owner')])

  await sync(id, fail('refused'))

  expect(await stored()).toEqual([open])
  expect(await problemOf(id)).toBe('provider_error')
})

// R-1801
test('without known channels a sync is complete when they can’t be read, unless the account is in trouble', async () => {
  const { id } = await context.add.instance()
  await sync(id, fail('unreachable'))
  expect(await problemOf(id)).toBeUndefined()

  await sync(id, fail('account'))
  expect(await problemOf(id)).toBe('provider_error')
})

// R-1808
test('a program that reads no channels marks none as missing', async () => {
  const { id } = await context.add.instance()
  await sync(id, () => [channel('owner')])
  expect(
    await context.db.run(sql`update groups set missing_since = clock_now(), left_at = clock_now()`),
  ).toBe(0)
})
