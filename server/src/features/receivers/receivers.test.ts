import { createHmac } from 'node:crypto'
import dns from 'node:dns/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contract } from '@sendroom/contract'
import { limits } from '@sendroom/contract/limits'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { countWaiting } from '../../../test/locks.ts'
import { until } from '../../../test/until.ts'
import { openHeartbeat } from '../../engine/history/heartbeat.ts'
import { connect } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { isPublic, lookupPublic } from './own-network.ts'
import { claimReceiver, distributeEvents, findDueEvents, settleBatch } from './queue.queries.ts'
import { deleteReceiver, encryptAddresses } from './receivers.queries.ts'
import { openSender } from './send.ts'

const context = useContext()
const { receivers } = contract

type Call = { path: string; headers: IncomingMessage['headers']; body: string; id: string; type: string }
let calls: Call[] = []
let answer: (response: ServerResponse, call: Call) => void
let logged: object[] = []

/** The program that receives. Each test says how it answers; the path names the receiver. */
const program = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  const { id, type } = JSON.parse(body)
  const call = { path: request.url ?? '', headers: request.headers, body, id, type }
  calls.push(call)
  answer(response, call)
})
const urlOf = (path = '/') => `http://127.0.0.1:${(program.address() as AddressInfo).port}${path}`
const end = (status: number) => (response: ServerResponse) => void response.writeHead(status).end('x')

beforeAll(() => new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve)))
afterAll(() => program.closeAllConnections())
beforeEach(async () => {
  calls = []
  logged = []
  answer = end(204)
  await context.freezeClock()
  // As after the first beat of a worker.
  await context.db.run(
    sql`update heartbeat set timeline = current_timeline(), history_complete_at = clock_now()`,
  )
})

const log = { warn: (...line: unknown[]) => void logged.push(line) }
const openTestSender = (db = context.db) =>
  openSender({ db, secrets: context.secrets, config: context.config, log })

/** Repeats a worker's task of every second until nothing is on its way. */
async function work() {
  await distributeEvents(context.db)
  const sender = openTestSender()
  await sender.serve()
  await sender.settled()
  await sender.stop()
}

const form = {
  name: 'Shop system',
  url: 'https://shop.example/hook?token=url-secret',
  topics: ['job' as const, 'delivery' as const, 'trouble' as const],
  isActive: true,
  allowsOwnNetwork: false,
}
async function create(change: Partial<typeof form> = {}) {
  const admin = await context.add.admin()
  const body = { ...form, url: urlOf(), allowsOwnNetwork: true, ...change }
  const { body: created } = await context.call(admin, receivers.create, { body })
  return { ...created.receiver, secret: created.secret, admin }
}
type Created = Awaited<ReturnType<typeof create>>
const read = async ({ admin, id }: Created) =>
  (await context.call(admin, receivers.get, { params: { id } })).body

/** Lets this many events happen. */
const report = (count: number) =>
  context.db.run(sql`
    insert into webhook_events (type, data) select 'job.running', '{}' from generate_series(1, ${count})`)
const waitingTypes = () =>
  context.db.many(sql`select type, count(*) as n from webhook_queue group by type order by type`)

describe('an event', () => {
  //
  test('tells of jobs, deliveries and troubles, with ids and states only, signed', async () => {
    const { secret } = await create()
    const job = await context.add.job({
      status: 'Pending',
      textContent: 'A secret text',
      recipients: ['1@c.us'],
    })
    const change = (set: string) => context.db.script(`update ${set}`)
    await change(`jobs set status = 'Running'`)
    await change(`deliveries set status = 'sending', intent = gen_random_uuid(), intent_at = now()`)
    await change(`deliveries set status = 'sent', sent_at = now()`)
    await change(`deliveries set delivered_at = now(), read_at = now()`)
    await change(
      `deliveries set status = 'failed', reason = '{"code": "provider_error", "params": {"status": 5}}'`,
    )
    await change(`jobs set status = 'Completed'`)
    await context.db.script(
      `insert into troubles (kind, host) values ('disk_low', 'host-1'); update troubles set announced_at = now();
       update troubles set reminded_at = now(); update troubles set ended_at = now()`,
    )
    await work()
    const bodies = calls
      .map(({ body }) => JSON.parse(body))
      .sort((one, other) => one.sequence - other.sequence)
    const ofJob = { jobId: job.id, instanceId: job.instanceId }
    expect(bodies.map(({ type, data }) => [type, data])).toEqual([
      ['job.pending', { ...ofJob, status: 'Pending' }],
      ['job.running', { ...ofJob, status: 'Running' }],
      ...[
        ['sent', 'sent', null],
        ['delivered', 'sent', null],
        ['read', 'sent', null],
        ['failed', 'failed', 'provider_error'],
      ].map(([type, status, reason]) => [
        `delivery.${type}`,
        { ...ofJob, deliveryId: expect.any(Number), groupId: null, status, reason },
      ]),
      ['job.completed', { ...ofJob, status: 'Completed' }],
      ...['began', 'ended'].map((moment) => [
        `trouble.${moment}`,
        {
          ...{
            troubleId: 1,
            kind: 'disk_low',
            instanceId: null,
            jobId: null,
            seriesId: null,
            apiKeyId: null,
          },
          ...{ host: 'host-1', reason: null },
        },
      ]),
    ])
    for (const { headers, body, id } of calls) {
      const { timestamp, sequence, ...rest } = JSON.parse(body)
      expect(Object.keys(rest)).toEqual(['id', 'type', 'data'])
      expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const seconds = headers['webhook-timestamp']
      expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(60)
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      expect(key).toHaveLength(32)
      const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
      expect(headers).toMatchObject({ 'webhook-id': id, 'webhook-signature': `v1,${signature}` })
    }
    expect(JSON.stringify(calls)).not.toContain('secret text')
    expect(await waitingTypes()).toEqual([])
  })

  //
  test('has a higher number than all before, although a promoted standby has forgotten the last ones', async () => {
    await create()
    await report(3)
    await work()
    // The standby has the first event only. Before a worker of it beats, another change is reported.
    await context.shiftClock('5 minutes')
    await context.db.script(`
      select setval(pg_get_serial_sequence('webhook_events', 'sequence'), 1);
      update heartbeat set timeline = 'FFFFFFFF', beat_at = clock_now()`)
    await report(1)
    await work()
    expect(calls).toHaveLength(3)
    await openHeartbeat({ db: context.db, log: { ...log, info() {}, error() {} } }).beat()
    await report(1)
    await work()
    const numbers = calls.map(({ body }) => JSON.parse(body).sequence)
    expect(calls).toHaveLength(5)
    expect(Math.min(...numbers.slice(3))).toBeGreaterThan(Math.max(...numbers.slice(0, 3)))
    expect(numbers.every(Number.isSafeInteger)).toBe(true)
  })

  test('goes to the active receivers of its topic; without one, nothing is stored', async () => {
    const admin = await context.add.admin()
    await context.add.job()
    expect(await context.db.many(sql`select from webhook_events`)).toEqual([])
    await create({ url: urlOf('/jobs'), topics: ['job'] })
    await create({ url: urlOf('/troubles'), topics: ['trouble'] })
    const off = await create({ url: urlOf('/off'), topics: ['job'], isActive: false })
    await context.add.job()
    await context.db.run(sql`update deliveries set status = 'sent'`)
    await work()
    expect(calls.map(({ path, type }) => `${path} ${type}`)).toEqual(['/jobs job.pending'])
    await context.call(admin, receivers.remove, { params: { id: off.id } })
    expect((await context.call(admin, receivers.list, {})).body.receivers).toHaveLength(2)
  })
})

describe('a receiver that', () => {
  const broken: Record<string, [(response: ServerResponse) => void, object]> = {
    'answers 500': [end(500), { status: 500, error: null }],
    redirects: [
      (response) => response.writeHead(302, { location: urlOf('/elsewhere') }).end(),
      { status: 302, error: null },
    ],
    'hangs up': [(response) => response.destroy(), { status: null, error: 'ECONNRESET' }],
  }
  //
  test.each(Object.entries(broken))(
    '%s gets the event later, with the same id',
    async (_name, [fail, why]) => {
      const receiver = await create()
      answer = fail
      await report(1)
      await work()
      await work()
      expect(calls).toHaveLength(1)
      expect((await read(receiver)).attempts).toMatchObject([{ ...why, hasArrived: false, isWaiting: true }])
      answer = end(200)
      await context.moveClock('11 seconds')
      await work()
      expect(calls.map(({ id, path }) => [id, path])).toEqual([1, 2].map(() => [calls[0]?.id, '/']))
      expect((await read(receiver)).attempts).toMatchObject([
        { status: 200, error: null, hasArrived: true, isWaiting: false },
        { ...why, isWaiting: false },
      ])
      expect(JSON.stringify(logged)).toBe('[]')
    },
  )

  //
  test('is slow delays no other, and its answer is awaited when Sendroom stops', async () => {
    await create({ url: urlOf('/slow') })
    await create({ url: urlOf('/quick') })
    const slow: ServerResponse[] = []
    answer = (response, { path }) => (path === '/slow' ? slow.push(response) : response.end())
    await report(30)
    await distributeEvents(context.db)
    const sender = openTestSender()
    await sender.serve()
    await until('the quick one has all', () => calls.filter(({ path }) => path === '/quick').length === 30)
    await until('the slow one has its first ten', () => slow.length === 10)
    const stopped = sender.stop()
    for (const response of slow) response.end()
    await stopped
    expect(await waitingTypes()).toEqual([{ type: 'job.running', n: 20 }])
  })

  //
  test('never answers is cut off after 10 s, and delays no other until then', async () => {
    const silent = await create({ url: urlOf('/silent') })
    await create({ url: urlOf('/quick') })
    const timers: AbortController[] = []
    const timeOut = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const timer = new AbortController()
      timers.push(timer)
      return timer.signal
    })
    onTestFinished(() => timeOut.mockRestore())
    answer = (response, { path }) => path === '/quick' && response.end()
    await report(30)
    await distributeEvents(context.db)
    const sender = openTestSender()
    await sender.serve()
    const waiting = async () => (await waitingTypes())[0]?.n
    await until('only the silent one has events left', async () => (await waiting()) === 30)
    expect(calls.filter(({ path }) => path === '/quick')).toHaveLength(30)
    await until('ten are on their way', () => calls.length === 40)
    expect(new Set(timeOut.mock.calls.flat())).toEqual(new Set([10_000]))
    for (const timer of timers) timer.abort(new DOMException('', 'TimeoutError'))
    await sender.settled()
    await sender.stop()
    const { attempts } = await read(silent)
    expect(attempts.map(({ status, error, isWaiting }) => [status, error, isWaiting])).toEqual(
      Array.from({ length: 10 }, () => [null, 'TIMEOUT', true]),
    )
    expect(await waitingTypes()).toEqual([{ type: 'job.running', n: 30 }])
  })

  //
  test.each([
    ['101', 101, null, 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['no HTTP', null, 'HPE_INVALID_CONSTANT', 'hello\r\n\r\n'],
    ['nothing, and hangs up', null, 'ECONNRESET', ''],
  ])('answers %s has had an attempt like any other', async (_, status, error, bytes) => {
    const odd = await create()
    answer = (response) => void response.socket?.end(bytes)
    await report(1)
    await work()
    const { attempts } = await read(odd)
    expect(attempts).toMatchObject([{ status, error, isWaiting: true }])
  })

  //
  test('can’t be waited for any longer does not hold up a stop', async () => {
    await create()
    await report(1)
    await distributeEvents(context.db)
    const sender = openSender({
      ...{ secrets: context.secrets, config: context.config, log, stopMs: 100 },
      db: { ...context.db, begin: () => new Promise<never>(() => {}) },
    })
    await sender.serve()
    await until('the event has arrived', () => calls.length === 1)
    await sender.stop()
  })

  //
  test('is being sent to when Sendroom stops is waited for, also right after its claim', async () => {
    await create()
    await report(1)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let isClaimed = false
    const maybeOne: typeof context.db.maybeOne = async (query) => {
      const row = await context.db.maybeOne<never>(query)
      isClaimed = true
      await released
      return row
    }
    const sender = openSender({
      ...{ db: { ...context.db, maybeOne }, secrets: context.secrets },
      ...{ config: context.config, log },
    })
    const sending = sender.sendDue()
    await until('the receiver is claimed', () => isClaimed)
    answer = (response) => void setTimeout(() => response.end(), 20)
    const stopped = sender.stop()
    release()
    await sending
    await stopped
    expect(calls).toHaveLength(1)
    expect(await waitingTypes()).toEqual([])
  })

  //
  test('is being sent to is left to its worker, whatever a person does to it', async () => {
    const receiver = await create()
    const held: ServerResponse[] = []
    answer = (response) => void held.push(response)
    await report(3)
    await distributeEvents(context.db)
    const sender = openTestSender()
    await sender.serve()
    await until('the events are on their way', () => held.length === 3)
    const { admin, id } = receiver
    await context.call(admin, receivers.test, { params: { id } })
    await context.call(admin, receivers.update, {
      params: { id },
      body: { ...form, url: urlOf(), allowsOwnNetwork: true },
    })
    expect(await claimReceiver(context.db)).toBeNull()
    answer = end(200)
    for (const response of held) response.end()
    await sender.settled()
    await sender.stop()
    expect(calls.map(({ type }) => type)).toEqual(['job.running', 'job.running', 'job.running', 'test'])
  })

  //
  test('is deleted while its answers are saved causes no deadlock', async () => {
    const { id } = await create()
    await report(3)
    await distributeEvents(context.db)
    const receiver = await claimReceiver(context.db)
    if (!receiver) throw new Error('No receiver was claimed.')
    const outcome = { durationMs: 1, status: 200, error: null }
    const attempted = (await findDueEvents(context.db, receiver)).map((event) => ({ event, outcome }))
    let saving: Promise<void> | undefined
    await context.db.begin(async (tx) => {
      await tx.run(sql`select from webhook_receivers where id = ${id} for update`)
      saving = settleBatch(context.db, id, attempted)
      saving.catch(() => {}) // awaited below
      await until('the answers wait', async () => (await countWaiting(context.db)) > 0)
      await deleteReceiver(tx, id)
    })
    await saving
    expect(await waitingTypes()).toEqual([])
  })

  //
  test('is down for an hour gets all within minutes of its return, and few attempts before', async () => {
    await create()
    answer = end(503)
    await report(200)
    for (let minute = 0; minute < 60; minute++) {
      await work()
      await context.moveClock('1 minute')
    }
    expect(calls.length).toBeLessThan(40)
    answer = end(200)
    const before = calls.length
    for (let minute = 0; minute < 5; minute++) {
      await work()
      await context.moveClock('1 minute')
    }
    // The few that were tried again and again wait for their own time.
    expect(new Set(calls.slice(before).map(({ id }) => id)).size).toBeGreaterThan(180)
    await context.moveClock('1 hour')
    await work()
    expect(new Set(calls.slice(before).map(({ id }) => id)).size).toBe(200)
    expect(await waitingTypes()).toEqual([])
  })

  //
  test('fails in every way while workers are killed gets every event at least once', async () => {
    await create()
    const ids = new Set<string>()
    const arrived = new Set<string>()
    let killed = 0
    for (let round = 0; round < 30; round++) {
      await report(10)
      for (const { id } of await context.db.many<{ id: string }>(sql`select id from webhook_events`))
        ids.add(id)
      await distributeEvents(context.db)
      const db = connect(context.database.address, { applicationName: `worker ${round}` })
      const sender = openTestSender(db)
      let isKilled: Promise<unknown> = Promise.resolve()
      answer = (response, { id }) => {
        const fate = (calls.length * 7 + round) % 5
        if (fate === 0) return void response.writeHead(500).end()
        if (fate === 1) return void response.destroy()
        arrived.add(id)
        response.end()
        // The worker dies with answers that it has not saved.
        if (round % 3 === 0 && killed <= round) {
          killed = round + 1
          isKilled = db.end()
        }
      }
      await sender.serve().catch(() => {})
      await sender.settled()
      await sender.stop()
      await isKilled
      await db.end().catch(() => {})
      await context.moveClock('1 minute')
    }
    answer = (response, { id }) => {
      arrived.add(id)
      response.end()
    }
    for (let hour = 0; hour < 3; hour++) {
      await context.moveClock('1 hour')
      await work()
    }
    expect(ids.size).toBe(300)
    expect([...ids].filter((id) => !arrived.has(id))).toEqual([])
    expect(calls.length).toBeGreaterThan(300)
    expect(await waitingTypes()).toEqual([])
  })

  //
  test('was claimed by a worker that died is served by another after 30 seconds', async () => {
    await create()
    await report(1)
    await distributeEvents(context.db)
    expect(await claimReceiver(context.db)).toMatchObject({ failures: 0 })
    await work()
    expect(calls).toEqual([])
    await context.moveClock('31 seconds')
    await work()
    expect(calls).toHaveLength(1)
  })

  //
  test('takes nothing has 10,000 events waiting at most, and learns how many were dropped', async () => {
    const receiver = await create()
    answer = end(500)
    await report(limits.waitingEvents + 5)
    await work()
    const full = [
      { type: 'events_dropped', n: 1 },
      { type: 'job.running', n: limits.waitingEvents },
    ]
    expect(await waitingTypes()).toEqual(full)
    await report(7)
    await work()
    expect(await waitingTypes()).toEqual(full)
    expect((await context.call(receiver.admin, receivers.test, { params: receiver })).body.code).toBe(
      'receiver_full',
    )
    answer = end(200)
    await context.db.run(sql`delete from webhook_queue where type <> 'events_dropped'`)
    for (let round = 0; round < 3; round++) {
      await context.moveClock('1 hour')
      await work()
    }
    const dropped = () =>
      calls.filter(({ type }) => type === 'events_dropped').map(({ body }) => JSON.parse(body).data)
    expect(dropped()).toEqual([{ count: 5 }, { count: 7 }])

    answer = end(500)
    calls = []
    await report(3)
    await work()
    await context.moveClock('25 hours')
    await work()
    answer = end(200)
    await context.moveClock('1 hour')
    await work()
    expect(calls.filter(({ type }) => type === 'job.running')).toHaveLength(3)
    expect(dropped().at(-1)).toEqual({ count: 3 })
    expect(await waitingTypes()).toEqual([])
  })
})

describe('the own network', () => {
  //
  test.each([
    '127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255 224.0.0.1',
    '198.18.0.1 192.0.0.1 ::1 :: fc00::1 fe80::1 ff02::1 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:a00:1:: fec0::1',
    '::a00:1 ::7f00:1 4000::1 64:ff9b:1::a00:1 ::ffff:0:10.0.0.1 100::1 2001::1 2001:db8::1 3fff::1 5f00::1',
  ])('holds %s', (addresses) => {
    expect(addresses.split(' ').filter(isPublic)).toEqual([])
    expect(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'].filter((address) => !isPublic(address))).toEqual(
      [],
    )
  })

  //
  test.each([
    ...['127.0.0.1', 'localhost', '127.1', '0x7f000001', '2130706433', '[::1]', '[::ffff:7f00:1]'].map(
      (host) => `http://${host}`,
    ),
    'https://localhost',
  ])('is out of reach as %s without permission', async (origin) => {
    const receiver = await create({ url: urlOf().replace('http://127.0.0.1', origin) })
    await report(1)
    await context.db.run(sql`update webhook_receivers set allows_own_network = false`)
    await work()
    expect(calls).toEqual([])
    expect((await read(receiver)).attempts).toMatchObject([{ status: null, error: 'OWN_NETWORK' }])
  })
})

//
test('a name is looked up once at a time, so that a slow name server leaves threads for the provider', async () => {
  const found = Promise.withResolvers<{ address: string; family: number }[]>()
  const lookup = vi.spyOn(dns, 'lookup').mockReturnValue(found.promise as never)
  onTestFinished(() => lookup.mockRestore())
  const ask = (name: string) =>
    new Promise((resolve, reject) =>
      lookupPublic(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
    )
  const asked = [ask('shop.example'), ask('shop.example'), ask('other.example')]
  expect(lookup.mock.calls.map(([name]) => name)).toEqual(['shop.example', 'other.example'])
  const addresses = [{ address: '8.8.8.8', family: 4 }]
  found.resolve([...addresses, { address: '10.0.0.1', family: 4 }])
  expect(await Promise.all(asked)).toEqual([addresses, addresses, addresses])
  await ask('shop.example')
  expect(lookup).toHaveBeenCalledTimes(3)
})

describe('an Admin', () => {
  //
  test('manages receivers: the secret is answered once, and neither log nor list has secrets', async () => {
    const admin = await context.add.admin()
    const { status, body } = await context.call(admin, receivers.create, { body: form })
    expect(status).toBe(201)
    expect(body.secret).toMatch(/^whsec_[\w+/]{43}=$/)
    const { id } = body.receiver
    const of = { params: { id } }
    const changed = {
      ...form,
      url: 'http://10.0.0.1/?other-secret',
      allowsOwnNetwork: true,
      topics: ['job' as const],
    }
    expect((await context.call(admin, receivers.update, { ...of, body: changed })).body).toMatchObject(
      changed,
    )
    expect((await context.call(admin, receivers.test, of)).status).toBe(202)
    const shown = [
      await context.call(admin, receivers.list, {}),
      await context.call(admin, receivers.get, of),
    ]
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain('whsec_')
    expect((await context.call(admin, receivers.remove, of)).status).toBe(204)
    expect((await context.call(admin, receivers.get, of)).status).toBe(404)
    const audit = await context.db.many(sql`select action, object_name, details from audit_log order by id`)
    expect(audit.map(({ action }) => action)).toEqual(
      ['create', 'update', 'send', 'delete'].map((action) => `receiver.${action}`),
    )
    expect(audit[1]).toMatchObject({
      details: {
        changes: {
          server: ['https://shop.example', 'http://10.0.0.1'],
          topics: [form.topics, ['job']],
          allowsOwnNetwork: [false, true],
        },
      },
    })
    expect(JSON.stringify(audit)).not.toMatch(/-secret|whsec_/)
  })

  //
  test.each([
    [{ name: ' ' }, 'name', 'NAME_INVALID'],
    [{ url: 'shop.example' }, 'url', 'URL_INVALID'],
    [{ url: 'ftp://shop.example' }, 'url', 'URL_INVALID'],
    [{ url: 'https://user:password@shop.example' }, 'url', 'URL_INVALID'],
    [{ url: `https://shop.example/${'x'.repeat(1000)}` }, 'url', 'URL_INVALID'],
    [{ url: 'http://shop.example' }, 'url', 'URL_NOT_ENCRYPTED'],
    [{ topics: [] }, 'topics', 'TOPICS_REQUIRED'],
  ])('is refused %o', async (wrong, field, why) => {
    const answer = await context.call(await context.add.admin(), receivers.create, {
      body: { ...form, ...wrong },
    })
    expect(answer).toMatchObject({ status: 400, body: { fields: { [field]: `RECEIVER_FORM.${why}` } } })
  })

  test('can add 20 receivers', async () => {
    for (let n = 0; n < limits.receivers; n++) await create({ isActive: false })
    const { status, body } = await context.call(await context.add.admin(), receivers.create, { body: form })
    expect([status, body.code]).toEqual([409, 'too_many_receivers'])
  })

  //
  test('sends a test, or an event again, before all that waits for a failing receiver', async () => {
    const receiver = await create()
    const { admin, id } = receiver
    answer = end(500)
    await report(15)
    await work()
    calls = []
    await context.call(admin, receivers.test, { params: { id } })
    await work()
    expect(calls.map(({ type }) => type)).toEqual(['test'])
    const [attempt] = (await read(receiver)).attempts
    await context.moveClock('1 second')
    await context.call(admin, receivers.sendAgain, { params: { id, attemptId: attempt?.id ?? 0 } })
    await work()
    expect(calls.map(({ type }) => type)).toEqual(['test', 'test'])
  })

  //
  test('sends an event again, and sees the last attempts', async () => {
    const receiver = await create()
    await report(1)
    await work()
    const [attempt] = (await read(receiver)).attempts
    const again = { params: { id: receiver.id, attemptId: attempt?.id ?? 0 } }
    expect((await context.call(receiver.admin, receivers.sendAgain, again)).status).toBe(202)
    await work()
    expect(calls.map(({ body }) => body)).toEqual([attempt?.body, attempt?.body])
    // An event that waits, and a receiver that rests, do so no longer.
    answer = end(500)
    await context.call(receiver.admin, receivers.test, { params: receiver })
    await work()
    answer = end(200)
    const failed = (await read(receiver)).attempts.find(({ hasArrived }) => !hasArrived)
    await context.call(receiver.admin, receivers.sendAgain, {
      params: { id: receiver.id, attemptId: failed?.id ?? 0 },
    })
    await work()
    expect((await read(receiver)).receiver).toMatchObject({
      waiting: 0,
      arrivedAt: expect.any(String),
      failedAt: expect.any(String),
    })
    const other = await create()
    expect(
      (await context.call(other.admin, receivers.sendAgain, { params: { ...again.params, id: other.id } }))
        .status,
    ).toBe(404)

    await report(limits.attempts + 20)
    await work()
    const { attempts } = await read(receiver)
    expect(attempts.filter(({ hasArrived }) => hasArrived)).toHaveLength(limits.attempts)
    expect(attempts.filter(({ hasArrived }) => !hasArrived)).toHaveLength(1)
  })
})

//
test('the database holds the address only encrypted, also one that an older program has stored', async () => {
  await context.call(await context.add.admin(), contract.receivers.create, { body: form })
  await context.db.run(sql`
    insert into webhook_receivers (name, url, secret_cipher, topics, is_active, allows_own_network)
    values ('Older', 'https://older.example/?url-secret', '', '{job}', true, false)`)

  await encryptAddresses(context.db, context.secrets)

  const stored = await context.db.many(sql`select r::text as row from webhook_receivers r`)
  expect(stored).toHaveLength(2)
  expect(JSON.stringify(stored)).not.toMatch(/url-secret|example/)
  const { body } = await context.call(await context.add.admin(), contract.receivers.list, {})
  expect(body.receivers.map(({ url }) => url)).toEqual(['https://older.example/?url-secret', form.url])
})
