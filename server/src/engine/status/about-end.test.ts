import { expect, test } from 'vitest'
import { aboutEnds, type RoughPace } from './about-end.ts'
import { lastSendAt } from './forecast.ts'

const MINUTE = 60_000
const from = Date.parse('2026-11-30T02:00:00Z')
const none = { pauseMs: 0, cap: 0 }
const people = { ...none, perQuarter: 0, hoursPerDay: 0, slowAfter: 0, slowPauseMs: 0 }
const free: RoughPace = { id: 1, name: 'Shop', groups: none, people, quiet: null }
const night = { from: '21:00', to: '08:00', timeZone: 'Asia/Ho_Chi_Minh' }
const groups = { pauseMs: MINUTE, cap: 0 }

test.each<[string, number, 'SendToGroups' | 'SendToUsers', Partial<RoughPace>, string]>([
  ['one message', 1, 'SendToGroups', { groups }, '2026-11-30T02:00:00.000Z'],
  // R-2191
  ['no pauses', 322, 'SendToGroups', {}, '2026-11-30T02:00:11.235Z'],
  ['no pauses, to people', 322, 'SendToUsers', {}, '2026-11-30T02:00:11.235Z'],
  ['nobody', 0, 'SendToGroups', { groups }, '2026-11-30T02:00:00.000Z'],
  ['pauses', 31, 'SendToGroups', { groups }, '2026-11-30T02:30:00.000Z'],
  [
    'quiet hours: 12 of 13 hours are left',
    841,
    'SendToGroups',
    { groups, quiet: night },
    '2026-12-01T03:00:00.000Z',
  ],
  ['a daily cap', 25, 'SendToGroups', { groups: { ...groups, cap: 10 } }, '2026-12-02T02:04:00.000Z'],
  [
    'a quarter of an hour',
    31,
    'SendToUsers',
    { people: { ...people, perQuarter: 10 } },
    '2026-11-30T02:45:00.000Z',
  ],
  [
    'the slow pause',
    31,
    'SendToUsers',
    { people: { ...people, pauseMs: MINUTE, slowAfter: 20, slowPauseMs: 2 * MINUTE } },
    '2026-11-30T02:40:00.000Z',
  ],
  [
    'hours of a day',
    91,
    'SendToUsers',
    { people: { ...people, pauseMs: MINUTE, hoursPerDay: 1 } },
    '2026-12-01T02:30:00.000Z',
  ],
])('the end by %s', (_, messages, jobType, pace, end) => {
  expect(new Date(aboutEnds()(from, messages, jobType, { ...free, ...pace })).toISOString()).toBe(end)
})

test('a beginning in quiet hours counts from their end', () => {
  const evening = Date.parse('2026-11-30T15:00:00Z')
  const end = aboutEnds()(evening, 31, 'SendToGroups', { ...free, groups, quiet: night })
  expect(new Date(end).toISOString()).toBe('2026-12-01T01:30:00.000Z')
})

test('the end is that of the forecast for an account without other jobs', () => {
  for (const messages of [1, 2, 60, 700, 781, 2000]) {
    const forecast = lastSendAt({ kind: 'g', left: messages, beginsAt: from }, [], {
      ...{ pauseMs: { g: MINUTE, p: 0 }, cap: { g: 0, p: 0 }, usage: {}, quiet: night, freeAt: from },
    })
    expect(aboutEnds()(from, messages, 'SendToGroups', { ...free, groups, quiet: night })).toBe(forecast)
  }
})
