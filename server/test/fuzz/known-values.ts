import * as fc from 'fast-check'
import type { Caller, Fixture } from './fixture.ts'
import { PASSWORD, SECRET } from './markers.ts'
import { hostileValue, type KnownValues, oddWords } from './values.ts'

const NOT_THERE = 987_654_321

/** The id in the path of an operation: mostly of a row that the caller sees. */
export function idOf(operation: string, { userId }: Caller, fixture: Fixture): fc.Arbitrary<number> {
  const { instances, foreignInstance, groups, foreignGroup, messages, jobs, foreignJob, victims } = fixture
  const { optOuts, possibleOptOuts, series, foreignSeries, apiKeys, foreignApiKey } = fixture
  const [, kind = ''] = /\/api\/(\w+)/.exec(operation) ?? []
  const rows: Record<string, { seen: number[]; unseen: number }> = {
    users: { seen: [...victims, userId ?? NOT_THERE], unseen: NOT_THERE },
    // All other rows belong to the first instance.
    instances: {
      seen: operation.startsWith('DELETE') ? instances.slice(1) : instances,
      unseen: foreignInstance,
    },
    groups: { seen: groups, unseen: foreignGroup },
    messages: { seen: messages, unseen: NOT_THERE },
    jobs: { seen: jobs, unseen: foreignJob },
    series: { seen: series, unseen: foreignSeries },
    // By the first word of `api-keys`, `opt-outs` and `possible-opt-outs`.
    api: { seen: apiKeys, unseen: foreignApiKey },
    opt: { seen: optOuts, unseen: NOT_THERE },
    possible: { seen: possibleOptOuts, unseen: NOT_THERE },
  }
  const { seen, unseen } = rows[kind] ?? { seen: [NOT_THERE], unseen: NOT_THERE }
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...seen) },
    { weight: 1, arbitrary: fc.constantFrom(unseen, NOT_THERE) },
  )
}

const times = { every: 1, startsOn: '2026-01-01', endsOn: null, runLimit: null, timeZone: 'Asia/Ho_Chi_Minh' }
const rules = [
  { ...times, frequency: 'day', times: ['09:00', '18:30'] },
  { ...times, frequency: 'month', monthDay: { kind: 'last' }, times: ['00:00'] },
]

const unique = fc.stringMatching(/^[a-z0-9]{12}$/)

/** Values that fit the fixture's rows, by the names of fields. */
export function knownValues(operation: string, fixture: Fixture, { username }: Caller): KnownValues {
  const { instances, foreignInstance, groups, foreignGroup, messages, jobs, usernames } = fixture
  const [main, ...others] = instances
  const mostly = <T>(...values: T[]) => ({ weight: 8, arbitrary: fc.constantFrom(...values) })
  const rarely = <T>(...values: T[]) => ({ weight: 1, arbitrary: fc.constantFrom(...values) })
  const listOf = (usual: number[], ...other: number[]) =>
    fc.array(fc.oneof(mostly(...usual), { weight: 1, arbitrary: fc.constantFrom(...usual, ...other) }), {
      minLength: 1,
      maxLength: 4,
    })
  const phone = fc.constantFrom('0901234567', '+84 90 123 45 68', '84901000001', '(090) 123-4569')
  const isNew = /register|POST \/api\/users$/.test(operation)
  return {
    instanceId: fc.oneof(mostly(main), rarely(...others, foreignInstance, NOT_THERE)),
    instanceIds: listOf(instances, foreignInstance),
    assignedInstances: listOf(instances),
    groupIds: listOf(groups, foreignGroup),
    messageIds: listOf(messages, NOT_THERE),
    rule: fc.constantFrom(...rules),
    messageId: fc.oneof(mostly(...messages), rarely(NOT_THERE)),
    imageOf: fc.constantFrom(...messages, null),
    ids: listOf(messages, NOT_THERE),
    jobIds: listOf(jobs, NOT_THERE),
    version: fc.constantFrom(1, 2, 2 ** 31 - 1),
    phone,
    phoneNumber: phone,
    phoneNumbers: fc.array(phone, { minLength: 1, maxLength: 30 }).map((phones) => phones.join('\n')),
    username: isNew ? unique.map((text) => `new ${text}`) : fc.constantFrom(username, ...usernames),
    email: unique.map((text) => `${text}@example.com`),
    password: fc.oneof(mostly(PASSWORD), rarely(`wrong-${SECRET}`)),
    repassword: fc.constant(PASSWORD),
    whapiToken: unique.map((text) => `test_${SECRET}_${text}`),
    timeZone: fc.constantFrom(
      'UTC',
      'Asia/Ho_Chi_Minh',
      'America/Argentina/Buenos_Aires',
      'Etc/GMT+12',
      'Mars/Base',
    ),
    requestId: fc.uuid(),
    addresses: fc.constantFrom([], ['203.0.113.7'], ['203.0.113.0/24', '2001:db8::/32']),
    scheduledAt: fc.constantFrom('', null, '2020-01-01T00:00:00Z', '2126-01-01T00:00:00Z'),
  }
}

/** Calls of the provider's webhook: about messages that were sent, the channel's state, and groups. */
export function webhookBody({ messageIds }: Fixture): fc.Arbitrary<unknown> {
  const status = fc.record(
    {
      id: fc.oneof(fc.constantFrom('m1', ...messageIds, ...oddWords), hostileValue),
      status: fc.constantFrom<unknown>(
        'delivered',
        'read',
        'played',
        'failed',
        'pending',
        'x',
        5,
        ...oddWords,
      ),
      viewer_id: fc.oneof(fc.constantFrom('84901000001@s.whatsapp.net', '1@lid', ...oddWords), hostileValue),
      timestamp: fc.oneof(fc.constantFrom<unknown>('1767225602', 1_767_225_602, 'soon'), hostileValue),
      errors: fc.oneof(fc.constant([{ code: 403, message: 'forbidden' }]), hostileValue),
    },
    { noNullPrototype: true },
  )
  return fc.record(
    {
      event: fc.constantFrom(
        { type: 'statuses', event: 'post' },
        { type: 'users', event: 'delete' },
        ...oddWords.map((word) => ({ type: word, event: word })),
        {},
      ),
      statuses: fc.array(status, { maxLength: 10 }),
      health: fc.oneof(
        fc.constantFrom(
          { status: { text: 'AUTH' } },
          { status: { text: 'QR' } },
          ...oddWords.map((text) => ({ status: { text } })),
        ),
        hostileValue,
      ),
      user: fc.oneof(fc.constant({ id: '84901234567' }), hostileValue),
      groups: fc.oneof(fc.constant([]), hostileValue),
    },
    { requiredKeys: ['event'], noNullPrototype: true },
  )
}
