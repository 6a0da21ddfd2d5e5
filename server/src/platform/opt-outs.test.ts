import { beforeEach, describe, expect, test } from 'vitest'
import { useSharedContext } from '../../test/context.ts'
import { countWaiting } from '../../test/locks.ts'
import { until } from '../../test/until.ts'
import type { Tx } from './database/connection.ts'
import { type Sql, sql } from './database/sql.ts'
import { beginOptOut, endOptOut, type Identity, optInByMessage, optOutNumbers } from './opt-outs.ts'

const context = useSharedContext()

const phone = (value: string): Identity => ({ kind: 'phone', value })
const lid = (value: string): Identity => ({ kind: 'lid', value })
/** In minutes. */
const YEARS = 10_000_000

const at = (minute: number) => new Date(Date.UTC(2026, 10, 25, 10, minute)).toISOString()

let instanceId = 0
let number = ''
beforeEach(async () => {
  instanceId = (await context.add.instance({ isTest: false })).id
  number = `849${Math.random().toString().slice(2, 11)}`
  await context.db.run(sql`update opt_out_settings set is_for_all = true`)
})

const stop = (id: string, minute: number, identities = [phone(number)], account = instanceId) =>
  context.db.begin(
    async (tx) =>
      (
        await beginOptOut(tx, {
          ...{ identities, words: 'Dừng', saidAt: at(minute), by: null },
          ...{ instanceId: account, providerMessageId: id },
        })
      )?.id ?? null,
  )

const start = (id: string, minute: number, identities = [phone(number)], account = instanceId) =>
  context.db.begin((tx) =>
    optInByMessage(tx, identities, { instanceId: account, providerMessageId: id, saidAt: at(minute) }),
  )

const lan = { id: null, username: 'Lan', address: '' }

const enter = (value: string) =>
  context.db.begin((tx) => optOutNumbers(tx, lan, { numbers: [value], note: 'Called us' }))
const byHand = () => enter(number)

const isOut = async (of = number, account = instanceId) =>
  (
    await context.db.one<{ isOut: boolean }>(
      sql`select is_opted_out(${`${of}@s.whatsapp.net`}, ${account}) as is_out`,
    )
  ).isOut

// R-1110
describe('stop and start', () => {
  const orders: [string, (() => Promise<unknown>)[], boolean][] = [
    ['stop', [() => stop('a', 1)], true],
    ['stop, the same again', [() => stop('a', 1), () => stop('a', 1)], true],
    ['stop, start', [() => stop('a', 1), () => start('b', 2)], false],
    ['start that comes before an earlier stop', [() => start('b', 2), () => stop('a', 1)], false],
    ['start, stop', [() => start('a', 1), () => stop('b', 2)], true],
    ['stop that comes before an earlier start', [() => stop('b', 2), () => start('a', 1)], true],
    ['stop, start, the stop again', [() => stop('a', 1), () => start('b', 2), () => stop('a', 1)], false],
    [
      'stop, start, stop, the start again',
      [() => stop('a', 1), () => start('b', 2), () => stop('c', 3), () => start('b', 2)],
      true,
    ],
    [
      'two stops, a start between them that comes last',
      [() => stop('a', 1), () => stop('c', 3), () => start('b', 2)],
      true,
    ],
    [
      'two stops that come in reverse, a start between them',
      [() => stop('c', 3), () => stop('a', 1), () => start('b', 2)],
      true,
    ],
    ['two stops, a start after both', [() => stop('c', 3), () => stop('a', 1), () => start('d', 4)], false],
    ['both in the same second', [() => start('b', 1), () => stop('a', 1)], true],
    ['by hand, a start long after', [byHand, () => start('b', YEARS)], false],
    ['by hand after a start', [() => start('b', 2), byHand], true],
  ]
  for (const [what, steps, expected] of orders)
    test(what, async () => {
      for (const step of steps) await step()
      expect(await isOut()).toBe(expected)
    })

  test('at once, in any order of commits', async () => {
    for (let round = 0; round < 10; round++)
      await Promise.all([
        stop(`a${round}`, 1),
        start(`b${round}`, 2),
        stop(`a${round}`, 1),
        start(`b${round}`, 2),
      ])
    expect(await isOut()).toBe(false)
  })
})

test('a stop and a start are recorded in the audit log', async () => {
  await stop('a', 1)
  await start('b', 2)
  expect(
    await context.db.many(
      sql`select action, user_id from audit_log where object_name = ${`+${number}`} order by id`,
    ),
  ).toEqual([
    { action: 'opt_out.create', userId: null },
    { action: 'opt_out.start', userId: null },
  ])
})

// R-1111
test('a user ends an opt-out with a reason, and all others of the person, each with an entry', async () => {
  const first = (await stop('a', 1)) ?? 0
  const second = `${number}1`
  await stop('b', 2, [phone(second)])
  await linkToContact(number, second)
  const end = () => context.db.begin((tx) => endOptOut(tx, first, lan, 'Asked on the phone'))
  expect(await end()).toBe(true)
  expect(await end()).toBe(false)
  expect([await isOut(), await isOut(second)]).toEqual([false, false])
  expect(
    await context.db.many(sql`
      select ended_by_user_name, ended_reason from opt_outs where phone in (${number}, ${second})`),
  ).toEqual(Array(2).fill({ endedByUserName: 'Lan', endedReason: 'Asked on the phone' }))
  const ended = { action: 'opt_out.end', userName: 'Lan', details: { reason: 'Asked on the phone' } }
  expect(new Set((await entriesOf(number, second)).slice(2))).toEqual(
    new Set([number, second].map((n) => ({ ...ended, name: `+${n}` }))),
  )
  // The message comes again, and is known.
  await stop('a', 1)
  expect(await isOut()).toBe(false)
})

const linkToContact = async (first: string, ...others: string[]) => {
  const { id } = await context.add.contact({ number: first })
  for (const other of others)
    await context.db.run(
      sql`insert into contact_identities (contact_id, kind, value) values (${id}, 'phone', ${other})`,
    )
}

const entriesOf = (...numbers: string[]) =>
  context.db.many(sql`
    select action, object_name as name, user_name, details from audit_log
    where object_name in (select '+' || n from unnest(${numbers}::text[]) n) order by id`)

// R-1112
describe('the same person', () => {
  test('is found by the other numbers of the contact, and by a number that the contact gets later', async () => {
    const contact = await context.add.contact({ number })
    const [second, third] = [`${number}1`, `${number}2`]
    const add = (value: string) =>
      context.db.run(
        sql`insert into contact_identities (contact_id, kind, value) values (${contact.id}, 'phone', ${value})`,
      )
    await add(second)
    await stop('a', 1)
    await add(third)
    expect([await isOut(), await isOut(second), await isOut(third), await isOut(`${number}3`)]).toEqual([
      true,
      true,
      true,
      false,
    ])
    await context.db.run(sql`delete from contacts where id = ${contact.id}`)
    expect(await isOut(second)).toBe(true)
    await start('b', 2)
    expect([await isOut(second), await isOut(third)]).toEqual([false, false])
  })

  test('is found by a hidden number, known before or after', async () => {
    const hidden = `1${number}`
    const learn = (value: string, of: string) =>
      context.db.run(sql`insert into known_lids (lid, phone) values (${value}, ${of})`)
    await stop('a', 1, [lid(hidden)])
    expect(await isOut()).toBe(false)
    await learn(hidden, number)
    expect(await isOut()).toBe(true)
    const other = `${number}7`
    await learn(`1${other}`, other)
    await stop('b', 1, [lid(`1${other}`)])
    expect(await isOut(other)).toBe(true)
  })
})

// R-1112
test('whoever becomes known as one person has opted out with all identities, over any number of steps', async () => {
  const [out, known, checked, hidden] = [number, `${number}1`, `${number}2`, `7${number}`]
  const contact = await context.add.contact({ number: known })
  const { db } = context
  await db.run(
    sql`insert into number_checks (phone, answer, whatsapp_phone) values (${known}, 'yes', ${checked})`,
  )
  await db.run(sql`insert into known_lids (lid, phone) values (${hidden}, ${checked})`)
  await stop('a', 1)
  expect([await isOut(known), await isOut(checked)]).toEqual([false, false])
  await db.run(sql`
    insert into contact_identities (contact_id, kind, value) values (${contact.id}, 'phone', ${out})`)
  expect([await isOut(known), await isOut(checked)]).toEqual([true, true])
  const { held } = await db.one<{ held: number }>(sql`
    select count(*) as held from opted_out where kind = 'lid' and value = ${hidden}`)
  expect(held).toBe(1)
})

// R-1112
describe('a number that becomes known in the moment of the opt-out', () => {
  const other = () => `${number}5`
  const ofContact = async () => {
    const { id } = await context.add.contact({ number })
    return sql`insert into contact_identities (contact_id, kind, value) values (${id}, 'phone', ${other()})`
  }
  const ofLid = async () => {
    await context.db.run(sql`delete from known_lids`)
    return sql`insert into known_lids (lid, phone) values (${number}, ${other()})`
  }
  const cases: [string, () => Promise<Sql>, () => Identity][] = [
    ['of the contact', ofContact, () => phone(number)],
    ['behind a hidden one', ofLid, () => lid(number)],
  ]
  for (const [what, learning, who] of cases)
    for (const isFirst of [true, false])
      test(`${what}, ${isFirst ? 'just before' : 'just after'}`, async () => {
        const learn = await learning()
        const steps = [
          (tx: Tx) => tx.run(learn),
          (tx: Tx) =>
            beginOptOut(tx, {
              ...{ identities: [who()], words: 'Dừng', saidAt: at(1), by: null },
              ...{ instanceId, providerMessageId: 'a' },
            }),
        ]
        const [first, second] = isFirst ? steps : steps.toReversed()
        let later: Promise<unknown> | undefined
        await context.db.begin(async (tx) => {
          await first?.(tx)
          later = context.db.begin(async (tx2) => second?.(tx2))
          await until('the second one waits', async () => (await countWaiting(context.db)) === 1)
        })
        await later
        expect(await isOut(other())).toBe(true)
      })
})

// R-1122
test('a stop and a start decide what else waits for a decision about the person', async () => {
  const wonder = (id: string, minute: number, of: { phone?: string; lid?: string } = { phone: number }) =>
    context.db.run(sql`
      insert into possible_opt_outs (instance_id, phone, lid, why, words, provider_message_id, said_at)
      values (${instanceId}, ${of.phone ?? null}, ${of.lid ?? null}, 'contains', '', ${id}, ${at(minute)})`)
  const open = async () =>
    (
      await context.db.many<{ id: string }>(sql`
        select provider_message_id as id from possible_opt_outs
        where instance_id = ${instanceId} and decided_at is null order by said_at`)
    ).map(({ id }) => id)
  await context.db.run(sql`insert into known_lids (lid, phone) values (${`8${number}`}, ${number})`)
  await wonder('before', 1)
  await wonder('after', 3)
  await wonder('hidden', 3, { lid: `8${number}` })
  await wonder('another person', 3, { phone: `${number}9` })
  await start('b', 2)
  expect(await open()).toEqual(['after', 'hidden', 'another person'])
  await stop('a', 1)
  expect(await open()).toHaveLength(3)
  await stop('c', 3)
  expect(await open()).toEqual(['another person'])
})

test('nobody opts out of whom nothing is known', async () => {
  expect(await stop('a', 1, [])).toBeNull()
  expect(await context.db.run(sql`select from opt_outs where instance_id = ${instanceId}`)).toBe(0)
})

// R-1113
describe('for one account only', () => {
  test('others go on, and a start ends it there', async () => {
    await context.db.run(sql`update opt_out_settings set is_for_all = false`)
    const other = (await context.add.instance({ isTest: false })).id
    await stop('a', 1)
    expect([await isOut(), await isOut(number, other)]).toEqual([true, false])
    await start('b', 3, [phone(number)], other)
    expect(await isOut()).toBe(true)
    await stop('c', 2)
    expect(await isOut()).toBe(true)
    await start('d', 3)
    expect(await isOut()).toBe(false)
  })

  test('an account that is deleted and added again writes to nobody who had opted out', async () => {
    await context.db.run(sql`update opt_out_settings set is_for_all = false`)
    await stop('a', 1)
    await context.db.run(sql`delete from instances where id = ${instanceId}`)
    expect(await isOut(number, (await context.add.instance()).id)).toBe(true)
  })
})

// R-1114
describe('in test mode', () => {
  let testId = 0
  beforeEach(async () => {
    testId = (await context.add.instance({ isTest: true })).id
  })
  const said = () => [phone(number)]

  test('a stop holds for that account alone, whatever the settings say', async () => {
    await stop('a', 1, said(), testId)
    const another = (await context.add.instance({ isTest: true })).id
    expect([await isOut(number, testId), await isOut(), await isOut(number, another)]).toEqual([
      true,
      false,
      false,
    ])
    await context.db.run(sql`delete from instances where id = ${testId}`)
    expect(await isOut()).toBe(false)
    expect(
      await context.db.one(sql`select ended_at is null as holds from opt_outs where phone = ${number}`),
    ).toEqual({
      holds: false,
    })
  })

  test('a start ends only what was said to that account', async () => {
    await stop('a', 1)
    await stop('b', 1, said(), testId)
    await start('c', 2, said(), testId)
    expect(await isOut()).toBe(true)
    await stop('d', 1)
    expect(await isOut()).toBe(true)
  })

  test('a start, also one that came before, and what waits for a decision concern no real account', async () => {
    await start('a', 2, said(), testId)
    await stop('b', 1)
    expect(await isOut()).toBe(true)
    const other = `${number}1`
    await context.db.run(sql`
      insert into possible_opt_outs (instance_id, phone, why, words, provider_message_id, said_at)
      values (${instanceId}, ${other}, 'contains', '', 'x', ${at(1)})`)
    await stop('c', 2, [phone(other)], testId)
    await start('d', 3, [phone(other)], testId)
    const open = await context.db.run(
      sql`select from possible_opt_outs where phone = ${other} and decided_at is null`,
    )
    expect(open).toBe(1)
  })
})

// R-1115
describe('a contact of several numbers', () => {
  let second = ''
  beforeEach(() => {
    second = `${number}1`
  })

  test('has an opt-out for each, which says why, in the history and the audit log', async () => {
    const first = await stop('a', 1)
    await linkToContact(second, number)
    expect(await isOut(second)).toBe(true)
    expect(
      await context.db.many(sql`select source, linked_to, said_at from opt_outs where phone = ${second}`),
    ).toEqual([{ source: 'linked', linkedTo: first, saidAt: at(1) }])
    expect(await entriesOf(second)).toEqual([
      { action: 'opt_out.create', name: `+${second}`, userName: '', details: { sameAs: `+${number}` } },
    ])
    await start('b', 2)
    expect((await entriesOf(second)).slice(1)).toEqual([
      { action: 'opt_out.start', name: `+${second}`, userName: '', details: { sameAs: `+${number}` } },
    ])
  })

  const orders: [string, (() => Promise<unknown>)[], [boolean, boolean]][] = [
    [
      'a start of the other one ends only its own',
      [() => stop('a', 1), link, () => start('b', 2, [other()])],
      [true, false],
    ],
    [
      'what both said ends for each',
      [() => stop('a', 1), () => stop('b', 1, [other()]), link, () => start('c', 2)],
      [false, true],
    ],
    [
      'what the other one says as well is its own',
      [() => stop('a', 1), link, () => stop('b', 2, [other()]), () => start('c', 3)],
      [false, true],
    ],
    [
      'by hand as well',
      [() => stop('a', 1), link, () => enter(second), () => start('c', YEARS)],
      [false, true],
    ],
    [
      'a start before the numbers are one contact',
      [() => stop('a', 1), () => start('b', 2, [other()]), link],
      [true, false],
    ],
    [
      'a stop after that',
      [() => stop('a', 1), () => start('b', 2, [other()]), link, () => stop('c', 3)],
      [true, true],
    ],
    [
      'a stop of the other one after a start that comes last',
      [() => stop('a', 1), link, () => stop('b', 5, [other()]), () => start('c', 3)],
      [true, true],
    ],
    [
      'a late stop before the start of the other',
      [link, () => start('b', 2, [other()]), () => stop('a', 1)],
      [true, false],
    ],
  ]
  function link() {
    return linkToContact(number, second)
  }
  function other() {
    return phone(second)
  }
  for (const [what, steps, expected] of orders)
    test(what, async () => {
      for (const step of steps) await step()
      expect([await isOut(), await isOut(second)]).toEqual(expected)
    })
})

// R-1116
test('whoever says stop again and again has one opt-out, and a start must come after the last one', async () => {
  await stop('a', 1)
  for (let minute = 2; minute < 8; minute++) await stop(`a${minute}`, minute)
  const count = async () => [
    await context.db.run(sql`select from opt_outs where phone = ${number}`),
    (await entriesOf(number)).length,
  ]
  expect(await count()).toEqual([1, 1])
  await start('b', 6)
  expect(await isOut()).toBe(true)
  await start('c', 8)
  expect(await isOut()).toBe(false)
  // The list is read again.
  for (let minute = 2; minute < 8; minute++) await stop(`a${minute}`, minute)
  expect(await isOut()).toBe(false)
  expect(await count()).toEqual([1, 2])
  await stop('d', 9)
  const last = await stop('e', 10)
  await context.db.begin((tx) => endOptOut(tx, last ?? 0, lan, 'Asked on the phone'))
  await stop('e', 10)
  expect(await isOut()).toBe(false)
  await stop('f', 11)
  expect(await isOut()).toBe(true)
})

// R-1117
describe('a number with two forms', () => {
  const forms: [country: string, form: string, other: string][] = [
    ['Brazil', '5531987654321', '553187654321'],
    ['Argentina', '5491123456789', '541123456789'],
    ['Mexico', '5215512345678', '525512345678'],
  ]
  for (const [country, form, other] of forms)
    test(`of ${country} is one sender, whichever of them is known`, async () => {
      for (const [said, known] of [
        [form, other],
        [other, form],
      ] as const) {
        await stop(`a${said}`, 1, [phone(said)])
        expect([await isOut(said), await isOut(known)]).toEqual([true, true])
        await stop(`b${known}`, 2, [phone(known)])
        expect(await context.db.run(sql`select from opt_outs where phone in (${form}, ${other})`)).toBe(1)
        await start(`c${known}`, 3, [phone(known)])
        expect([await isOut(said), await isOut(known)]).toEqual([false, false])
        await context.db.run(sql`delete from opt_outs where phone in (${form}, ${other})`)
        await context.db.run(sql`delete from opt_ins where phone in (${form}, ${other})`)
      }
    })

  test.each(['553132345678', '5531932345678', '5511187654321', '84987654321', '541123456', '5411234567890'])(
    'is not %s',
    async (value) => {
      expect(await context.db.one(sql`select other_form(${value}) as other`)).toEqual({ other: null })
    },
  )
})
