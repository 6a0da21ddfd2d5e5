import { button, type View } from './view.ts'

const at = (day: string, time: string) => new Date(`${day}T${time}:00+07:00`).toISOString()
const DAY_MS = 86_400_000
const today = new Date(Date.now() + DAY_MS * (7 / 24)).toISOString().slice(0, 10)
const month = today.slice(0, 7)

/** A day of the month that the page shows first, by its number. */
const dayOf = (number: number) => `${month}-${String(number).padStart(2, '0')}`

const entry = (day: string, time: string, more: object = {}) => ({
  ...{
    kind: 'job',
    id: 12,
    seriesId: null,
    name: 'Ưu đãi hằng tuần cho khách hàng thân thiết',
    jobType: 'SendToGroups',
  },
  ...{
    instance: { id: 1, name: 'Nhà hàng Biển Xanh' },
    state: 'Pending',
    isPaused: false,
    recipientCount: 120,
  },
  ...{
    startsAt: at(day, time),
    endsAt: at(day, '11:40'),
    competes: false,
    isMovable: true,
    version: 1,
    ...more,
  },
})
const run = { kind: 'run', id: 70, seriesId: 4, name: 'Bảng giá cuối tháng', state: 'planned', version: null }

function entriesOf(day: string): object[] {
  if (day === dayOf(3))
    return [
      entry(day, '08:00', { state: 'Completed', isMovable: false }),
      entry(day, '09:30', { ...run, state: 'skipped', endsAt: null, isMovable: false }),
    ]
  if (day === dayOf(20))
    return [
      entry(day, '09:00', { competes: true }),
      entry(day, '09:15', { ...run, competes: true, recipientCount: 1, endsAt: at(dayOf(21), '10:00') }),
      entry(day, '13:00', {
        id: 13,
        name: 'Tin nhắn không dấu cách'.replaceAll(' ', ''),
        isPaused: true,
        endsAt: null,
      }),
    ]
  if (day === dayOf(24))
    return Array.from({ length: 20 }, (_, place) =>
      entry(day, `08:${String(place + 10)}`, { id: 100 + place, name: `Khách hàng khu vực ${place + 1}` }),
    )
  return []
}

/** Six weeks from so many days before the first day of the month on. */
function answerFor(from: string, days: number) {
  return {
    days: Array.from({ length: days }, (_, place) => {
      const day = new Date(Date.parse(from) + place * DAY_MS).toISOString().slice(0, 10)
      const entries = entriesOf(day)
      return {
        day,
        entries,
        count: entries.length === 20 ? 200 : entries.length,
        isMore: entries.length === 20,
      }
    }),
  }
}

const first = new Date(dayOf(1))
const before = (first.getUTCDay() + 6) % 7
const inMonth = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
const weeks = Math.ceil((before + inMonth) / 7) * 7
const monday = new Date(first.getTime() - before * DAY_MS).toISOString().slice(0, 10)

const answers = {
  [`/calendar?from=${monday}&*`]: answerFor(monday, weeks),
  [`/calendar?from=${dayOf(1)}&days=${inMonth}*`]: answerFor(dayOf(1), inMonth),
  [`/calendar?from=${dayOf(24)}&days=1*`]: answerFor(dayOf(24), 1),
}
const empty = {
  '/calendar?*': {
    days: answerFor(monday, weeks).days.map(({ day }) => ({ day, entries: [], count: 0, isMore: false })),
  },
}

/** The pages and dialogs of the calendar. */
export const calendarViews: Record<string, View> = {
  calendar: { path: '/calendar', answers },
  'calendar-none': { path: '/calendar', answers: empty },
  'calendar-reader': { path: '/calendar', as: 'reader', answers },
  'calendar-agenda': { path: '/calendar?view=agenda', answers },
  'calendar-day': { path: `/calendar?view=agenda&day=${dayOf(24)}`, answers },
  'calendar-move': {
    path: '/calendar',
    answers,
    keepsWords: true,
    open: (page, t) => button(page, t('CALENDAR.MOVE').replace('{{name}}', 'Bảng giá cuối tháng')).click(),
  },
}
