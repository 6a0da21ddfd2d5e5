import { contract } from '@sendroom/contract'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { useContext, useSharedContext } from '../../../test/context.ts'
import { useSimulator } from '../../../test/simulated.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { keyOf, renewWebhooks, secretOf, setDueWebhooks } from './webhook.ts'

const simulated = useSimulator()
let base: string | null = 'https://send.example'
const options = { providers: simulated.providers, webhookBase: () => base }
const context = useSharedContext(options)

/** Adds an instance and returns a function that calls its webhook. */
async function calledInstance() {
  const instance = await context.add.instance()
  const { tokenCipher } = await context.db.one<{ tokenCipher: Buffer }>(sql`
    select token_cipher from instances where id = ${instance.id}`)
  const key = keyOf(context.secrets, instance.id)
  const secret = secretOf(context.secrets, { id: instance.id, tokenCipher })
  async function call(payload: unknown, override: { key?: string; secret?: string; type?: string } = {}) {
    const request: InjectOptions = {
      method: 'POST',
      url: `/api/webhooks/whapi/${override.key ?? key}`,
      headers: {
        'content-type': override.type ?? 'application/json',
        'x-sendroom-secret': override.secret ?? secret,
        // Webhook calls have no XSRF header.
        cookie: 'XSRF-TOKEN=somebody',
      },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    }
    return (await (await context.app).inject(request)).statusCode
  }
  return { ...instance, key, secret, call }
}

const event = (type: string, event: string, content: object) => ({
  ...content,
  event: { type, event },
  channel_id: 'X-1',
})
const status = (fields: object) =>
  event('statuses', 'post', {
    statuses: [{ id: 'm1', code: 3, status: 'delivered', timestamp: '1767225602', ...fields }],
  })
const stopOf = (number: string) =>
  event('messages', 'post', {
    messages: [
      {
        ...{ id: 'in-1', from_me: false, type: 'text', chat_id: `${number}@s.whatsapp.net`, from: number },
        ...{ timestamp: 1767225602, source: 'mobile', text: { body: 'Dừng' } },
      },
    ],
  })
/** The receipts of an instance. */
const storedOf = async (id: number) => {
  const batches = await context.db.many<{ receipts: string }>(
    sql`select receipts from receipt_batches order by id`,
  )
  return batches
    .flatMap(({ receipts }) => JSON.parse(receipts) as { instanceId: number }[])
    .filter(({ instanceId }) => instanceId === id)
}
const rowOf = async (id: number, { db } = context) =>
  (
    await db.many(sql`
      select status, status_seen_at, whats_app_number, waiting, groups_changed_at, webhook_base
      from instances where id = ${id}`)
  )[0]

describe('a call of the webhook', () => {
  test('stores the receipt and is answered', async () => {
    const { id, call } = await calledInstance()
    expect(await call(status({}))).toBe(200)
    expect(await call(status({ status: 'played', viewer_id: '84900000001@s.whatsapp.net' }))).toBe(200)
    expect(await call(status({ status: 'failed', errors: [{ code: 403, message: 'forbidden' }] }))).toBe(200)
    const common = { instanceId: id, providerMessageId: 'm1', at: '2026-01-01T00:00:02.000Z' }
    expect(await storedOf(id)).toEqual([
      { ...common, state: 'delivered', viewer: null, detail: '' },
      { ...common, state: 'read', viewer: '84900000001', detail: '' },
      { ...common, state: 'failed', viewer: null, detail: 'forbidden' },
    ])
  })

  test('is answered once an opt-out holds, also while somebody holds the lock of the account', async () => {
    const { id, call } = await calledInstance()
    await context.db.begin(async (tx) => {
      await tx.run(sql`select from instances where id = ${id} for no key update`)
      expect(await call(stopOf('84987000001'))).toBe(200)
      expect(
        await context.db.one(sql`select is_opted_out('84987000001@s.whatsapp.net', ${id}) as is_out`),
      ).toEqual({ isOut: true })
    })
  })

  test('with a wrong key or secret is not found, whatever the body', async () => {
    const { id, call } = await calledInstance()
    for (const override of [{ key: '1.guessed' }, { key: 'x' }, { secret: 'guessed' }])
      expect(await call('{', override)).toBe(404)
    expect(await storedOf(id)).toHaveLength(0)
  })

  test('is not found with the secret of a former token, nor for a deleted instance', async () => {
    const { id, call } = await calledInstance()
    await context.db.run(
      sql`
        update instances
        set token_hash = ${context.secrets.hash('another')}, token_cipher = ${context.secrets.encrypt('another')}
        where id = ${id}`,
    )
    expect(await call(status({}))).toBe(404)
    const other = await calledInstance()
    await context.db.run(sql`delete from instances where id = ${other.id}`)
    expect(await other.call(status({}))).toBe(404)
  })

  test('of a former token opts nobody out, also just after it was accepted', async () => {
    const { id, call } = await calledInstance()
    expect(await call(status({}))).toBe(200)
    await context.db.run(
      sql`update instances set token_hash = ${context.secrets.hash('another one')} where id = ${id}`,
    )
    await call(stopOf('84987000002'))
    expect(
      await context.db.one(sql`select is_opted_out('84987000002@s.whatsapp.net', ${id}) as is_out`),
    ).toEqual({ isOut: false })
  })

  test.each([
    ['nothing', {}],
    ['a list', []],
    ['a text', '"x"'],
    ['null', 'null'],
    ['an unknown event', event('polls', 'post', { polls: [{ id: 1 }] })],
    [
      'invalid statuses',
      event('statuses', 'post', { statuses: [1, null, {}, { id: 5 }, { status: 'read' }] }),
    ],
    ['a status without news', status({ status: 'pending' })],
    ['an id far too long', status({ id: 'x'.repeat(5000) })],
    ['zero bytes', status({ id: 'a\0b', viewer_id: '1\0' })],
    ['an invalid time', status({ timestamp: 'soon' })],
    ['an incoming message', event('messages', 'post', { messages: [{ id: 'm1', from_me: false }] })],
  ])('with %s is answered and has no effect', async (_name, payload) => {
    const { call } = await calledInstance()
    expect(await call(payload)).toBe(200)
  })

  test('with invalid JSON, another content type or a huge body is refused', async () => {
    const { id, call } = await calledInstance()
    expect(await call('{"statuses":[')).toBe(400)
    expect(await call('a=b', { type: 'application/x-www-form-urlencoded' })).toBe(415)
    expect(await call({ statuses: 'x'.repeat(2_000_000) })).toBe(413)
    expect(await storedOf(id)).toHaveLength(0)
  })

  test('about the instance changes its status at once, and its jobs wait or continue', async () => {
    const { id, call } = await calledInstance()
    await call(event('users', 'delete', { user: { id: '84907654321', name: 'Shop' } }))
    expect(await rowOf(id)).toMatchObject({ status: 'NeedsLogin', waiting: { code: 'account_not_linked' } })
    await call(event('channel', 'post', { health: { status: { code: 2, text: 'LAUNCH' } } }))
    expect(await rowOf(id)).toMatchObject({ status: 'NeedsLogin' })
    await call(event('users', 'post', { user: { id: '84907654321', name: 'Shop' } }))
    expect(await rowOf(id)).toMatchObject({
      status: 'Connected',
      statusSeenAt: expect.any(String),
      whatsAppNumber: '84907654321',
      waiting: null,
    })
    expect(await context.dueSyncs()).toContain(id)
    await call(event('channel', 'post', { health: { status: { code: 7, text: 'STOP' } } }))
    expect(await rowOf(id)).toMatchObject({ status: 'Unpaid', waiting: { code: 'account_unpaid' } })
  })

  test('about the channel of a former token does not change the status, however soon it comes', async () => {
    const { id, call } = await calledInstance()
    await call(status({}))
    await context.db.run(
      sql`update instances set token_hash = ${context.secrets.hash('next')} where id = ${id}`,
    )

    await call(event('users', 'delete', { user: { id: '84907654321', name: 'Shop' } }))

    expect(await rowOf(id)).toMatchObject({ status: 'Connected', waiting: null })
  })

  test.each([
    ['post', { groups: [{ id: '1@g.us' }] }],
    ['put', { groups_participants: [{ group_id: '1@g.us', participants: [], action: 'add' }] }],
    ['patch', { groups_updates: [{ changes: ['name'] }] }],
  ])('about groups (%s) makes a sync due', async (verb, payload) => {
    const { id, call } = await calledInstance()
    await call(event('groups', verb, payload))
    expect((await rowOf(id))?.groupsChangedAt).toBeTruthy()
  })
})

describe('the webhook at the provider', () => {
  const context = useContext(options)
  const theirs = { url: 'https://other.example/hook', mode: 'path', headers: { 'x-key': '1' }, events: [] }
  const settings = async (token: string) => {
    const answer = await fetch(`${simulated.simulator.url}/settings`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return (await answer.json()) as { webhooks: { url: string; headers: object }[] }
  }
  const urls = async (token: string) => (await settings(token)).webhooks.map(({ url }) => url)
  const change = (token: string, webhooks: object[]) =>
    fetch(`${simulated.simulator.url}/settings`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ webhooks }),
    })
  let tokens = 0
  const linked = () => `test_linked_hook_${Date.now()}_${++tokens}`
  const create = async (token: string) =>
    (
      await context.call(await context.add.admin(), contract.instances.create, {
        body: { name: token, whapiToken: token },
      })
    ).body
  const patches = (token: string) =>
    simulated.simulator.channels.find(token)?.requests.get('PATCH /settings') ?? 0

  test('is set when an instance is connected, beside the webhooks of other programs', async () => {
    const token = linked()
    await change(token, [theirs])
    const { id } = await create(token)
    const { webhooks } = await settings(token)
    expect(webhooks[0]).toEqual(theirs)
    expect(webhooks[1]).toMatchObject({
      url: `https://send.example/api/webhooks/whapi/${keyOf(context.secrets, id)}`,
      headers: { 'x-sendroom-secret': expect.stringMatching(/^[\w-]{43}$/) },
      events: expect.arrayContaining([{ type: 'statuses', method: 'post' }]),
    })
    expect(webhooks).toHaveLength(2)
    expect(await rowOf(id, context)).toMatchObject({ webhookBase: 'https://send.example' })
  })

  test('follows the URL of the installation, and is set only once', async () => {
    const token = linked()
    const { id } = await create(token)
    const deps = {
      ...{ db: context.db, secrets: context.secrets, providers: simulated.providers() },
      webhookBase: () => base,
    }
    const { signal } = new AbortController()
    await setDueWebhooks(deps, signal)
    expect(patches(token)).toBe(1)
    base = 'https://new.example'
    await renewWebhooks(deps, signal)
    expect(await urls(token)).toEqual([
      `https://new.example/api/webhooks/whapi/${keyOf(context.secrets, id)}`,
    ])
    // A day later the webhook is checked, and needs no change.
    await context.shiftClock('25 hours')
    await setDueWebhooks(deps, signal)
    expect(patches(token)).toBe(2)
    await change(token, [])
    await context.shiftClock('50 hours')
    await setDueWebhooks(deps, signal)
    expect(await urls(token)).toHaveLength(1)
    base = 'https://send.example'
  })

  test('is not set without a URL, and is set later if the provider fails', async () => {
    base = null
    const token = linked()
    await create(token)
    expect(patches(token)).toBe(0)
    base = 'https://send.example'
    const failing = linked()
    simulated.simulator.faults.add({ kind: 'status', status: 500, path: '^/settings', token: failing })
    const { id, status } = await create(failing)
    expect(status).toBe('Connected')
    expect(await rowOf(id, context)).toMatchObject({ webhookBase: null })
    simulated.simulator.faults.clear()
    const deps = {
      ...{ db: context.db, secrets: context.secrets, providers: simulated.providers() },
      webhookBase: () => base,
    }
    await context.shiftClock('2 hours')
    await setDueWebhooks(deps, new AbortController().signal)
    expect(await rowOf(id, context)).toMatchObject({ webhookBase: 'https://send.example' })
  })

  test('is removed with the instance, and with its token', async () => {
    const [gone, former, next] = [linked(), linked(), linked()]
    for (const token of [gone, former]) await change(token, [theirs])
    const { id } = await create(gone)
    await context.call(await context.add.admin(), contract.instances.remove, { params: { id } })
    await until('the webhook is removed', async () => (await urls(gone)).join() === theirs.url)
    const changed = await create(former)
    await context.call(await context.add.admin(), contract.instances.update, {
      params: { id: changed.id },
      body: { whapiToken: next },
    })
    await until('the webhook is removed', async () => (await urls(former)).join() === theirs.url)
    expect(await urls(next)).toHaveLength(1)
  })
})
