import { expect, test } from 'vitest'
import { moveOrSkip, type QuietRules } from './move-or-skip.ts'

const rules: QuietRules = {
  quietHours: { from: '21:00', to: '08:00', timeZone: 'Asia/Ho_Chi_Minh' },
  quietDays: ['2027-02-06', '2027-02-07'],
  timeZone: 'Asia/Ho_Chi_Minh',
  policy: 'move',
}
const onlyDays = { ...rules, quietHours: null }

// R-1344
test.each<[name: string, dueAt: string, rules: QuietRules, runsAt: string]>([
  ['at its time', '2027-02-05T09:00+07:00', rules, '2027-02-05T09:00+07:00'],
  ['at the end of the quiet hours', '2027-02-05T08:00+07:00', rules, '2027-02-05T08:00+07:00'],
  ['after the quiet hours of the night', '2027-02-03T21:00+07:00', rules, '2027-02-04T08:00+07:00'],
  ['after the quiet hours of the morning', '2027-02-04T07:59+07:00', rules, '2027-02-04T08:00+07:00'],
  ['after a quiet day', '2027-02-07T09:00+07:00', onlyDays, '2027-02-08T00:00+07:00'],
  ['after two quiet days', '2027-02-06T09:00+07:00', onlyDays, '2027-02-08T00:00+07:00'],
  ['after quiet days and the night that follows', '2027-02-06T09:00+07:00', rules, '2027-02-08T08:00+07:00'],
  ['after a night that ends on a quiet day', '2027-02-05T22:00+07:00', rules, '2027-02-08T08:00+07:00'],
  [
    'not later for a day that is quiet in another zone',
    '2027-02-08T01:00+07:00',
    onlyDays,
    '2027-02-08T01:00+07:00',
  ],
  [
    'after a day whose last hour occurs twice',
    '2018-02-17T12:00-02:00',
    { ...onlyDays, timeZone: 'America/Sao_Paulo', quietDays: ['2018-02-17'] },
    '2018-02-18T00:00-03:00',
  ],
  [
    'after a day whose next midnight is skipped',
    '2018-11-03T12:00-03:00',
    { ...onlyDays, timeZone: 'America/Sao_Paulo', quietDays: ['2018-11-03'] },
    '2018-11-04T01:00-02:00',
  ],
])('an occurrence runs %s', (_, dueAt, rules, runsAt) => {
  expect(moveOrSkip({ dueAt: iso(dueAt) }, rules)).toEqual({ runsAt: iso(runsAt) })
})

// R-1344
test.each<[dueAt: string, outcome: ReturnType<typeof moveOrSkip>]>([
  ['2027-02-05T09:00+07:00', { runsAt: iso('2027-02-05T09:00+07:00') }],
  ['2027-02-05T21:00+07:00', { skipped: 'quiet_hours' }],
  ['2027-02-06T09:00+07:00', { skipped: 'quiet_day' }],
  ['2027-02-06T22:00+07:00', { skipped: 'quiet_day' }],
])('an occurrence at %s is skipped if that was chosen', (dueAt, outcome) => {
  expect(moveOrSkip({ dueAt: iso(dueAt) }, { ...rules, policy: 'skip' })).toEqual(outcome)
})

// R-1344
test('hours without length hold no run back', () => {
  const dueAt = iso('2027-02-05T09:00+07:00')
  const quietHours = { from: '08:00', to: '08:00', timeZone: 'Asia/Ho_Chi_Minh' }
  expect(moveOrSkip({ dueAt }, { ...rules, quietHours })).toEqual({ runsAt: dueAt })
})

function iso(time: string) {
  return new Date(time).toISOString()
}
