import { contract } from '@sendroom/contract'
import { describe, expect, test, vi } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { requestSync, syncNow } from '../../../test/sync-now.ts'
import { until } from '../../../test/until.ts'
import { applyStoredReceipts } from '../../engine/receipts/apply-stored.ts'
import { storeBatch } from '../../engine/receipts/store.ts'
import { identifier, sql } from '../../platform/database/sql.ts'
import { type Provider, ProviderFailure, type ProviderGroup } from '../../providers/provider.ts'
import { claimSync, repeatSyncs } from './sync.queries.ts'
import { syncDueGroups } from './sync.ts'

const unreachable = async () => {
  throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
}
const silent = { status: unreachable } as unknown as Provider // the app asks for the status of a new token
const context = useContext({ providers: () => ({ live: silent, test: silent }) })
const { instances } = contract
const neverAborted = new AbortController().signal

const depsOf = (provider: Provider, log = { warn() {} }) => ({
  ...{ db: context.db, secrets: context.secrets, log },
  providers: { live: provider, test: provider },
})
const sync = (instanceId: number, provider: Provider, signal = neverAborted) =>
  syncNow(depsOf(provider), instanceId, signal)

const stateOf = async (id: number) =>
  (
    await context.db.many(sql`
      select last_sync_at, sync_problem, status, syncing_until > clock_now() as is_syncing
      from instances where id = ${id}`)
  )[0]

/** Returns a provider with these groups. `group` answers for single groups. */
function providerWith({
  groups = [],
  names = {},
  total = groups.length,
  group,
  beforeGroups,
}: {
  groups?: ProviderGroup[]
  total?: number
  names?: Record<string, string>
  group?: (chatId: string) => Promise<ProviderGroup>
  beforeGroups?: () => Promise<void>
}) {
  const contacts = Object.entries(names).map(([personId, name]) => ({ personId, name }))
  return {
    contacts: async () => ({ rows: contacts, next: contacts.length, total: contacts.length }),
    groups: async (_credentials: object, { offset }: { offset: number }) => {
      await beforeGroups?.()
      const rows = groups.slice(offset, offset + 2)
      return { rows, next: offset + rows.length, total }
    },
    channels: async () => ({ rows: [], next: 0, total: 0 }),
    group: async (_credentials: object, chatId: string) => {
      if (group) return group(chatId)
      return unreachable()
    },
  } as unknown as Provider // a sync calls nothing else
}

const notIn = async () => {
  throw new ProviderFailure('not_found', { code: 'chat_not_found', params: {} })
}

const groupOf = (chatId: string, people: string[] | null = [], name = `Group ${chatId}`): ProviderGroup => ({
  chatId,
  name,
  participants: people?.map((personId) => ({ personId, rank: 'member' })) ?? null,
  participantCount: people?.length ?? null,
  isAdminsOnly: false,
})

const peopleOf = async (chatId: string) =>
  (
    await context.db.many(sql`
      select person_id, rank, p.name from participants p join groups g on g.id = p.group_id
      where chat_id = ${chatId} order by person_id`)
  ).map(({ personId, rank, name }) => [personId, rank, name].join(' '))

const leftIds = async () =>
  (await context.db.many(sql`select chat_id from groups where left_at is not null order by chat_id`)).map(
    ({ chatId }) => chatId,
  )

describe('changes between two syncs', () => {
  test('participants are removed, added and updated', async () => {
    const { id } = await context.add.instance()
    const before = [groupOf('1@g.us', ['11', '12', '13'])]
    const after: ProviderGroup[] = [
      {
        ...groupOf('1@g.us', [], '  Renamed '),
        participants: [
          { personId: '12', rank: 'admin' },
          { personId: '13', rank: 'member' },
          { personId: '14', rank: 'creator' },
          { personId: '14', rank: 'creator' },
        ],
        participantCount: 3,
      },
    ]

    await sync(id, providerWith({ groups: before, names: { 12: 'Lan', 13: 'Minh' } }))
    await sync(id, providerWith({ groups: after, names: { 12: 'Chị Lan\0' } }))

    expect(await peopleOf('1@g.us')).toEqual(['12 admin Chị Lan', '13 member Minh', '14 creator '])
    expect(await context.db.many(sql`select name, participant_count from groups`)).toEqual([
      { name: 'Renamed', participantCount: 3 },
    ])
  })

  test('contacts without a name cost no extra calls, and the next page skips no contact', async () => {
    const { id } = await context.add.instance()
    const pages = [[], [{ personId: '11', name: 'Lan' }], [], [{ personId: '12', name: 'Minh' }]]
    const offsets: number[] = []
    const provider = {
      ...providerWith({ groups: [groupOf('1@g.us', ['11', '12'])] }),
      contacts: async (_credentials: object, { offset }: { offset: number }) => {
        offsets.push(offset)
        return { rows: pages[offset / 500] ?? [], next: offset + 500, total: 2000 }
      },
    }

    await sync(id, provider)

    expect(await peopleOf('1@g.us')).toEqual(['11 member Lan', '12 member Minh'])
    expect(offsets).toEqual([0, 500, 1000, 1500])
  })

  test('rows are written only if they have changed', async () => {
    const { id } = await context.add.instance()
    const unchanged = [groupOf('1@g.us', ['11', '12']), groupOf('2@g.us', null), groupOf('3@g.us', ['11'])]
    const provider = (name: string, groups = unchanged) =>
      providerWith({ groups, names: { 11: 'Lan', 12: name } })
    const versions = async () => {
      const rows = await context.db.many<{ name: string; version: string }>(sql`
        select chat_id as name, xmin::text || ctid::text as version from groups
        union all select chat_id || ' ' || person_id, p.xmin::text || p.ctid::text
        from participants p join groups g on g.id = p.group_id`)
      return new Map(rows.map(({ name, version }) => [name, version]))
    }
    /** The names of the rows that the sync has written. */
    const writtenBy = async (again: Provider) => {
      const before = await versions()
      await sync(id, again)
      return [...(await versions())].flatMap(([name, now]) => (before.get(name) === now ? [] : [name])).sort()
    }
    await sync(id, provider('Minh'))

    expect(await writtenBy(provider('Minh'))).toEqual([])
    expect(await writtenBy(provider('Anh Minh'))).toEqual(['1@g.us', '1@g.us 12'])
    expect(
      await writtenBy(provider('Anh Minh', [groupOf('1@g.us', ['11', '12'], 'New'), ...unchanged.slice(1)])),
    ).toEqual(['1@g.us'])
    const grown = [
      groupOf('1@g.us', ['11', '12'], 'New'),
      groupOf('2@g.us', null),
      groupOf('3@g.us', ['11', '13']),
    ]
    expect(await writtenBy(provider('Anh Minh', grown))).toEqual(['3@g.us', '3@g.us 13'])
    expect(await writtenBy(provider('Anh Minh', grown))).toEqual([])
  })

  test('a page with many participants is written in parts, a group larger than a part as well', async () => {
    const { id } = await context.add.instance()
    const many = (chatId: string, count: number) =>
      groupOf(
        chatId,
        Array.from({ length: count }, (_, n) => `${n}`),
      )
    const groups = [many('1@g.us', 6000), many('2@g.us', 6000), many('3@g.us', 12_000), many('4@g.us', 3)]

    await sync(id, providerWith({ groups }))

    const counts = await context.db.many(sql`
      select participant_count as said, (select count(*) from participants where group_id = g.id) as stored,
        count(*) over (partition by g.xmin::text) as together
      from groups g order by chat_id`)
    expect(counts).toEqual([
      { said: 6000, stored: 6000, together: 1 },
      { said: 6000, stored: 6000, together: 1 },
      { said: 12_000, stored: 12_000, together: 1 },
      { said: 3, stored: 3, together: 1 },
    ])
  })

  test('whoever leaves and comes back keeps the slot, so no receipt counts twice', async () => {
    const { id } = await context.add.instance()
    const everybody = providerWith({ groups: [groupOf('1@g.us', ['11', '12'])] })
    await sync(id, everybody)
    const job = await context.add.job({ instanceId: id, recipients: ['1@g.us'] })
    await context.db.run(sql`
      update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = clock_now(),
        group_id = (select id from groups) where job_id = ${job.id}`)
    await context.match(job.id, 'm1')
    const report = async () => {
      const seen = { providerMessageId: 'm1', state: 'read', at: null, detail: '' } as const
      await storeBatch(
        context.db,
        ['11', '12'].map((viewer) => ({ ...seen, viewer, instanceId: id })),
      )
      await applyStoredReceipts(context.db)
    }
    const slotOf = (table: string) =>
      context.db.many(sql`select slot from ${identifier(table)} where person_id = '12'`)
    const counts = () => context.db.one(sql`select delivered_members, read_members from deliveries`)
    await report()
    const [slot] = await slotOf('participants')
    expect(slot).toEqual({ slot: expect.any(Number) })

    await sync(id, providerWith({ groups: [groupOf('1@g.us', ['11'])] }))
    await report()
    expect(await slotOf('other_viewers')).toEqual([slot])
    await sync(id, everybody)
    await report()

    expect(await peopleOf('1@g.us')).toHaveLength(2)
    expect(await slotOf('other_viewers')).toEqual([slot])
    expect(await counts()).toEqual({ deliveredMembers: 2, readMembers: 2 })
    expect(await context.db.one(sql`select next_slot from groups`)).toEqual({ nextSlot: 2 })
  })

  test('a sync that changes members, and receipts that give them slots, do not deadlock', async () => {
    const { id } = await context.add.instance()
    const named = (name: string) =>
      providerWith({ groups: [groupOf('1@g.us', ['11', '12'])], names: { 11: name, 12: name } })
    await sync(id, named('Lan'))
    const job = await context.add.job({ instanceId: id, recipients: ['1@g.us'] })
    await context.db.run(sql`
      update deliveries set status = 'sent', intent = gen_random_uuid(), sent_at = clock_now(),
        group_id = (select id from groups where instance_id = ${id}) where job_id = ${job.id}`)
    await context.match(job.id, 'm1')
    await storeBatch(
      context.db,
      ['11', '12'].map((viewer) => ({
        ...{ instanceId: id, providerMessageId: 'm1', viewer, state: 'read', at: null, detail: '' },
      })),
    )

    const running = await context.db.begin(async (tx) => {
      await tx.run(sql`select from participants where person_id = '12' for update`)
      const syncing = sync(id, named('Minh'))
      await until('the sync waits among the members', async () => (await countWaiting(context.db)) === 1)
      let isApplied = false
      const applying = applyStoredReceipts(context.db).finally(() => (isApplied = true))
      await until(
        'the receipts are applied, postponed, or wait',
        async () => isApplied || (await countWaiting(context.db)) === 2,
      )
      return [syncing, applying]
    })
    expect(await Promise.allSettled(running)).toMatchObject([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ])

    await until('the receipts are applied', async () => {
      await applyStoredReceipts(context.db)
      return (await context.db.run(sql`select from receipt_events`)) === 0
    })
    expect(await context.db.one(sql`select read_members from deliveries where job_id = ${job.id}`)).toEqual({
      readMembers: 2,
    })
  })

  test('a group without name and participants in the answer keeps the known ones', async () => {
    const { id } = await context.add.instance()
    await sync(id, providerWith({ groups: [groupOf('1@g.us', ['11', '12'])] }))

    await sync(id, providerWith({ groups: [groupOf('1@g.us', null, '')] }))

    expect(await peopleOf('1@g.us')).toHaveLength(2)
    expect(await context.db.many(sql`select name, participant_count from groups`)).toEqual([
      { name: 'Group 1@g.us', participantCount: 2 },
    ])
  })

  test('a sync does not affect another instance in the same group', async () => {
    const [first, second] = [await context.add.instance(), await context.add.instance()]
    await sync(first.id, providerWith({ groups: [groupOf('1@g.us', ['11'])] }))
    await sync(second.id, providerWith({ groups: [groupOf('1@g.us', ['21', '22'])] }))

    await sync(first.id, providerWith({ groups: [] }))

    expect(await peopleOf('1@g.us')).toEqual(['11 member ', '21 member ', '22 member '])
  })
})

describe('a group that is missing in the list', () => {
  const both = [groupOf('1@g.us', ['11']), groupOf('2@g.us', ['12'])]
  const one = both.slice(0, 1)

  test('counts as left at once if the provider does not find the group', async () => {
    const { id } = await context.add.instance()
    await sync(id, providerWith({ groups: both }))

    await sync(id, providerWith({ groups: one, group: notIn }))

    expect(await leftIds()).toEqual(['2@g.us'])
  })

  test('does not count as left if the provider finds the group', async () => {
    const { id } = await context.add.instance()
    await sync(id, providerWith({ groups: both }))

    await sync(id, providerWith({ groups: one, group: async (chatId) => groupOf(chatId, ['12', '13']) }))

    expect(await leftIds()).toEqual([])
    expect(await peopleOf('2@g.us')).toHaveLength(2)
  })

  test('beyond the ten that are looked up, counts as left after two complete syncs ten minutes apart, until it is listed again', async () => {
    const { id } = await context.add.instance()
    const many = Array.from({ length: 12 }, (_, n) => groupOf(`${n + 1}@g.us`))
    const isFound = async (chatId: string) => groupOf(chatId)
    await sync(id, providerWith({ groups: many }))
    const lacking = providerWith({ groups: [], group: isFound })

    await sync(id, lacking)
    await sync(id, lacking)
    expect(await leftIds()).toEqual([])
    await context.shiftClock('11 minutes')
    await sync(id, lacking)

    const left = await leftIds()
    expect(left).toHaveLength(2)
    await sync(id, providerWith({ groups: many }))
    expect(await leftIds()).toEqual([])
  })

  test('does not count as missing if the list was cut short', async () => {
    const { id } = await context.add.instance()
    await sync(id, providerWith({ groups: both }))

    await sync(id, providerWith({ groups: one, total: 2, group: notIn }))

    expect(await leftIds()).toEqual([])
    expect(await stateOf(id)).toMatchObject({ syncProblem: { code: 'provider_unreadable' } })
  })

  test('is deleted a week after it was left, unless a delivery refers to it', async () => {
    const { id } = await context.add.instance()
    await sync(id, providerWith({ groups: both }))
    const job = await context.add.job({ instanceId: id, recipients: ['1@g.us'] })
    await context.db.run(sql`
      update deliveries set group_id = (select id from groups where chat_id = '1@g.us') where job_id = ${job.id}`)
    await sync(id, providerWith({ groups: [], group: notIn }))
    expect(await leftIds()).toEqual(['1@g.us', '2@g.us'])

    await context.shiftClock('8 days')
    await sync(id, providerWith({ groups: [] }))

    expect(await leftIds()).toEqual(['1@g.us'])
  })
})

test('a full page is not taken for the end of the list, whatever total the provider gives', async () => {
  const { id } = await context.add.instance()
  const groups = Array.from({ length: 250 }, (_, n) => groupOf(`${n}@g.us`))
  const provider = {
    ...providerWith({}),
    groups: async (_credentials: object, { offset, count }: { offset: number; count: number }) => {
      const rows = groups.slice(offset, offset + count)
      return { rows, next: offset + rows.length, total: rows.length }
    },
  }

  await sync(id, provider)

  expect(await context.db.run(sql`select from groups`)).toBe(250)
  expect(await stateOf(id)).toMatchObject({ syncProblem: null, lastSyncAt: expect.any(String) })
})

// R-2147
test('a left group stays while an import reads its members', async () => {
  const { id: instanceId } = await context.add.instance()
  const leftAt = new Date(Date.now() - 8 * 86_400_000)
  const group = await context.add.group({ instanceId, leftAt })
  await context.add.group({ instanceId, leftAt })
  await context.db.run(sql`
    insert into imports (source, user_name, status, instance_id, group_ids)
    values ('groups', 'lan', 'checking', ${instanceId}, array[${group.id}::bigint])`)

  await sync(instanceId, providerWith({}))

  expect(await context.db.many(sql`select id from groups where instance_id = ${instanceId}`)).toEqual([
    { id: group.id },
  ])
  await context.db.run(sql`delete from imports`)
})

test('many left groups are deleted a few at a time, so that no statement takes too long', async () => {
  const { id } = await context.add.instance()
  await context.db.run(sql`
    insert into groups (instance_id, chat_id, name, left_at)
    select ${id}, n || '@g.us', n::text, clock_now() - interval '8 days' from generate_series(1, 250) n`)
  await context.db.script(`
    create table deleted_at_once (n int);
    create function note_deleted() returns trigger language plpgsql as
      'begin insert into deleted_at_once select count(*) from gone; return null; end';
    create trigger note_deleted after delete on groups referencing old table as gone
      for each statement execute function note_deleted()`)

  await sync(id, providerWith({}))

  expect(await context.db.run(sql`select from groups`)).toBe(0)
  expect(await context.db.one(sql`select sum(n) as all, max(n) as most from deleted_at_once`)).toEqual({
    all: 250,
    most: 100,
  })
})

describe('the lease of a sync', () => {
  test('lets a second sync of the instance begin when the first has ended', async () => {
    const { id } = await context.add.instance()
    let started = 0
    let open = () => {}
    const barrier = new Promise<void>((resolve) => {
      open = resolve
    })
    const provider = providerWith({
      groups: [groupOf('1@g.us')],
      beforeGroups: async () => {
        started++
        await barrier
      },
    })
    const first = sync(id, provider)
    await until('the first sync reads', () => started === 1)

    await sync(id, provider)

    expect(started).toBe(1)
    expect(await stateOf(id)).toMatchObject({ isSyncing: true })
    open()
    await first
    expect(started).toBe(2)
    expect(await stateOf(id)).toMatchObject({ isSyncing: false, syncProblem: null })
  })

  test('of a killed worker expires after three minutes, and then the sync is repeated', async () => {
    const { id } = await context.add.instance()
    await requestSync(context.db, id)
    expect(await claimSync(context.db, true)).toMatchObject({ instanceId: id })
    const provider = providerWith({ groups: [groupOf('1@g.us')] })

    await syncDueGroups(depsOf(provider), neverAborted)
    expect(await context.db.many(sql`select from groups`)).toHaveLength(0)
    await context.shiftClock('4 minutes')
    await syncDueGroups(depsOf(provider), neverAborted)

    expect(await context.db.many(sql`select from groups`)).toHaveLength(1)
    expect(await context.dueSyncs()).toEqual([])
  })

  test('ends when the instance becomes inactive, and an inactive instance gets none', async () => {
    const { id } = await context.add.instance()
    const provider = providerWith({
      groups: ['1@g.us', '2@g.us', '3@g.us'].map((chatId) => groupOf(chatId)),
      beforeGroups: async () => void (await context.db.run(sql`update instances set is_active = false`)),
    })

    await sync(id, provider)
    await sync(id, provider)

    expect(await context.db.many(sql`select from groups`)).toHaveLength(2)
    expect(await stateOf(id)).toMatchObject({ lastSyncAt: null })
  })

  test('is renewed after a long wait, unless another sync has taken it meanwhile', async () => {
    const { id } = await context.add.instance()
    const groups = ['1@g.us', '2@g.us', '3@g.us'].map((chatId) => groupOf(chatId))
    const slow = (meanwhile = async () => {}) =>
      providerWith({
        groups,
        beforeGroups: async () => {
          await context.moveClock('4 minutes')
          await meanwhile()
        },
      })

    await sync(id, slow())
    expect(await stateOf(id)).toMatchObject({ lastSyncAt: expect.any(String), isSyncing: false })

    let other: Promise<void> | undefined
    let end = () => {}
    const barrier = new Promise<void>((resolve) => {
      end = resolve
    })
    const takeLease = async () => {
      if (other) return
      let hasBegun = false
      other = sync(
        id,
        providerWith({
          groups,
          beforeGroups: async () => {
            hasBegun = true
            await barrier
          },
        }),
      )
      await until('the other sync reads', () => hasBegun)
      await context.db.run(sql`update groups set name = 'untouched'`)
    }
    await sync(id, slow(takeLease))

    expect(await context.db.many(sql`select distinct name from groups`)).toEqual([{ name: 'untouched' }])
    expect(await stateOf(id)).toMatchObject({ isSyncing: true })
    end()
    await other
    expect(await stateOf(id)).toMatchObject({ isSyncing: false })
  })

  const changes = {
    'the data of the instance is deleted': instances.clearData,
    'the instance gets another token': instances.update,
  }
  test.each(Object.entries(changes))('is lost when %s, and another can begin', async (_what, endpoint) => {
    const admin = await context.add.admin()
    const { id } = await context.add.instance()
    const groups = ['1@g.us', '2@g.us', '3@g.us'].map((chatId) => groupOf(chatId))
    let pages = 0
    const changing = providerWith({
      groups,
      beforeGroups: async () => {
        if (++pages !== 2) return
        const input = { params: { id }, body: { whapiToken: 'test_another' } }
        expect((await context.call(admin, endpoint, input as never)).status).toBeLessThan(300)
        await context.db.run(sql`update instances set status = 'Connected'`)
      },
      group: notIn,
    })

    await sync(id, changing)

    expect(await context.db.run(sql`select from groups where chat_id = '3@g.us'`)).toBe(0)
    expect(await stateOf(id)).toMatchObject({ lastSyncAt: null, syncProblem: null, status: 'Connected' })
    await sync(id, providerWith({ groups }))
    expect(await context.db.run(sql`select from groups`)).toBe(3)
    expect(await stateOf(id)).toMatchObject({ lastSyncAt: expect.any(String), isSyncing: false })
  })

  test('is lost when the instance is deleted, and nothing fails', async () => {
    const admin = await context.add.admin()
    const { id } = await context.add.instance()
    const provider = providerWith({
      groups: ['1@g.us', '2@g.us', '3@g.us'].map((chatId) => groupOf(chatId)),
      beforeGroups: async () => void (await context.call(admin, instances.remove, { params: { id } })),
    })

    await sync(id, provider)

    expect(await context.db.run(sql`select from groups`)).toBe(0)
  })

  test('a failure with the former token says nothing of the new one', async () => {
    const admin = await context.add.admin()
    const { id } = await context.add.instance()
    const provider = providerWith({
      beforeGroups: async () => {
        await context.call(admin, instances.update, { params: { id }, body: { whapiToken: 'test_another' } })
        await context.db.run(sql`update instances set status = 'Connected'`)
        throw new ProviderFailure(
          'account',
          { code: 'account_not_linked', params: {} },
          { status: 'NeedsLogin' },
        )
      },
    })

    await sync(id, provider)

    expect(await stateOf(id)).toMatchObject({ status: 'Connected', syncProblem: null })
  })

  test('is released by a stopping process', async () => {
    const { id } = await context.add.instance()
    const stop = new AbortController()
    const groups = ['1@g.us', '2@g.us', '3@g.us'].map((chatId) => groupOf(chatId))

    await sync(id, providerWith({ groups, beforeGroups: async () => stop.abort() }), stop.signal)

    expect(await stateOf(id)).toMatchObject({ isSyncing: false, lastSyncAt: null, syncProblem: null })
    await syncDueGroups(depsOf(providerWith({ groups })), neverAborted)
    expect(await context.db.many(sql`select from groups`)).toHaveLength(3)
  })
})

describe('a sync that is due', () => {
  const once = async (provider: Provider) => syncDueGroups(depsOf(provider), neverAborted)
  const broken = { ...silent, contacts: unreachable, groups: unreachable } as Provider

  test('is done once, however often and wherever somebody has asked for it', async () => {
    const [first, second] = [await context.add.instance(), await context.add.instance()]
    for (const { id } of [first, second, first, first]) await requestSync(context.db, id)
    const read = vi.fn(async () => {})
    const provider = providerWith({ groups: [groupOf('1@g.us')], beforeGroups: read })

    await Promise.all([once(provider), once(provider), once(provider)])

    expect(read).toHaveBeenCalledTimes(2)
    expect(await context.dueSyncs()).toEqual([])
  })

  test('is tried four times, ever later, and after that only when its interval is over', async () => {
    const { id } = await context.add.instance()
    await requestSync(context.db, id)
    const tries: number[] = []
    for (let seconds = 0; seconds < 600; seconds += 10) {
      if ((await context.dueSyncs()).length > 0) tries.push(seconds)
      await once(broken)
      await context.moveClock('10 seconds')
    }
    expect(tries).toEqual([0, 30, 90, 210])
    await context.moveClock('61 minutes')
    await repeatSyncs(context.db)
    expect(await context.dueSyncs()).toEqual([id])
  })

  test('and kills its worker each time is not tried for ever', async () => {
    const { id } = await context.add.instance()
    await requestSync(context.db, id)
    let claims = 0
    for (let minutes = 0; minutes < 60; minutes += 4) {
      if (await claimSync(context.db, true)) claims++
      await context.moveClock('4 minutes')
    }
    expect(claims).toBe(4)
  })

  test('and fails by an error of ours is logged with its instance, delays no other, and is tried again', async () => {
    const [bad, good] = [await context.add.instance(), await context.add.instance()]
    await context.db.run(sql`update instances set token_cipher = 'x' where id = ${bad.id}`)
    for (const { id } of [bad, good]) await requestSync(context.db, id)
    const log = { warn: vi.fn() }

    await syncDueGroups(depsOf(providerWith({ groups: [groupOf('1@g.us')] }), log), neverAborted)

    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      { err: expect.any(Error), instanceId: bad.id },
      'Reading the groups failed',
    )
    expect(await stateOf(good.id)).toMatchObject({ lastSyncAt: expect.any(String) })
    await context.moveClock('31 seconds')
    expect(await context.dueSyncs()).toEqual([bad.id])
  })

  test('and reads a list that does not end is given up after half an hour', async () => {
    const { id } = await context.add.instance()
    await requestSync(context.db, id)
    // A fraction would make the last of the minutes longer or shorter.
    let now = Math.round(performance.now())
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const rows = Array.from({ length: 100 }, (_, n) => groupOf(`${n}@g.us`))
    let pages = 0
    const endless = async (_credentials: object, { offset }: { offset: number }) => {
      now += 60_000
      if (++pages > 100) throw new Error('The sync does not end')
      return { rows, next: offset + rows.length, total: rows.length }
    }
    await once({ ...providerWith({}), groups: endless } as Provider).finally(() => vi.restoreAllMocks())
    expect(pages).toBe(30)
    expect(await stateOf(id)).toMatchObject({
      syncProblem: { code: 'provider_unreadable' },
      lastSyncAt: null,
    })
  })

  test('is not held up for a day by a clock that was a day ahead', async () => {
    const [ended, failed, killed] = [
      await context.add.instance(),
      await context.add.instance(),
      await context.add.instance(),
    ]
    await context.shiftClock('1 day')
    await sync(ended.id, providerWith({}))
    await requestSync(context.db, failed.id)
    await once(broken)
    await requestSync(context.db, killed.id)
    await claimSync(context.db, true)

    await context.shiftClock('0')
    await requestSync(context.db, ended.id)
    await repeatSyncs(context.db)

    const ids = [ended.id, failed.id, killed.id]
    expect((await context.dueSyncs()).toSorted()).toEqual(ids.toSorted())
    for (const _ of ids)
      expect(await claimSync(context.db, true)).toMatchObject({ instanceId: expect.any(Number) })
  })

  test('of an instance in test mode is left to a process with the simulator', async () => {
    const { id } = await context.add.instance()
    await requestSync(context.db, id)
    expect(await claimSync(context.db, false)).toBeUndefined()
    expect(await claimSync(context.db, true)).toMatchObject({ instanceId: id })
  })
})

test('the syncs of connected and active instances are due again, if their interval is over', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const add = async (columns: Record<string, unknown>) => (await context.add.instance(columns)).id
  const never = await add({})
  const late = await add({ syncingUntil: ago(3) })
  await add({ syncingUntil: ago(0.5) })
  await add({ syncingUntil: ago(5), token: 'live-1' })
  const later = await add({ syncingUntil: ago(7), token: 'live-2' })
  await add({ isActive: false })
  await add({ status: 'NeedsLogin' })

  await repeatSyncs(context.db)

  expect((await context.dueSyncs()).toSorted()).toEqual([never, late, later].toSorted())
})
