import { describe, expect, test } from 'vitest'
import { until } from '../../../test/until.ts'
import { useWorld } from '../../../test/world.ts'
import { sql } from '../../platform/database/sql.ts'
import { type Provider, ProviderFailure, type ProviderGroup } from '../../providers/provider.ts'
import { requestDueSyncs, syncGroups } from './sync.ts'

const world = useWorld()
const goesOn = new AbortController().signal

const sync = (instanceId: number, provider: Provider, signal = goesOn) =>
  syncGroups(
    { db: world.db, secrets: world.secrets, providers: { live: provider, test: provider } },
    instanceId,
    signal,
  )

const stateOf = async (id: number) =>
  (
    await world.db.many(sql`
      select last_sync_at, sync_problem, status, syncing_until > clock_now() as is_syncing
      from instances where id = ${id}`)
  )[0]

/** A provider that has just these groups. */
function providerWith(given: {
  groups?: ProviderGroup[]
  total?: number
  names?: Record<string, string>
  asked?: (chatId: string) => Promise<ProviderGroup>
  beforeGroups?: () => Promise<void>
}) {
  const { groups = [], names = {} } = given
  const contacts = Object.entries(names).map(([personId, name]) => ({ personId, name }))
  return {
    contacts: async () => ({ rows: contacts, next: contacts.length, total: contacts.length }),
    groups: async (_account: object, { offset }: { offset: number }) => {
      await given.beforeGroups?.()
      const rows = groups.slice(offset, offset + 2)
      return { rows, next: offset + rows.length, total: given.total ?? groups.length }
    },
    group: async (_account: object, chatId: string) => {
      if (given.asked) return given.asked(chatId)
      throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
    },
  } as unknown as Provider // what a sync does not call, is not there
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
    await world.db.many(sql`
      select person_id, rank, p.name from participants p join groups g on g.id = p.group_id
      where chat_id = ${chatId} order by person_id`)
  ).map(({ personId, rank, name }) => [personId, rank, name].join(' '))

const leftIds = async () =>
  (await world.db.many(sql`select chat_id from groups where left_at is not null order by chat_id`)).map(
    ({ chatId }) => chatId,
  )

describe('what changes', () => {
  test('who left is taken away, who came is added, names and ranks follow', async () => {
    const { id } = await world.add.instance()
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
    expect(await world.db.many(sql`select name, participant_count from groups`)).toEqual([
      { name: 'Renamed', participantCount: 3 },
    ])
  })

  test('contacts without a name cost no calls of their own, and those after them are read', async () => {
    const { id } = await world.add.instance()
    const pages = [[], [{ personId: '11', name: 'Lan' }], [], [{ personId: '12', name: 'Minh' }]]
    const asked: number[] = []
    const provider = {
      ...providerWith({ groups: [groupOf('1@g.us', ['11', '12'])] }),
      contacts: async (_account: object, { offset }: { offset: number }) => {
        asked.push(offset)
        return { rows: pages[offset / 500] ?? [], next: offset + 500, total: 2000 }
      },
    }

    await sync(id, provider)

    expect(await peopleOf('1@g.us')).toEqual(['11 member Lan', '12 member Minh'])
    expect(asked).toEqual([0, 500, 1000, 1500])
  })

  test('participants that have not changed are not written', async () => {
    const { id } = await world.add.instance()
    const provider = (name: string) =>
      providerWith({ groups: [groupOf('1@g.us', ['11', '12'])], names: { 11: 'Lan', 12: name } })
    const versions = async () =>
      (await world.db.many(sql`select xmin::text from participants order by person_id`)).map(
        ({ xmin }) => xmin,
      )
    await sync(id, provider('Minh'))
    const [lan, minh] = await versions()

    await sync(id, provider('Anh Minh'))

    const [lanAfter, minhAfter] = await versions()
    expect(lanAfter).toBe(lan)
    expect(minhAfter).not.toBe(minh)
  })

  test('a group that comes without name and participants keeps what is known', async () => {
    const { id } = await world.add.instance()
    await sync(id, providerWith({ groups: [groupOf('1@g.us', ['11', '12'])] }))

    await sync(id, providerWith({ groups: [groupOf('1@g.us', null, '')] }))

    expect(await peopleOf('1@g.us')).toHaveLength(2)
    expect(await world.db.many(sql`select name, participant_count from groups`)).toEqual([
      { name: 'Group 1@g.us', participantCount: 2 },
    ])
  })

  test('another instance in the same group keeps its own', async () => {
    const [first, second] = [await world.add.instance(), await world.add.instance()]
    await sync(first.id, providerWith({ groups: [groupOf('1@g.us', ['11'])] }))
    await sync(second.id, providerWith({ groups: [groupOf('1@g.us', ['21', '22'])] }))

    await sync(first.id, providerWith({ groups: [] }))

    expect(await peopleOf('1@g.us')).toEqual(['11 member ', '21 member ', '22 member '])
  })
})

describe('a group that the list lacks', () => {
  const both = [groupOf('1@g.us', ['11']), groupOf('2@g.us', ['12'])]
  const one = both.slice(0, 1)

  test('is left at once when it says so itself', async () => {
    const { id } = await world.add.instance()
    await sync(id, providerWith({ groups: both }))

    await sync(id, providerWith({ groups: one, asked: notIn }))

    expect(await leftIds()).toEqual(['2@g.us'])
  })

  test('is not left when it answers for itself', async () => {
    const { id } = await world.add.instance()
    await sync(id, providerWith({ groups: both }))

    await sync(id, providerWith({ groups: one, asked: async (chatId) => groupOf(chatId, ['12', '13']) }))

    expect(await leftIds()).toEqual([])
    expect(await peopleOf('2@g.us')).toHaveLength(2)
  })

  test('too many to ask: left after two whole syncs ten minutes apart, back when it is back', async () => {
    const { id } = await world.add.instance()
    const many = Array.from({ length: 12 }, (_, n) => groupOf(`${n + 1}@g.us`))
    const stillThere = async (chatId: string) => groupOf(chatId)
    await sync(id, providerWith({ groups: many }))
    const lacking = providerWith({ groups: [], asked: stillThere })

    await sync(id, lacking)
    await sync(id, lacking)
    expect(await leftIds()).toEqual([])
    await world.shiftClock('11 minutes')
    await world.db.run(sql`update groups set last_sync_at = 'epoch' where missing_since is null`)
    await sync(id, lacking)

    const left = await leftIds()
    expect(left).toHaveLength(2)
    await sync(id, providerWith({ groups: many }))
    expect(await leftIds()).toEqual([])
  })

  test('is not missing when the list was cut short', async () => {
    const { id } = await world.add.instance()
    await sync(id, providerWith({ groups: both }))

    await expect(sync(id, providerWith({ groups: one, total: 2, asked: notIn }))).rejects.toThrow(
      ProviderFailure,
    )

    expect(await leftIds()).toEqual([])
    expect(await stateOf(id)).toMatchObject({ syncProblem: { code: 'provider_unreadable' } })
  })

  test('goes a week later, unless a delivery names it', async () => {
    const { id } = await world.add.instance()
    await sync(id, providerWith({ groups: both }))
    const job = await world.add.job({ instanceId: id, recipients: ['1@g.us'] })
    await world.db.run(sql`
      update deliveries set group_id = (select id from groups where chat_id = '1@g.us') where job_id = ${job.id}`)
    await sync(id, providerWith({ groups: [], asked: notIn }))
    expect(await leftIds()).toEqual(['1@g.us', '2@g.us'])

    await world.shiftClock('8 days')
    await sync(id, providerWith({ groups: [] }))

    expect(await leftIds()).toEqual(['1@g.us'])
  })
})

describe('one at a time', () => {
  test('a second sync of the instance does nothing while the first runs', async () => {
    const { id } = await world.add.instance()
    let reached = 0
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const provider = providerWith({
      groups: [groupOf('1@g.us')],
      beforeGroups: async () => {
        reached++
        await gate
      },
    })
    const first = sync(id, provider)
    await until('the first reads', () => reached === 1)

    await sync(id, provider)

    expect(reached).toBe(1)
    expect(await stateOf(id)).toMatchObject({ isSyncing: true })
    go()
    await first
    expect(await stateOf(id)).toMatchObject({ isSyncing: false, syncProblem: null })
  })

  test('what a killed worker began is begun anew three minutes later', async () => {
    const { id } = await world.add.instance({ syncingUntil: '2000-01-01T00:00:00Z' })
    await world.db.run(sql`update instances set syncing_until = clock_now() + interval '3 minutes'`)
    const provider = providerWith({ groups: [groupOf('1@g.us')] })

    await sync(id, provider)
    expect(await world.db.many(sql`select from groups`)).toHaveLength(0)
    await world.shiftClock('4 minutes')
    await sync(id, provider)

    expect(await world.db.many(sql`select from groups`)).toHaveLength(1)
  })

  test('an account made inactive is not read any further, and an inactive one not at all', async () => {
    const { id } = await world.add.instance()
    const provider = providerWith({
      groups: ['1@g.us', '2@g.us', '3@g.us'].map((chatId) => groupOf(chatId)),
      beforeGroups: async () => void (await world.db.run(sql`update instances set is_active = false`)),
    })

    await sync(id, provider)
    await sync(id, provider)

    expect(await world.db.many(sql`select from groups`)).toHaveLength(2)
    expect(await stateOf(id)).toMatchObject({ lastSyncAt: null })
  })

  test('a stopping process gives the sync back', async () => {
    const { id } = await world.add.instance()
    const stop = new AbortController()
    const groups = ['1@g.us', '2@g.us', '3@g.us'].map((chatId) => groupOf(chatId))

    await expect(
      sync(id, providerWith({ groups, beforeGroups: async () => stop.abort() }), stop.signal),
    ).rejects.toThrow()

    expect(await stateOf(id)).toMatchObject({ isSyncing: false, lastSyncAt: null, syncProblem: null })
    await sync(id, providerWith({ groups }))
    expect(await world.db.many(sql`select from groups`)).toHaveLength(3)
  })
})

test('syncs are due after hours, of connected and active accounts, the longest ago first', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const add = async (given: Record<string, unknown>) => (await world.add.instance(given)).id
  const never = await add({})
  const late = await add({ syncingUntil: ago(3) })
  await add({ syncingUntil: ago(0.5) })
  await add({ syncingUntil: ago(5), token: 'live-1' })
  const later = await add({ syncingUntil: ago(7), token: 'live-2' })
  await add({ isActive: false })
  await add({ status: 'NeedsLogin' })
  const asked: number[] = []

  await requestDueSyncs(world.db, async (id) => void asked.push(id))

  expect(asked).toEqual([never, later, late])
})
