import { button, type View } from './view.ts'

const at = (day: string, time: string) => new Date(`${day}T${time}:00+07:00`).toISOString()
const DAY_MS = 86_400_000
/** Far ahead, so that pictures do not change with the day on which they are taken. */
const MONTH = '2031-03'
const DAYS = 31
/** The first day of the six weeks around the month. */
const MONDAY = '2031-02-24'
const dayOf = (number: number) => `${MONTH}-${String(number).padStart(2, '0')}`

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
    review: null,
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
      entry(day, '09:00', { competes: true, review: 'in_review', isMovable: false }),
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

const answers = {
  [`/calendar?from=${MONDAY}&*`]: answerFor(MONDAY, 42),
  [`/calendar?from=${dayOf(1)}&days=${DAYS}*`]: answerFor(dayOf(1), DAYS),
  [`/calendar?from=${dayOf(24)}&days=1*`]: answerFor(dayOf(24), 1),
}
const path = `/calendar?month=${MONTH}`
const agenda = `${path}&view=agenda`

/** The pages and dialogs of the calendar. */
export const calendarViews: Record<string, View> = {
  calendar: { path, answers },
  'calendar-none': { path: '/calendar' },
  'calendar-reader': { path, as: 'reader', answers },
  'calendar-agenda': { path: agenda, answers },
  'calendar-day': { path: `/calendar?view=agenda&day=${dayOf(24)}`, answers },
  'calendar-move': {
    path,
    answers,
    keepsWords: true,
    open: (page, t) => button(page, t('CALENDAR.MOVE').replace('{{name}}', 'Bảng giá cuối tháng')).click(),
  },
}
