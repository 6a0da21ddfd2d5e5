import fc from 'fast-check'
import { RRuleTemporal } from 'rrule-temporal'
import { expect, test, vi } from 'vitest'
import { seriesRules } from '../test/series-rules.ts'
import { type Occurrence, occurrences } from './occurrences.ts'
import type { MonthDay, SeriesRule } from './series-rule.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365.25 * DAY_MS

const daily: SeriesRule = {
  ...{ frequency: 'day', every: 1, times: ['09:00'], startsOn: '2026-01-01', endsOn: null, runLimit: null },
  timeZone: 'UTC',
}
const monthly = { ...daily, frequency: 'month', monthDay: { kind: 'day', day: 31 } } as const
const yearly = { ...monthly, frequency: 'year', month: 2, monthDay: { kind: 'day', day: 29 } } as const
const berlin = { ...daily, timeZone: 'Europe/Berlin' }

// R-1342, R-1343
test.each<[name: string, rule: SeriesRule, after: string, until: string, numberAndTime: string[]]>([
  [
    'a time that is skipped is due after the gap, together with what is due then',
    { ...berlin, times: ['02:15', '02:45', '03:00'], startsOn: '2026-03-28' },
    ...(['2026-03-28T00:00Z', '2026-03-30T01:00Z'] as const),
    [
      '1 03-28T01:15',
      '2 03-28T01:45',
      '3 03-28T02:00',
      '4 03-29T01:00',
      '7 03-30T00:15',
      '8 03-30T00:45',
      '9 03-30T01:00',
    ],
  ],
  [
    'a time that occurs twice is due the first time',
    { ...berlin, times: ['02:30'], startsOn: '2026-10-24' },
    ...(['2026-10-24T12:00Z', '2026-10-27T00:00Z'] as const),
    ['2 10-25T00:30', '3 10-26T01:30'],
  ],
  [
    'the times of a day that is skipped are due at the next midnight',
    { ...daily, times: ['09:00', '18:00'], startsOn: '2011-12-28', timeZone: 'Pacific/Apia' },
    ...(['2011-12-29T12:00Z', '2011-12-31T00:00Z'] as const),
    ['3 12-29T19:00', '4 12-30T04:00', '5 12-30T10:00', '7 12-30T19:00'],
  ],
  [
    'the 31st is the last day of a shorter month',
    { ...monthly, startsOn: '2028-01-31' },
    ...(['2028-01-01T00:00Z', '2028-05-01T00:00Z'] as const),
    ['1 01-31T09:00', '2 02-29T09:00', '3 03-31T09:00', '4 04-30T09:00'],
  ],
  [
    '29 February is the 28th in other years',
    { ...yearly, startsOn: '2028-03-01' },
    ...(['2028-01-01T00:00Z', '2030-01-01T00:00Z'] as const),
    ['1 02-28T09:00'],
  ],
  [
    'weeks begin on Monday, and the first is that of the start',
    { ...daily, frequency: 'week', every: 2, weekdays: [1, 4], startsOn: '2026-11-26' },
    ...(['2026-11-01T00:00Z', '2026-12-31T00:00Z'] as const),
    ['1 11-26T09:00', '2 12-07T09:00', '3 12-10T09:00', '4 12-21T09:00', '5 12-24T09:00'],
  ],
  [
    'the limit counts from the start, not from the asked moment, which is no longer due',
    { ...daily, runLimit: 10 },
    ...(['2026-01-09T09:00Z', '2099-01-01T00:00Z'] as const),
    ['10 01-10T09:00'],
  ],
  [
    'the last day counts whole',
    { ...daily, endsOn: '2026-01-02', times: ['00:00', '23:59'] },
    ...(['2026-01-01T12:00Z', '2099-01-01T00:00Z'] as const),
    ['2 01-01T23:59', '3 01-02T00:00', '4 01-02T23:59'],
  ],
])('%s', (_, rule, after, until, expected) => {
  const due = [...occurrences(rule, { after, until })]
  expect(due.map(({ number, dueAt }) => `${number} ${dueAt.slice(5, 16)}`)).toEqual(expected)
})

test('nothing walks from the start to a late moment', () => {
  const formats = vi.spyOn(Intl.DateTimeFormat.prototype as { format: unknown }, 'format', 'get')
  const rule = { ...berlin, startsOn: '2000-01-01' }
  const { value } = occurrences(rule, { after: '2099-12-30T12:00Z' }).next()
  expect(value).toEqual({ localTime: '2099-12-31T09:00', dueAt: '2099-12-31T08:00:00.000Z', number: 36_525 })
  expect(formats.mock.calls.length).toBeLessThan(10)
  formats.mockRestore()
})

/** `SERIES_RULES=2000` compares as many, in half a minute. */
const numRuns = Number(process.env.SERIES_RULES ?? 200)

// R-1341
test(`${numRuns} random rules occur over ten years as another implementation has them`, {
  timeout: numRuns * 300,
}, () => {
  fc.assert(
    fc.property(seriesRules, fc.nat(4000), fc.nat(4000), (rule, daysBefore, days) => {
      const from = Date.parse(rule.startsOn) - 2 * DAY_MS
      const until = from + 10 * YEAR_MS
      const all = [...occurrences(rule, { after: iso(from), until: iso(until) })]
      expect(linesOf(all)).toBe(linesOf(expectedOccurrences(rule, until)))

      const after = iso(from + daysBefore * DAY_MS)
      const end = iso(Math.min(from + (daysBefore + days) * DAY_MS, until))
      const part = all.filter(({ dueAt }) => dueAt > after && dueAt <= end)
      expect(linesOf([...occurrences(rule, { after, until: end })])).toBe(linesOf(part))
    }),
    { seed: 36, numRuns },
  )
})

/** `toEqual` is slow with thousands of objects, and a comparison of texts is not. */
const linesOf = (list: Occurrence[]) =>
  list.map(({ number, localTime, dueAt }) => `${number} ${localTime} ${dueAt}`).join('\n')

const iso = (moment: number) => new Date(moment).toISOString()

/** The occurrences of the library, with our decisions about clock changes, which differ from those of iCalendar. */
function expectedOccurrences(rule: SeriesRule, until: number): Occurrence[] {
  const end = Math.min(until, Date.parse(rule.endsOn ?? iso(until)))
  // Where no clock ever changes, every midnight exists.
  const localTimes = inLibrary(rule, 'UTC', '00:00', end)
    .map(([midnight]) => midnight.slice(0, 10))
    .filter((day) => rule.endsOn === null || day <= rule.endsOn)
    .flatMap((day) => rule.times.map((time) => `${day}T${time}`))
    .slice(0, rule.runLimit ?? undefined)
  const last = Math.max(0, ...localTimes.slice(-1).map((localTime) => Date.parse(`${localTime}Z`)))
  const dueAt = new Map(rule.times.flatMap((time) => inLibrary(rule, rule.timeZone, time, last)))
  const clock = localClock(rule.timeZone)
  return localTimes
    .map((localTime, i) => {
      const found = dueAt.get(localTime)
      // The library leaves out what daylight saving skips. It overlooks that Cairo had none in the Ramadans of 2010
      // and 2014, and so takes the second 23:00 of the night before for the first.
      const isRight =
        found !== undefined && clock(found) === localTime && clock(found - HOUR_MS) !== localTime
      return { localTime, dueAt: iso(isRight ? found : firstMinute(localTime, clock)), number: i + 1 }
    })
    .filter(({ dueAt }, i, all) => dueAt !== all[i - 1]?.dueAt && dueAt <= iso(until))
}

/** The occurrences at one time of day in the library, as local times and instants, without the end of the rule. */
function inLibrary(rule: SeriesRule, timeZone: string, time: string, until: number): [string, number][] {
  const [hour, minute] = time.split(':').map(Number)
  const start = `DTSTART;TZID=${timeZone}:${rule.startsOn.replaceAll('-', '')}T000000`
  const parts = `${icalendarOf(rule)};INTERVAL=${rule.every};WKST=MO;BYHOUR=${hour};BYMINUTE=${minute}`
  const library = new RRuleTemporal({ rruleString: `${start}\nRRULE:${parts}`, cache: false })
  return library
    .between(new Date(0), new Date(until + DAY_MS))
    .map((at) => [at.toPlainDateTime().toString().slice(0, 16), at.epochMilliseconds])
}

const DAYS = ['', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

function icalendarOf(rule: SeriesRule): string {
  switch (rule.frequency) {
    case 'day':
      return 'FREQ=DAILY'
    case 'week':
      return `FREQ=WEEKLY;BYDAY=${rule.weekdays.map((weekday) => DAYS[weekday])}`
    case 'month':
      return `FREQ=MONTHLY;${dayOf(rule.monthDay)}`
    case 'year':
      return `FREQ=YEARLY;BYMONTH=${rule.month};${dayOf(rule.monthDay)}`
  }
}

function dayOf(monthDay: MonthDay): string {
  if (monthDay.kind === 'last') return 'BYMONTHDAY=-1'
  if (monthDay.kind === 'weekday') return `BYDAY=${monthDay.nth}${DAYS[monthDay.weekday]}`
  // iCalendar leaves out months that are too short. This is the last that there is of these days.
  const days = [28, 29, 30, 31].filter((day) => day <= monthDay.day)
  return days.length < 2 ? `BYMONTHDAY=${monthDay.day}` : `BYMONTHDAY=${days};BYSETPOS=-1`
}

/** Writes the local time of a moment, as YYYY-MM-DDTHH:MM. */
function localClock(timeZone: string) {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return (moment: number) => format.format(moment).replace(' ', 'T')
}

/** The first minute at which the clock shows the time or a later one. */
function firstMinute(localTime: string, clock: ReturnType<typeof localClock>): number {
  const nearby = Date.parse(`${localTime}Z`)
  let [before, after] = [nearby - DAY_MS, nearby + DAY_MS]
  while (after - before > 60_000) {
    const middle = before + Math.floor((after - before) / 120_000) * 60_000
    if (clock(middle) < localTime) before = middle
    else after = middle
  }
  return after
}
