import { expect, test } from 'vitest'
import { useSimulator } from '../../test/simulated.ts'
import { textMessage } from '../../test/text-message.ts'

const simulated = useSimulator()
const whapi = () => simulated.providers().live
const answer = (status: number, body?: unknown) => ({ kind: 'status', status, body }) as const
type Fault = Parameters<typeof simulated.simulator.faults.add>[0]

/** Runs a call while requests to the path meet the fault. */
async function underFault<T>(fault: Fault, path: string, call: () => Promise<T>): Promise<T> {
  const id = simulated.simulator.faults.add({ ...fault, path })
  return call().finally(() => simulated.simulator.faults.remove(id))
}
const failing = [answer(204), answer(404), answer(500), answer(200, 'yes'), { kind: 'drop-before' } as const]

// R-1191
test('a check answers yes with the number of WhatsApp, no, or unknown', async () => {
  const credentials = { token: 'test_linked_checks' }
  const phones = ['84901234567', '5531987654321', '84901230000']
  expect(await whapi().checkNumbers(credentials, phones)).toEqual([
    { phone: '84901234567', answer: 'yes', whatsappPhone: '84901234567' },
    { phone: '5531987654321', answer: 'yes', whatsappPhone: '553187654321' },
    { phone: '84901230000', answer: 'no', whatsappPhone: null },
  ])

  const contacts = [
    { input: '84901230000', status: 'thinking' },
    { input: '84901234567', status: 'valid', wa_id: '84901234567@s.whatsapp.net' },
    { input: '84900000001', status: 'valid' },
  ]
  const odd = await underFault(answer(200, { contacts }), '^/contacts$', () =>
    whapi().checkNumbers(credentials, ['84901230000', '84901234567', '84900000001', '84900000002']),
  )
  expect(odd.map(({ answer, whatsappPhone }) => [answer, whatsappPhone])).toEqual([
    ['unknown', null],
    ['yes', '84901234567'],
    ['yes', null],
    ['unknown', null],
  ])
  const check = () => whapi().checkNumbers(credentials, phones)
  await expect(underFault(answer(200, {}), '^/contacts$', check)).rejects.toMatchObject({
    ...{ kind: 'unreachable', reason: { code: 'provider_unreadable' } },
  })
})

// R-1191
test('LIDs are read in lists of 100, and the number of a LID where somebody tells it', async () => {
  const credentials = { token: 'test_linked_lids' }
  await whapi().send(credentials, '84901234567', textMessage('x'))
  const others = Array.from({ length: 150 }, (_, n) => `84902${100_001 + n}`)

  const lids = await whapi().lidsOf(credentials, [...others, '84901234567', '84901230000'])

  expect(lids.size).toBe(151)
  const lid = lids.get('84901234567') ?? ''
  expect(lid).toMatch(/^\d{15}$/)
  expect(simulated.simulator.channels.find(credentials.token)?.requests.get('GET /contacts/lids')).toBe(2)
  expect(await whapi().phoneOf(credentials, lid)).toBe('84901234567')
  expect(await whapi().phoneOf(credentials, '100000000000001')).toBeNull()
  for (const fault of failing)
    expect(await underFault(fault, '^/contacts/ids', () => whapi().phoneOf(credentials, lid))).toBeNull()
})

// R-1191
test('the limit of new chats has its status, its rest and its end, and is null if it can’t be read', async () => {
  const credentials = { token: 'test_linked_limits' }
  const read = () => whapi().newChatLimit(credentials)
  const until = Math.floor(Date.now() / 1000) + 3600
  expect(await read()).toBeNull()
  simulated.change(credentials.token, { newChatQuota: 5, newChatUntil: until })
  await whapi().send(credentials, '84901234567', textMessage('x'))
  const end = new Date(until * 1000).toISOString()
  expect(await read()).toEqual({ status: 'none', left: 4, until: end })
  simulated.change(credentials.token, { newChatStatus: 'capped' })
  expect(await read()).toEqual({ status: 'capped', left: 4, until: end })

  for (const fault of failing) expect(await underFault(fault, '^/business/limits/new_chat', read)).toBeNull()
  for (const [body, limit] of [
    [{ is_capped: true }, { status: 'capped', left: null, until: null }],
    [
      { cap_status: 'first_warning', quota_limit: 9, quota_used: 10 },
      { status: 'first_warning', left: 0 },
    ],
    [
      { cap_status: 'third_warning', cycle_end_at: 1e300 },
      { status: 'none', until: null },
    ],
  ])
    expect(await underFault(answer(200, body), '^/business/limits/new_chat', read)).toMatchObject(limit ?? {})
})

// R-1192
test('a person who can’t be written to first, and a capped account, are no problem of the account', async () => {
  const refused = { kind: 'no_first_message' }
  expect(await whapi().send({ token: 'test_linked_first' }, '84901255509', textMessage('x'))).toEqual(refused)
  expect(await whapi().send({ token: 'test_linked_capped' }, '84901234567', textMessage('x'))).toEqual(
    refused,
  )
  const locked = await whapi().send({ token: 'test_linked_locked' }, '84901234567', textMessage('x'))
  expect(locked).toMatchObject({ kind: 'account', problem: 'account_restricted' })
})
