import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { expect, test } from 'vitest'
import { deleteOldRows } from '../../src/engine/index.ts'
import { sql } from '../../src/platform/database/sql.ts'
import { useContext } from '../context.ts'
import type { TestUser } from '../factories.ts'
import { addressOf } from '../http-client.ts'
import { until } from '../until.ts'

// Rights and rows change here while an export runs or waits for its turn.

const context = useContext()
const { jobs, groups, audit, dashboard } = contract

const ROWS = 5000

/** An ended job whose results no socket buffer takes, and a Member who may export everything of its instance. */
async function fixture() {
  const instance = await context.add.instance()
  const member = await context.add.user({ instances: [instance], canExportParticipants: true })
  const job = await context.add.job({ instanceId: instance.id, recipients: [], status: 'Completed' })
  await context.db.run(sql`
    insert into deliveries (job_id, instance_id, chat_id, recipient_name, status)
    select ${job.id}, ${instance.id}, n || '@g.us', repeat('x', 4000), 'skipped' from generate_series(1, ${ROWS}) n`)
  await context.db.run(sql`
    update jobs set recipient_count = ${ROWS}, completed_at = clock_now() - interval '8 days'`)
  return { instance, member, job }
}

async function download(user: TestUser, endpoint: Endpoint, params: object): Promise<ClientRequest> {
  const port = await context.listen()
  return request({
    port,
    path: addressOf(endpoint, params),
    headers: { authorization: `Bearer ${user.token}` },
  }).end()
}

/** Begins to download the job's results, and reads no more than the headers. */
async function begin(user: TestUser, job: { id: number }): Promise<IncomingMessage> {
  const [answer] = (await once(await download(user, jobs.exportCsv, job), 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(200)
  return answer
}

/** Reads the rest. Resolves to the number of lines, or to what broke the download off. */
async function end(answer: IncomingMessage): Promise<number | string> {
  let lines = 0
  try {
    for await (const chunk of answer) lines += String(chunk).split('\n').length - 1
    return lines
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

test('a slow client gets each row', async () => {
  const { member, job } = await fixture()
  expect(await end(await begin(member, job))).toBe(ROWS + 1)
})

type Fixture = Awaited<ReturnType<typeof fixture>>

const changes: Record<string, (of: Fixture) => Promise<unknown>> = {
  'the job is deleted': ({ job }) => context.db.run(sql`delete from jobs where id = ${job.id}`),
  'its recipients are deleted because they are old': async () => {
    await context.db.run(sql`update retention set delivery_days = 7`)
    await deleteOldRows(context.db, AbortSignal.timeout(60_000))
  },
  'the instance is withdrawn': () => context.db.run(sql`delete from user_instances`),
  'the user is locked': ({ member }) =>
    context.db.run(sql`update users set is_active = false where id = ${member.id}`),
  'the session is ended': () => context.db.run(sql`delete from sessions`),
}

test.for(Object.entries(changes))('a download breaks off when %s', async ([, change]) => {
  const of = await fixture()
  const answer = await begin(of.member, of.job)

  await change(of)

  expect(await end(answer)).toBe('ECONNRESET')
})

test('a download breaks off when the database fails, and its connection is free again', async () => {
  const { member, job } = await fixture()
  const answer = await begin(member, job)

  await context.db.run(sql`alter table deliveries rename column sent_at to renamed`)

  expect(await end(answer)).toBe('ECONNRESET')
  await until('the connection is free', () => context.db.usage().inUse === 0)
})

const exportsWithRights: { what: string; endpoint: Endpoint; status: number }[] = [
  { what: 'the participants of a group', endpoint: groups.exportParticipants, status: 403 },
  { what: 'the audit log', endpoint: audit.export, status: 403 },
  { what: 'the days of an instance', endpoint: dashboard.exportDays, status: 404 },
]

test.for(exportsWithRights)(
  'an export of $what that waits for its turn is refused when the right is withdrawn',
  async ({ endpoint, status }) => {
    const { member, job, instance } = await fixture()
    const group = await context.add.group({ instanceId: instance.id })
    if (endpoint === audit.export) await context.db.run(sql`update users set role = 'Admin'`)
    const first = await begin(member, job)
    const app = await context.app
    const find = app.findCaller
    const hasFound = new Promise<void>((resolve) => {
      app.findCaller = (...of) => find(...of).finally(resolve)
    })
    const query = endpoint === dashboard.exportDays ? `?instanceId=${instance.id}` : ''
    const waiting = await download(member, { ...endpoint, path: `${endpoint.path}${query}` }, group)
    const answered = once(waiting, 'response') as Promise<[IncomingMessage]>
    await hasFound
    await context.db.run(
      endpoint === dashboard.exportDays
        ? sql`delete from user_instances`
        : sql`update users set role = 'Member', can_export_participants = false`,
    )

    first.destroy()

    const [answer] = await answered
    expect(answer.statusCode).toBe(status)
    answer.resume()
  },
)

test('an export goes on when the confirmation that it began with grows old', async () => {
  const { member, job } = await fixture()
  await context.db.run(sql`update users set role = 'Admin'`)
  const first = await begin(member, job)
  const app = await context.app
  const find = app.findCaller
  const hasFound = new Promise<void>((resolve) => {
    app.findCaller = (...of) => find(...of).finally(resolve)
  })
  const answered = once(await download(member, audit.export, {}), 'response') as Promise<[IncomingMessage]>
  await hasFound
  await context.db.run(sql`update sessions set confirmed_at = clock_now() - interval '11 minutes'`)

  first.destroy()

  const [answer] = await answered
  expect(answer.statusCode).toBe(200)
  answer.resume()
})
