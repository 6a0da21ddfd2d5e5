import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { people, useEngineContext } from '../../../test/engine-context.ts'
import { scriptedProvider } from '../../../test/scripted-provider.ts'
import { until } from '../../../test/until.ts'
import { sql } from '../../platform/database/sql.ts'
import { type IncomingMessage, type Provider, ProviderFailure } from '../../providers/provider.ts'
import { retryFailed } from '../index.ts'
import { openIncomingIntake } from './intake.ts'
import { openIncomingReader } from './read.ts'
import { applyDueReplies } from './replies.ts'
import { saidOf } from './said.ts'
import { storeIncoming, storeSaid } from './store.ts'

const context = useEngineContext()

let last = 0
const newNumber = () => `8498${String(1_000_000 + ++last)}`
const seconds = (ago = 0) => Math.floor(Date.now() / 1000) - ago

/** A message of this number, or of a hidden one. */
const message = (
  text: string,
  more: Partial<IncomingMessage> & { phone?: string; lid?: string } = {},
): IncomingMessage => {
  const { phone = null, lid = null, ...fields } = more
  return {
    id: `in-${++last}`,
    chatId: phone ? `${phone}@s.whatsapp.net` : `${lid}@lid`,
    from: phone ? { kind: 'phone', value: phone } : { kind: 'lid', value: lid ?? '' },
    timestamp: seconds(),
    quotedId: null,
    ...{ text, senderPhone: phone, senderLid: lid },
    ...fields,
  }
}

const isOut = async (phone: string) =>
  (
    await context.db.one<{ isOut: boolean }>(
      sql`select is_opted_out(${`${phone}@s.whatsapp.net`}, 0) as is_out`,
    )
  ).isOut

const store = (instanceId: number, ...messages: IncomingMessage[]) => storeAsking(null, instanceId, messages)

const storeAsking = (provider: Provider | null, instanceId: number, messages: IncomingMessage[]) =>
  storeIncoming(
    (said) => storeSaid(context.db, said),
    provider && { provider, credentials: { token: 'x' } },
    messages.map((one) => saidOf(instanceId, one)),
  )

const possible = (instanceId: number) =>
  context.db.many(sql`
    select phone, lid, why, words from possible_opt_outs where instance_id = ${instanceId} order by id`)

// R-1130
describe('a private message', () => {
  test('opts out, in again, or waits for a person, and otherwise leaves nothing but that somebody has answered', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const [stops, returns, doubts, complains, thanks] = Array.from({ length: 5 }, newNumber) as [
      string,
      string,
      string,
      string,
      string,
    ]
    await store(
      id,
      message('Dừng!', { phone: stops }),
      message('Dừng', { phone: returns, timestamp: seconds(10) }),
      message('START', { phone: returns }),
      message('cho tôi dừng nhé', { phone: doubts }),
      message('This is spam', { phone: complains }),
      message('Cảm ơn shop', { phone: thanks }),
    )
    expect([await isOut(stops), await isOut(returns), await isOut(doubts), await isOut(thanks)]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect(await possible(id)).toEqual([
      { phone: doubts, lid: null, why: 'contains', words: 'cho tôi dừng nhé' },
      { phone: complains, lid: null, why: 'complaint', words: 'This is spam' },
    ])
    const { answered } = await context.db.one<{ answered: number }>(sql`
      select count(*) as answered from instance_people where instance_id = ${id} and replied_at is not null`)
    expect(answered).toBe(5)
  })

  test('counts once, however often and in whatever order calls come', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const [phone, other] = [newNumber(), newNumber()]
    const stop = message('Dừng', { phone, timestamp: seconds(20) })
    const start = message('START', { phone, timestamp: seconds(10) })
    const doubt = message('xin dừng', { phone: other })
    await Promise.all([store(id, start), store(id, stop, doubt), store(id, stop), store(id, doubt, start)])
    expect(await isOut(phone)).toBe(false)
    expect(await possible(id)).toHaveLength(1)
    const { n } = await context.db.one<{ n: number }>(sql`
      select count(*) as n from opt_outs where provider_message_id = ${stop.id}`)
    expect(n).toBe(1)
  })

  test('opts out while somebody holds the lock of the account', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const phone = newNumber()
    await context.db.begin(async (tx) => {
      await tx.run(sql`select from instances where id = ${id} for no key update`)
      await store(id, message('Stop', { phone }))
      expect(await isOut(phone)).toBe(true)
    })
  })

  test('of a wrong time counts as said now, or long ago', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const [future, past] = [newNumber(), newNumber()]
    await store(id, message('Dừng', { phone: future, timestamp: 1e300 }))
    await store(id, message('START', { phone: future, timestamp: 1e300 }))
    await store(id, message('Dừng', { phone: past, timestamp: -1e300 }))
    expect([await isOut(future), await isOut(past)]).toEqual([false, true])
  })
})

// R-1131
describe('a hidden sender', () => {
  test('is known by what the provider told, by the contact, or by the message that theirs quotes', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const job = await context.add.job({ instanceId: id, recipients: people(1), deliveryStatus: 'sent' })
    await context.db.run(sql`
      insert into matched_messages (instance_id, provider_message_id, delivery_id)
      select ${id}, 'ours-1', id from deliveries where job_id = ${job.id}`)
    const [told, contact, learned] = [newNumber(), newNumber(), newNumber()]
    await context.db.run(sql`insert into known_lids values (${`1${told}`}, ${told})`)
    const { id: contactId } = await context.add.contact({ number: contact })
    await context.db.run(sql`
      insert into contact_identities (contact_id, kind, value) values (${contactId}, 'lid', ${`1${contact}`})`)
    const { provider, script } = scriptedProvider()
    script.lids.set(learned, `1${learned}`)
    await storeAsking(provider, id, [
      message('Dừng', { lid: `1${told}` }),
      message('Dừng', { lid: `1${contact}` }),
      message('Dừng', { lid: '99900', quotedId: 'ours-1' }),
      message('Dừng', { lid: `1${learned}` }),
    ])
    const quoted = people(1)[0]?.split('@')[0] ?? ''
    for (const phone of [told, contact, quoted, learned]) expect(await isOut(phone), phone).toBe(true)
    expect(await possible(id)).toEqual([])
    await context.db.run(sql`delete from opt_outs`)
  })

  test('is whom the provider names, whoever’s message is quoted', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const job = await context.add.job({ instanceId: id, recipients: people(1), deliveryStatus: 'sent' })
    await context.db.run(sql`
      insert into matched_messages (instance_id, provider_message_id, delivery_id)
      select ${id}, 'ours-2', id from deliveries where job_id = ${job.id}`)
    const quoted = people(1)[0]?.split('@')[0] ?? ''
    const [named, hidden] = [newNumber(), '99901']
    const { provider, script } = scriptedProvider()
    script.lids.set(named, `1${named}`)
    const quote = { quotedId: 'ours-2' }
    await storeAsking(provider, id, [message('Dừng', { lid: `1${named}`, timestamp: seconds(10), ...quote })])
    expect([await isOut(named), await isOut(quoted)]).toEqual([true, false])
    expect(
      await context.db.run(sql`select from instance_people where instance_id = ${id} and phone = ${quoted}`),
    ).toBe(0)

    await store(id, message('Dừng', { phone: quoted, timestamp: seconds(10) }))
    await storeAsking(provider, id, [message('START', { lid: `1${named}`, ...quote })])
    await store(id, message('START', { lid: hidden, ...quote }))
    expect([await isOut(named), await isOut(quoted)]).toEqual([false, true])
    expect(await context.db.run(sql`select from known_lids where lid = ${hidden}`)).toBe(0)
    await context.db.run(sql`delete from opt_outs`)
  })

  test('who says stop again does not wait for a person again', async () => {
    const { id } = await context.add.instance({ isTest: false })
    await store(id, message('Dừng', { lid: '50009' }))
    await store(id, message('Dừng', { lid: '50009' }), message('Dừng!', { lid: '50009' }))
    expect(await possible(id)).toHaveLength(1)
  })

  test('whom nobody knows waits for a person, and has opted out once the number is known', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const phone = newNumber()
    await store(id, message('Dừng', { lid: `7${phone}` }))
    expect(await possible(id)).toEqual([
      { phone: null, lid: `7${phone}`, why: 'unknown_person', words: 'Dừng' },
    ])
    expect(await isOut(phone)).toBe(false)
    await context.db.run(sql`insert into known_lids values (${`7${phone}`}, ${phone})`)
    expect(await isOut(phone)).toBe(true)
  })

  test('is asked for once, and only if the message means something', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const { provider } = scriptedProvider()
    const asked: string[] = []
    provider.phoneOf = async (_credentials, lid) => {
      asked.push(lid)
      return null
    }
    const messages = [message('Dừng', { lid: '50001' }), message('Cảm ơn', { lid: '50002' })]
    await storeAsking(provider, id, messages)
    await storeAsking(provider, id, messages)
    expect(asked).toEqual(['50001'])
  })

  test('whose number the provider does not tell in time is unknown', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const { provider } = scriptedProvider()
    provider.phoneOf = () => new Promise(() => {})
    await storeAsking(provider, id, [message('Dừng', { lid: '50003' })])
    expect(await possible(id)).toMatchObject([{ why: 'unknown_person' }])
  })
})

// R-1134
describe('calls that come at the same time', () => {
  test('share transactions, in whatever order several servers get them', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const phones = Array.from({ length: 20 }, newNumber)
    const intakes = [openIncomingIntake(context.db), openIncomingIntake(context.db)]
    const messages = phones.map((phone) => message('Dừng', { phone, lid: `4${phone}` }))
    const orders = [messages, messages.toReversed()]
    await Promise.all(
      orders.flatMap((order, n) => [
        intakes[n]?.accept(id, null, order),
        ...order.map((one) => intakes[n]?.accept(id, null, [one, message('Ok', { phone: newNumber() })])),
      ]),
    )
    for (const phone of phones) expect(await isOut(phone), phone).toBe(true)
    expect(await context.db.run(sql`select from opt_outs where instance_id = ${id}`)).toBe(20)
    for (const { close } of intakes) await close()
  })

  test('fail no other', async () => {
    const { id } = await context.add.instance({ isTest: false })
    const phone = newNumber()
    const intake = openIncomingIntake(context.db)
    const answers = await Promise.allSettled([
      intake.accept(2 ** 40, null, [message('Dừng', { phone: newNumber() })]),
      intake.accept(id, null, [message('Dừng', { phone })]),
    ])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(await isOut(phone)).toBe(true)
    await intake.close()
  })
})

// R-1132
test('an answer gives back one of the new people, once, also while somebody holds the lock', async () => {
  const { id } = await context.add.instance({ newPeopleLeft: 5 })
  const [phone, other] = [newNumber(), newNumber()]
  await context.db.run(sql`
    insert into instance_people (instance_id, phone, first_sent_at) select ${id}, phone, clock_now()
    from unnest(${[phone, other]}::text[]) phone`)
  await context.db.run(sql`
    update instances i set sent_by_day = jsonb_build_object('n' || local_day(clock_now(), i.time_zone), 2) where id = ${id}`)
  const thanks = message('Cảm ơn', { phone })
  await Promise.all([
    store(id, thanks),
    store(id, thanks, message('Ok', { phone })),
    store(id, message('Ok', { phone })),
  ])
  expect(
    await context.db.one(sql`
      select (sent_by_day ->> ('n' || local_day(clock_now(), time_zone)))::int as new, new_people_left as left
      from instances where id = ${id}`),
  ).toEqual({ new: 1, left: 6 })

  await applyDueReplies(context.db)
  const thanksToo = message('Cảm ơn', { phone: other })
  await context.db.begin(async (tx) => {
    await tx.run(sql`select from instances where id = ${id} for no key update`)
    await store(id, thanksToo, thanks)
    await store(id, thanksToo)
    expect(await applyDueReplies(context.db)).toBe(0)
  })
  expect(await applyDueReplies(context.db)).toBe(1)
  await store(id, thanksToo)
  expect(
    await context.db.one(sql`select sent_by_day, new_people_left as left from instances where id = ${id}`),
  ).toEqual({ sentByDay: {}, left: 7 })
})

// R-1133
describe('before an account writes to people', () => {
  const away = { incomingUntil: 'epoch', incomingReadUntil: new Date(Date.now() - 3_600_000).toISOString() }

  /** Notes from when the messages are read, in unix seconds. */
  function readingProvider() {
    const scripted = scriptedProvider()
    const froms: number[] = []
    const { incomingMessages } = scripted.provider
    scripted.provider.incomingMessages = (credentials, from) => {
      froms.push(from)
      return incomingMessages(credentials, from)
    }
    return { ...scripted, froms }
  }

  /** An instance that was away, and has a running job to people. */
  async function runningInstance() {
    const instance = await context.add.instance(away)
    const startedAt = new Date().toISOString()
    await context.add.job({
      ...{ instanceId: instance.id, recipients: people(1), status: 'Running', startedAt },
    })
    return instance
  }

  test.each([
    { after: 'an outage', columns: away },
    { after: 'a restore', columns: { ...away, incomingUntil: '2100-01-01', incomingEra: null } },
  ])('what they wrote meanwhile is read after $after, and groups do not wait', async ({ columns }) => {
    const { provider, script, ledger } = scriptedProvider()
    const instance = await context.add.instance(columns)
    const [first = '', second = ''] = people(2)
    const haveGroups = Promise.withResolvers<void>()
    script.onIncoming = async () => {
      await haveGroups.promise
      return [
        message('Dừng', { phone: first.split('@')[0] ?? '', timestamp: seconds(1800) }),
        message('Dừng', { phone: second.split('@')[0] ?? '', timestamp: seconds(24 * 3600) }),
      ]
    }
    const toPeople = await context.add.job({ instanceId: instance.id, recipients: people(2) })
    // Jobs take turns, so the other one would have sent by the end of this one.
    const toGroups = await context.add.job({
      instanceId: instance.id,
      recipients: ['1@g.us', '2@g.us', '3@g.us'],
    })
    context.worker(provider)
    await context.untilStatus(toGroups.id, 'Completed')
    haveGroups.resolve()
    await context.untilStatus(toPeople.id, 'Completed')
    expect(await context.statuses(toPeople.id)).toEqual(['skipped', 'sent'])
    expect(ledger.map(({ to }) => to)).not.toContain(first)
    await context.db.run(sql`delete from opt_outs`)
  })

  test('what they wrote is read back to where it was read before, however long ago that is', async () => {
    const { provider, script, ledger } = scriptedProvider()
    const day = 24 * 3600
    const incomingReadUntil = new Date(Date.now() - 45 * day * 1000).toISOString()
    const instance = await context.add.instance({ ...away, token: 'live-4', incomingReadUntil })
    script.onIncoming = () => [
      message('Dừng', { phone: people(1)[0]?.split('@')[0] ?? '', timestamp: seconds(44 * day) }),
    ]
    const job = await context.add.job({ instanceId: instance.id, recipients: people(1) })
    context.worker(provider)
    await context.untilStatus(job.id, 'Completed')
    expect(ledger).toEqual([])
    await context.db.run(sql`delete from opt_outs`)
  })

  test('a list that can’t be read holds jobs to people, and says so', async () => {
    const { provider, script } = scriptedProvider()
    const instance = await context.add.instance(away)
    script.onIncoming = () => {
      throw new ProviderFailure('unreachable', { code: 'provider_unreachable', params: {} })
    }
    const toPeople = await context.add.job({ instanceId: instance.id, recipients: people(1) })
    const toGroups = await context.add.job({ instanceId: instance.id })
    context.worker(provider)
    await context.untilStatus(toGroups.id, 'Completed')
    await context.untilWaiting(toPeople.id, 'reading_incoming')
    expect(await context.statuses(toPeople.id)).toEqual(['queued'])
  })

  // R-1134
  test('a provider that does not answer holds no other account, and no stop', async () => {
    const { provider } = scriptedProvider()
    const { incomingMessages } = provider
    const hangs = { ...away, token: 'test_hangs' }
    const [stuck, other] = [await context.add.instance(hangs), await context.add.instance(away)]
    let isReading = false
    provider.incomingMessages = ({ token }, from) =>
      token === 'test_hangs'
        ? {
            [Symbol.asyncIterator]: () => ({
              next: () => {
                isReading = true
                return new Promise(() => {})
              },
            }),
          }
        : incomingMessages({ token }, from)
    await context.add.job({ instanceId: stuck.id, recipients: people(1) })
    const worker = context.worker(provider)
    await until('the list is read', () => isReading)
    const job = await context.add.job({ instanceId: other.id, recipients: people(1) })
    await context.untilStatus(job.id, 'Completed')
    await worker.stop()
    // Another worker reads it at once.
    expect(await context.instance(stuck.id)).toMatchObject({ incomingCheckAt: '1970-01-01T00:00:00.000Z' })
  })

  test('a reading counts for nothing in another era, or if the account was away while it went on', async () => {
    const setStatus = (status: string) => sql`update instances set status = ${status}`
    for (const changes of [
      [sql`update heartbeat set era = gen_random_uuid()`],
      [setStatus('Disconnected'), setStatus('Connected')],
    ]) {
      const { provider, script, froms } = readingProvider()
      await runningInstance()
      const reading = Promise.withResolvers<void>()
      const changed = Promise.withResolvers<void>()
      script.onIncoming = async () => {
        reading.resolve()
        await changed.promise
        return []
      }
      const read = openIncomingReader(context.deps(provider))(new AbortController().signal)
      await reading.promise
      for (const change of changes) await context.db.run(change)
      changed.resolve()
      await read
      // The run has read all of it once more, and that counts.
      const [first = 0, second = Infinity, ...others] = froms
      expect(second).toBeLessThan(first + 60)
      expect(others).toEqual([])
      await context.db.run(sql`delete from jobs`)
    }
  })

  test('a reading counts for nothing in a standby that was promoted meanwhile', async () => {
    const { provider, script, froms } = readingProvider()
    const instance = await runningInstance()
    script.onIncoming = async () => {
      await context.db.run(sql`update heartbeat set timeline = 'before'`)
      return []
    }
    const read = () => openIncomingReader(context.deps(provider))(new AbortController().signal)
    await read()
    expect(await context.instance(instance.id)).toMatchObject({ incomingReadUntil: away.incomingReadUntil })
    // Nothing is read before the first beat.
    await read()
    expect(froms).toHaveLength(1)
    await context.db.run(sql`update heartbeat set timeline = current_timeline()`)
    await context.db.run(sql`delete from jobs`)
  })

  test('without a webhook they are read for each job, and again while it sends', async () => {
    const { provider, calls } = scriptedProvider()
    const instance = await context.add.instance({
      ...away,
      token: 'live-1',
      privatePauseFromMs: 3_600_000,
      privatePauseToMs: 3_600_000,
    })
    const job = await context.add.job({ instanceId: instance.id, recipients: people(2) })
    context.worker(provider)
    await context.untilStatuses(job.id, 'sent', 'queued')
    expect(calls.incoming).toBe(1)
    await context.shiftClock('65 seconds')
    await until('the messages are read again', () => calls.incoming === 2)
  })

  test('where calls are counted, they are read once for each job, before it sends', async () => {
    const { provider, script, calls, accept } = scriptedProvider()
    provider.isMetered = async () => true
    let readings = 0
    script.onIncoming = async () => {
      await delay(200)
      readings += 1
      return []
    }
    const readingsBefore: number[] = []
    script.onSend = (send) => {
      readingsBefore.push(readings)
      return accept(send)
    }
    const instance = await context.add.instance({ ...away, token: 'live-2' })
    for (const n of [1, 2]) {
      const job = await context.add.job({ instanceId: instance.id, recipients: people(2) })
      if (n === 1) context.worker(provider)
      await context.untilStatus(job.id, 'Completed')
      await context.shiftClock('3 hours')
      expect(calls.incoming).toBe(n)
    }
    expect(readingsBefore).toEqual([1, 1, 2, 2])
  })

  test('where calls are counted, they are read again when a job goes on', async () => {
    const { provider, script, calls, accept } = scriptedProvider()
    provider.isMetered = async () => true
    const instance = await context.add.instance({ ...away, token: 'live-3' })
    script.onSend = () => ({ kind: 'rejected', reason: { code: 'not_on_whatsapp', params: {} } })
    const job = await context.add.job({ instanceId: instance.id, recipients: people(1) })
    context.worker(provider)
    await context.untilStatus(job.id, 'Failed')
    expect(calls.incoming).toBe(1)
    await context.shiftClock('5 days')
    script.onSend = accept
    await context.db.begin((tx) => retryFailed(tx, job.id, 'Ann', { includeUnknown: false }))
    await context.untilStatus(job.id, 'Completed')
    expect(calls.incoming).toBe(2)
  })
})
