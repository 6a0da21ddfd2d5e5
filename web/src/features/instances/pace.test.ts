import { advisedPace, testPace } from '@sendroom/contract/pace'
import { expect, test } from 'vitest'
import { isFasterThanAdvised, throughput } from './pace.ts'

const night = { from: '22:00', to: '07:00' }
const advised = { ...advisedPace, quietHours: null, warmUpStep: null }
const capless = { ...advised, dailyCap: { groups: 0, private: 0 } }
const noon = { from: '12:00', to: '13:30' }

test.each([
  ['the advised pace', advised, 'groups', { hour: 144, day: 3456 }],
  ['a cap', advised, 'private', { hour: 37, day: 200 }],
  ['limits for people', capless, 'private', { hour: 37, day: 208 }],
  ['no hours to keep', { ...capless, privateHoursPerDay: 0 }, 'private', { hour: 37, day: 826 }],
  ['no limit in 15 minutes', { ...advised, privatePerQuarterHour: 0 }, 'private', { hour: 40, day: 200 }],
  ['one pause all day', { ...advised, privateSlowAfter: 0 }, 'private', { hour: 40, day: 200 }],
  ['a warm-up', { ...advised, warmUpStep: 20 }, 'private', { hour: 20, day: 20 }],
  ['quiet hours over midnight', { ...advised, quietHours: night }, 'groups', { hour: 144, day: 2160 }],
  ['quiet hours at noon', { ...advised, quietHours: noon }, 'groups', { hour: 144, day: 3240 }],
  [
    'a cap that an hour uses up',
    { ...advised, dailyCap: { groups: 30, private: 0 } },
    'groups',
    { hour: 30, day: 30 },
  ],
  [
    'no pause',
    { ...testPace, quietHours: night, warmUpStep: null },
    'private',
    { hour: Number.POSITIVE_INFINITY, day: Number.POSITIVE_INFINITY },
  ],
] as const)('the throughput with %s', (_, pace, kind, expected) => {
  expect(throughput(pace, kind)).toEqual(expected)
})

test.each([
  ['the advised values', {}, false],
  [
    'longer pauses and a lower cap',
    { privatePauseSeconds: [90, 120], dailyCap: { groups: 0, private: 50 } },
    false,
  ],
  ['shorter pauses', { privatePauseSeconds: [30, 90] }, true],
  ['a higher cap', { dailyCap: { groups: 0, private: 201 } }, true],
  ['no cap', { dailyCap: { groups: 0, private: 0 } }, true],
] as const)('a pace with %s is compared with the advice', (_, change, expected) => {
  expect(
    isFasterThanAdvised(
      { ...advisedPace, ...structuredClone(change) } as typeof advisedPace,
      'private',
      advisedPace,
    ),
  ).toBe(expected)
})
