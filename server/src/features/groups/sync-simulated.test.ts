import { specialGroups } from '@sendroom/simulator'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { syncNow } from '../../../test/sync-now.ts'
import { sql } from '../../platform/database/sql.ts'

// Tests a sync against the simulator. sync.test.ts covers changes between two syncs.

const simulated = useSimulator()
const context = useContext()

const sync = (instanceId: number) =>
  syncNow({ db: context.db, secrets: context.secrets, providers: simulated.providers() }, instanceId)

const stateOf = async (id: number) =>
  (
    await context.db.many(sql`
      select last_sync_at, sync_problem, status, syncing_until > clock_now() as is_syncing
      from instances where id = ${id}`)
  )[0]

test('all groups and participants are stored, including unusual ones', async () => {
  const { id, token } = await context.add.instance({ token: 'test_linked_odd_sync_all' })

  await sync(id)

  const answer = await fetch(`${simulated.simulator.url}/groups?count=500`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { groups } = (await answer.json()) as {
    groups: { id: string; name?: string; participants?: object[] }[]
  }
  const rows = await context.db.many(sql`
      select chat_id, name, participant_count, left_at,
        (select count(*) from participants p where p.group_id = g.id) as people
      from groups g where chat_id like '%@g.us' order by chat_id`)
  expect(rows).toHaveLength(320)
  expect(rows).toEqual(
    groups
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, name, participants }) => ({
        chatId: id,
        name: name?.trim() || id,
        participantCount: participants?.length ?? 0,
        people: participants?.length ?? 0,
        leftAt: null,
      })),
  )
  expect(groups.some(({ name }) => !name) && groups.some(({ participants }) => !participants)).toBe(true)
  expect(await stateOf(id)).toMatchObject({
    lastSyncAt: expect.any(String),
    syncProblem: null,
    isSyncing: false,
  })
})

test('an instance can’t send to an announcement group unless it is an admin there', async () => {
  const { id, token } = await context.add.instance({ token: 'test_linked_odd_sync_closed' })
  const canSend = async (chatId: string) =>
    (await context.db.many(sql`select can_send from groups where chat_id = ${chatId}`))[0]?.canSend
  const { announcementsOnly, announcementsAsAdmin, communityAnnounce, large } = specialGroups(token)

  await sync(id)
  expect([await canSend(announcementsOnly), await canSend(large)]).toEqual([null, true]) // own number unknown yet
  const number = simulated.simulator.channels.find(token)?.number ?? ''
  await context.db.run(
    sql`update instances set whats_app_number = ${`+${number.slice(0, 2)} ${number.slice(2)}`}`,
  )
  await sync(id)

  expect(await canSend(announcementsOnly)).toBe(false)
  expect(await canSend(communityAnnounce)).toBe(false)
  expect(await canSend(announcementsAsAdmin)).toBe(true)
  expect(await canSend(large)).toBe(true)
})

test('participants have the names of contacts, and hidden numbers stay hidden', async () => {
  const { id } = await context.add.instance({ token: 'test_linked_odd_sync_names' })

  await sync(id)

  const people = await context.db.maybeOne(sql`
      select count(*) filter (where name is not null) as named, count(*) filter (where name is null) as nameless,
        count(*) filter (where person_id like '%@lid') as hidden,
        count(*) filter (where person_id !~ '^[0-9]+(@lid)?$') as odd
      from participants`)
  expect(people).toMatchObject({ odd: 0 })
  for (const count of ['named', 'nameless', 'hidden']) expect(people?.[count]).toBeGreaterThan(0)
})

test('the groups are read without contacts too, and known names stay', async () => {
  const { id } = await context.add.instance({ token: 'test_linked_odd_sync_all' })
  await sync(id)
  const named = () => context.db.many(sql`select count(*) from participants where name is not null`)
  const before = await named()
  simulated.simulator.faults.add({ kind: 'status', status: 500, path: '^/contacts' })

  await sync(id)

  expect(await named()).toEqual(before)
  expect(await stateOf(id)).toMatchObject({ syncProblem: null })
})

test('a busy provider is asked again after the time that it asks for', async () => {
  const { id, token } = await context.add.instance({ token: 'test_linked_sync_busy' })
  simulated.simulator.faults.add({
    kind: 'status',
    status: 429,
    retryAfter: 0,
    token,
    path: '^/groups',
    skip: 1,
    times: 2,
  })

  await sync(id)

  expect(await context.db.many(sql`select from groups where chat_id like '%@g.us'`)).toHaveLength(320)
  expect(simulated.simulator.channels.find(token)?.requests.get('GET /groups')).toBe(4 + 2)
})

test.each([
  ['429 for too long', { status: 429, retryAfter: 3600 }, 'provider_busy', 'is tried again'],
  ['a server error', { status: 500 }, 'provider_error', 'is tried again'],
  ['not linked any more', { status: 401 }, 'account_not_linked', 'ends'],
  ['not paid', { status: 402 }, 'account_unpaid', 'ends'],
] as const)(
  'a sync that fails with %s keeps the old data and saves the reason',
  async (_case, fault, code, how) => {
    const { id, token } = await context.add.instance({ token: `test_linked_sync_${code}` })
    await sync(id)
    const before = await stateOf(id)
    await context.db.run(sql`update groups set name = 'old'`)
    simulated.simulator.faults.add({ kind: 'status', ...fault, token, path: '^/groups', skip: 1 })

    await sync(id)

    await context.moveClock('31 seconds')
    expect(await context.dueSyncs()).toEqual(how === 'is tried again' ? [id] : [])
    expect(await context.db.many(sql`select from groups where chat_id like '%@g.us'`)).toHaveLength(320)
    expect(
      await context.db.many(
        sql`select from groups where name = 'old' and missing_since is null and chat_id like '%@g.us'`,
      ),
    ).toHaveLength(220)
    expect(await stateOf(id)).toMatchObject({
      lastSyncAt: before?.lastSyncAt,
      syncProblem: { code },
      isSyncing: false,
      status:
        code === 'account_not_linked' ? 'NeedsLogin' : code === 'account_unpaid' ? 'Unpaid' : 'Connected',
    })
  },
)
