import type { Language } from '../src/languages.ts'

type Sentence = {
  weekdays: string[]
  /** The names of months, or their numbers. */
  month: (text: string) => number
  places: Record<string, number>
  /** A date as three numbers or names, in the order of the pattern's groups. */
  date: (text: string) => [year: number, month: number, day: number]
  whole: RegExp
  rhythms: Record<'day' | 'week' | 'month' | 'year', RegExp>
}

const padded = (number: number) => String(number).padStart(2, '0')
const numbersIn = (text: string) => (text.match(/\d+/g) ?? []).map(Number)

const EN_MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]
const enMonth = (text: string) => EN_MONTHS.indexOf(text) + 1

const SENTENCES: Record<Language, Sentence> = {
  en: {
    weekdays: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
    month: enMonth,
    places: { first: 1, second: 2, third: 3, fourth: 4, last: -1 },
    date: (text) => {
      const [day, month, year] = text.split(' ')
      return [Number(year), enMonth(month ?? ''), Number(day)]
    },
    whole:
      /^(?<rhythm>.+) at (?<times>[\d:]+(?:(?:, | and )[\d:]+)*) \((?<timeZone>\S+) time\), from (?<startsOn>\d+ \w+ \d{4})(?:, until (?<endsOn>\d+ \w+ \d{4}))?(?:, (?:(?<once>once only)|at most (?<runLimit>[\d,]+) times))?(?:, next on (?<nextWeekday>\w+), (?<nextDate>\d+ \w+ \d{4}) at (?<nextTime>[\d:]+)|, no more runs)$/,
    rhythms: {
      day: /^Every (?:day|(?<every>\d+) days)$/,
      week: /^Every (?:(?<every>\d+) weeks on )?(?<weekdays>\w+day(?:(?:, | and )\w+day)*)$/,
      month:
        /^Every (?:month|(?<every>\d+) months) on the (?:(?<day>\d+)(?:st|nd|rd|th)(?<note> \(in shorter months on the last day\))?|(?<last>last) day|(?<place>\w+) (?<weekday>\w+day))$/,
      year: /^Every (?:year|(?<every>\d+) years) on (?:(?<day>\d+) (?<month>\w+)(?<note> \(in other years on 28 February\))?|the (?<last>last) day of (?<month>\w+)|the (?<place>\w+) (?<weekday>\w+day) of (?<month>\w+))$/,
    },
  },
  vi: {
    weekdays: ['thứ Hai', 'thứ Ba', 'thứ Tư', 'thứ Năm', 'thứ Sáu', 'thứ Bảy', 'Chủ nhật'],
    month: Number,
    places: { 'đầu tiên': 1, 'thứ 2': 2, 'thứ 3': 3, 'thứ 4': 4, 'cuối cùng': -1 },
    date: (text) => {
      const [day = 0, month = 0, year = 0] = numbersIn(text)
      return [year, month, day]
    },
    whole:
      /^(?<rhythm>.+) lúc (?<times>[\d:]+(?:(?:, | và )[\d:]+)*) \(giờ (?<timeZone>\S+)\), từ ngày (?<startsOn>[\d/]+)(?:, đến hết ngày (?<endsOn>[\d/]+))?(?:, (?:(?<once>chỉ một lần)|tối đa (?<runLimit>[\d.]+) lần))?(?:, lần tới lúc (?<nextTime>[\d:]+) (?<nextWeekday>[^,]+), (?<nextDate>[\d/]+)|, không còn lần gửi nào)$/,
    rhythms: {
      day: /^(?:Hằng ngày|(?<every>\d+) ngày một lần)$/,
      week: /^(?:Hằng tuần|(?<every>\d+) tuần một lần) vào (?<weekdays>.+)$/,
      month:
        /^(?:Hằng tháng|(?<every>\d+) tháng một lần) vào (?:ngày (?<day>\d+)(?<note> \(tháng ngắn hơn thì vào ngày cuối tháng\))?|ngày (?<last>cuối) tháng|(?<weekday>thứ \p{L}+|Chủ nhật) (?<place>.+) của tháng)$/u,
      year: /^(?:Hằng năm|(?<every>\d+) năm một lần) vào (?:ngày (?<day>\d+) tháng (?<month>\d+)(?<note> \(năm không nhuận thì vào ngày 28 tháng 2\))?|ngày (?<last>cuối) tháng (?<month>\d+)|(?<weekday>thứ \p{L}+|Chủ nhật) (?<place>.+) của tháng (?<month>\d+))$/u,
    },
  },
  cn: {
    weekdays: ['周一', '周二', '周三', '周四', '周五', '周六', '周日'],
    month: Number,
    places: { 第一个: 1, 第二个: 2, 第三个: 3, 第四个: 4, 最后一个: -1 },
    date: (text) => {
      const [year = 0, month = 0, day = 0] = numbersIn(text)
      return [year, month, day]
    },
    whole:
      /^(?<rhythm>.+?)[ ，）](?<times>[\d:]+(?:、[\d:]+)*)（(?<timeZone>\S+) 时间），自 (?<startsOn>[\d 年月]+日)起(?:，至 (?<endsOn>[\d 年月]+日)止)?(?:，(?:(?<once>仅一次)|最多 (?<runLimit>[\d,]+) 次))?(?:，下次为 (?<nextDate>[\d 年月]+日)（(?<nextWeekday>周.)）(?<nextTime>[\d:]+)|，不再发送)$/,
    rhythms: {
      day: /^(?:每天|每 (?<every>\d+) 天一次)$/,
      week: /^每(?: (?<every>\d+) 周的)?(?<weekdays>周.(?:、周.)*)$/,
      month:
        /^每(?:月| (?<every>\d+) 个月的)(?: (?<day>\d+) 日(?<note>（没有 \d+ 日的月份为最后一天)?|(?<last>最后一天)|(?<place>.+个)(?<weekday>周.))$/,
      year: /^每(?:年| (?<every>\d+) 年的) (?<month>\d+) 月(?: (?<day>\d+) 日(?<note>（非闰年为 28 日)?|(?<last>最后一天)|(?<place>.+个)(?<weekday>周.))$/,
    },
  },
}

/**
 * Reads a sentence of `describeRule` back: the rule, the local time of the next run, and whether the sentence says what
 * happens in months or years without the day.
 */
export function readRule(sentence: string, language: Language) {
  const words = SENTENCES[language]
  const whole = groupsOf(words.whole, sentence) ?? fail(sentence)
  const runLimit = whole.once ? 1 : whole.runLimit ? numberOf(whole.runLimit) : null
  return {
    ...readRhythm(whole.rhythm ?? '', words),
    times: whole.times?.match(/\d\d:\d\d/g),
    timeZone: whole.timeZone,
    startsOn: dateOf(whole.startsOn, words),
    endsOn: whole.endsOn ? dateOf(whole.endsOn, words) : null,
    runLimit,
    next: whole.nextDate ? readNext(whole, words) : null,
  }
}

type Groups = Partial<Record<string, string>>

const fail = (text: string): never => {
  throw new Error(`not understood: ${text}`)
}
const groupsOf = (pattern: RegExp, text: string): Groups | undefined => pattern.exec(text)?.groups

const numberOf = (text: string) => Number(text.replace(/[.,]/g, ''))

function dateOf(text: string | undefined, words: Sentence): string {
  const [year, month, day] = words.date(text ?? '')
  return `${year}-${padded(month)}-${padded(day)}`
}

function readNext({ nextDate, nextWeekday, nextTime }: Groups, words: Sentence): string {
  const date = dateOf(nextDate, words)
  if (weekdayOf(nextWeekday, words) !== (new Date(date).getUTCDay() || 7)) fail(`${nextWeekday} ${nextDate}`)
  return `${date} ${nextTime}`
}

const weekdayOf = (text: string | undefined, words: Sentence) => words.weekdays.indexOf(text ?? '') + 1

function readRhythm(text: string, words: Sentence) {
  for (const [frequency, pattern] of Object.entries(words.rhythms)) {
    const groups = groupsOf(pattern, text)
    if (!groups) continue
    const { every = '1', weekdays, month, note } = groups
    return {
      frequency,
      every: Number(every),
      ...(weekdays && { weekdays: weekdays.split(/, | and | và |、/).map((name) => weekdayOf(name, words)) }),
      ...(month && { month: words.month(month) }),
      ...(/month|year/.test(frequency) && { monthDay: readMonthDay(groups, words) }),
      hasNote: note !== undefined,
    }
  }
  return fail(text)
}

function readMonthDay({ day, last, place, weekday }: Groups, words: Sentence) {
  if (day) return { kind: 'day', day: Number(day) }
  if (last) return { kind: 'last' }
  return { kind: 'weekday', nth: words.places[place ?? ''], weekday: weekdayOf(weekday, words) }
}
