import type { Language } from './languages.ts'
import type { MonthDay, WeekdayPlace } from './series-rule.ts'

/** Weekdays count from 1 for Monday, months from 1. */
export type CalendarDay = { year: number; month: number; day: number; weekday: number }

/** The parts of a sentence about a rule, in their order. Joined they are the sentence. */
export type RuleWords = {
  days: (every: number) => string
  weeks: (every: number, weekdays: number[]) => string
  months: (every: number, monthDay: MonthDay) => string
  years: (every: number, month: number, monthDay: MonthDay) => string
  at: (times: string[], timeZone: string) => string
  from: (day: CalendarDay) => string
  until: (day: CalendarDay) => string
  atMost: (runs: number) => string
  next: (day: CalendarDay, time: string) => string
  noNext: string
}

/** `a, b and c`, with the signs of the language. */
const joined = (items: string[], comma: string, and: string) =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(comma)}${and}${items.at(-1)}`

/** From 1, as weekdays and months count. */
const named = (...names: string[]) => {
  const byNumber = new Map(names.map((name, i) => [i + 1, name]))
  return (number: number) => byNumber.get(number) ?? ''
}

/** A day of a month that is no number. */
type DayByName = Exclude<MonthDay, { kind: 'day' }>

/** Days that some months lack. In those the last day takes their place. */
const isRare = (day: number) => day > 28
const isLeapDay = (month: number, day: number) => month === 2 && day === 29

const en = {
  weekday: named('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'),
  month: named(
    ...['January', 'February', 'March', 'April', 'May', 'June'],
    ...['July', 'August', 'September', 'October', 'November', 'December'],
  ),
  place: { 1: 'first', 2: 'second', 3: 'third', 4: 'fourth', [-1]: 'last' } satisfies Record<
    WeekdayPlace,
    string
  >,
  ordinals: new Intl.PluralRules('en', { type: 'ordinal' }),
  ending: { one: 'st', two: 'nd', few: 'rd', other: 'th', many: '', zero: '' },
  list: (items: string[]) => joined(items, ', ', ' and '),
  date: ({ day, month, year }: CalendarDay) => `${day} ${en.month(month)} ${year}`,
  every: (every: number, unit: string) => (every === 1 ? `Every ${unit}` : `Every ${every} ${unit}s`),
  lastOrWeekday: (monthDay: DayByName) =>
    monthDay.kind === 'last' ? 'last day' : `${en.place[monthDay.nth]} ${en.weekday(monthDay.weekday)}`,
}

const english: RuleWords = {
  days: (every) => en.every(every, 'day'),
  weeks: (every, weekdays) => {
    const list = en.list(weekdays.map(en.weekday))
    return every === 1 ? `Every ${list}` : `Every ${every} weeks on ${list}`
  },
  months: (every, monthDay) => {
    if (monthDay.kind !== 'day') return `${en.every(every, 'month')} on the ${en.lastOrWeekday(monthDay)}`
    const { day } = monthDay
    const shorter = isRare(day) ? ' (in shorter months on the last day)' : ''
    return `${en.every(every, 'month')} on the ${day}${en.ending[en.ordinals.select(day)]}${shorter}`
  },
  years: (every, month, monthDay) => {
    const years = en.every(every, 'year')
    if (monthDay.kind !== 'day') return `${years} on the ${en.lastOrWeekday(monthDay)} of ${en.month(month)}`
    const others = isLeapDay(month, monthDay.day) ? ' (in other years on 28 February)' : ''
    return `${years} on ${monthDay.day} ${en.month(month)}${others}`
  },
  at: (times, timeZone) => ` at ${en.list(times)} (${timeZone} time)`,
  from: (day) => `, from ${en.date(day)}`,
  until: (day) => `, until ${en.date(day)}`,
  atMost: (runs) => (runs === 1 ? ', once only' : `, at most ${runs.toLocaleString('en')} times`),
  next: (day, time) => `, next on ${en.weekday(day.weekday)}, ${en.date(day)} at ${time}`,
  noNext: ', no more runs',
}

const vi = {
  weekday: named('thứ Hai', 'thứ Ba', 'thứ Tư', 'thứ Năm', 'thứ Sáu', 'thứ Bảy', 'Chủ nhật'),
  place: { 1: 'đầu tiên', 2: 'thứ 2', 3: 'thứ 3', 4: 'thứ 4', [-1]: 'cuối cùng' } satisfies Record<
    WeekdayPlace,
    string
  >,
  list: (items: string[]) => joined(items, ', ', ' và '),
  date: ({ day, month, year }: CalendarDay) => `${day}/${month}/${year}`,
  every: (every: number, unit: string) => (every === 1 ? `Hằng ${unit}` : `${every} ${unit} một lần`),
  lastOrWeekday: (monthDay: DayByName, month: string) =>
    monthDay.kind === 'last'
      ? `ngày cuối ${month}`
      : `${vi.weekday(monthDay.weekday)} ${vi.place[monthDay.nth]} của ${month}`,
}

const vietnamese: RuleWords = {
  days: (every) => vi.every(every, 'ngày'),
  weeks: (every, weekdays) => `${vi.every(every, 'tuần')} vào ${vi.list(weekdays.map(vi.weekday))}`,
  months: (every, monthDay) => {
    const months = `${vi.every(every, 'tháng')} vào`
    if (monthDay.kind !== 'day') return `${months} ${vi.lastOrWeekday(monthDay, 'tháng')}`
    const shorter = isRare(monthDay.day) ? ' (tháng ngắn hơn thì vào ngày cuối tháng)' : ''
    return `${months} ngày ${monthDay.day}${shorter}`
  },
  years: (every, month, monthDay) => {
    const years = `${vi.every(every, 'năm')} vào`
    if (monthDay.kind !== 'day') return `${years} ${vi.lastOrWeekday(monthDay, `tháng ${month}`)}`
    const others = isLeapDay(month, monthDay.day) ? ' (năm không nhuận thì vào ngày 28 tháng 2)' : ''
    return `${years} ngày ${monthDay.day} tháng ${month}${others}`
  },
  at: (times, timeZone) => ` lúc ${vi.list(times)} (giờ ${timeZone})`,
  from: (day) => `, từ ngày ${vi.date(day)}`,
  until: (day) => `, đến hết ngày ${vi.date(day)}`,
  atMost: (runs) => (runs === 1 ? ', chỉ một lần' : `, tối đa ${runs.toLocaleString('vi')} lần`),
  next: (day, time) => `, lần tới lúc ${time} ${vi.weekday(day.weekday)}, ${vi.date(day)}`,
  noNext: ', không còn lần gửi nào',
}

const cn = {
  weekday: named('周一', '周二', '周三', '周四', '周五', '周六', '周日'),
  place: { 1: '第一个', 2: '第二个', 3: '第三个', 4: '第四个', [-1]: '最后一个' } satisfies Record<
    WeekdayPlace,
    string
  >,
  date: ({ day, month, year }: CalendarDay) => `${year} 年 ${month} 月 ${day} 日`,
  lastOrWeekday: (monthDay: DayByName) =>
    monthDay.kind === 'last' ? '最后一天' : `${cn.place[monthDay.nth]}${cn.weekday(monthDay.weekday)}`,
}

/** A space separates digits from Chinese, but follows no bracket. */
const chinese: RuleWords = {
  days: (every) => (every === 1 ? '每天 ' : `每 ${every} 天一次，`),
  weeks: (every, weekdays) => {
    const list = weekdays.map(cn.weekday).join('、')
    return every === 1 ? `每${list} ` : `每 ${every} 周的${list} `
  },
  months: (every, monthDay) => {
    const months = every === 1 ? '每月' : `每 ${every} 个月的`
    if (monthDay.kind !== 'day') return `${months}${cn.lastOrWeekday(monthDay)} `
    const { day } = monthDay
    return `${months} ${day} 日${isRare(day) ? `（没有 ${day} 日的月份为最后一天）` : ' '}`
  },
  years: (every, month, monthDay) => {
    const years = every === 1 ? `每年 ${month} 月` : `每 ${every} 年的 ${month} 月`
    if (monthDay.kind !== 'day') return `${years}${cn.lastOrWeekday(monthDay)} `
    return `${years} ${monthDay.day} 日${isLeapDay(month, monthDay.day) ? '（非闰年为 28 日）' : ' '}`
  },
  at: (times, timeZone) => `${times.join('、')}（${timeZone} 时间）`,
  from: (day) => `，自 ${cn.date(day)}起`,
  until: (day) => `，至 ${cn.date(day)}止`,
  atMost: (runs) => (runs === 1 ? '，仅一次' : `，最多 ${runs.toLocaleString('zh-CN')} 次`),
  next: (day, time) => `，下次为 ${cn.date(day)}（${cn.weekday(day.weekday)}）${time}`,
  noNext: '，不再发送',
}

export const ruleWords: Record<Language, RuleWords> = { vi: vietnamese, en: english, cn: chinese }
