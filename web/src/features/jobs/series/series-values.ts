import { NewSeries, type Series } from '@sendroom/contract/series'
import type { MonthDay, SeriesRule } from '@sendroom/contract/series-rule'
import type { overlapChoices, quietPolicies } from '@sendroom/contract/series-states'
import { z } from 'zod'
import type { InputOf } from '../../../api/client.ts'
import { dayOf } from '../../../format.ts'
import { blank as blankJob, fallbacksOf, recipientsOf, type Values } from '../form/new-job-values.ts'

/** The choices of a rule. Numbers are texts as they are typed, and each choice stays while another one is shown. */
export type RuleValues = {
  frequency: SeriesRule['frequency']
  every: string
  weekdays: number[]
  month: number
  monthDay: { kind: MonthDay['kind']; day: string; nth: number; weekday: number }
  times: string[]
  startsOn: string
  /** Empty for no end, or `HALF_TYPED`. */
  endsOn: string
  /** Empty for no limit. */
  runLimit: string
  timeZone: string
}

type RecipientValues = Pick<
  Values,
  | 'jobType'
  | 'instanceId'
  | 'groupIds'
  | 'groupSetIds'
  | 'listIds'
  | 'contacts'
  | 'phoneNumbers'
  | 'excludedListIds'
  | 'fallbacks'
  | 'leaveOutIncomplete'
>

/** The values of the form for a series. Its recipients are chosen as those of a job. */
export type SeriesValues = RecipientValues & {
  name: string
  messageIds: number[]
  isFrozen: boolean
  rule: RuleValues
  quietDays: string[]
  quietPolicy: (typeof quietPolicies)[number]
  overlap: (typeof overlapChoices)[number]
}

const { name: _name, scheduledAt, messageId, isWritten, message, imageFile, ...blankRecipients } = blankJob

/** A new series begins today, so that its first run is today if the time is still ahead. */
export const blankSeries = (): SeriesValues => ({
  ...blankRecipients,
  name: '',
  messageIds: [],
  isFrozen: false,
  rule: {
    frequency: 'week',
    every: '1',
    weekdays: [],
    month: 1,
    monthDay: { kind: 'day', day: '1', nth: 1, weekday: 1 },
    times: ['09:00'],
    startsOn: dayOf(new Date()),
    endsOn: '',
    runLimit: '',
    timeZone: 'Asia/Ho_Chi_Minh',
  },
  quietDays: [],
  quietPolicy: 'move',
  overlap: 'skip',
})

export function valuesOf(series: Series): SeriesValues {
  const { name, instance, jobType, phoneNumbers, fallbacks, leaveOutIncomplete } = series
  const { isFrozen, quietDays, quietPolicy, overlap, rule } = series
  return {
    ...{ name, jobType, phoneNumbers, fallbacks, leaveOutIncomplete },
    ...{ isFrozen, quietDays, quietPolicy, overlap },
    instanceId: instance.id,
    messageIds: idsOf(series.messages),
    contacts: chosenContacts(series),
    groupIds: idsOf(series.groups),
    groupSetIds: idsOf(series.groupSets),
    listIds: idsOf(series.lists),
    excludedListIds: idsOf(series.excludedLists),
    rule: ruleValuesOf(rule),
  }
}

/** With those that this user does not see, so that saving does not drop them. */
function chosenContacts({ contacts, contactIds }: Series) {
  const nameOf = new Map(contacts.map(({ id, name }) => [id, name]))
  return contactIds.map((id) => ({ id, name: nameOf.get(id) ?? `#${id}` }))
}

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

function ruleValuesOf(rule: SeriesRule): RuleValues {
  const { frequency, every, times, startsOn, endsOn, runLimit, timeZone } = rule
  const { weekdays, month, monthDay } = blankSeries().rule
  const chosenDay = 'monthDay' in rule ? rule.monthDay : null
  return {
    ...{ frequency, times, startsOn, timeZone },
    every: String(every),
    weekdays: 'weekdays' in rule ? rule.weekdays : weekdays,
    month: 'month' in rule ? rule.month : month,
    monthDay: {
      ...monthDay,
      ...chosenDay,
      ...(chosenDay?.kind === 'day' ? { day: String(chosenDay.day) } : { day: monthDay.day }),
    },
    endsOn: endsOn ?? '',
    runLimit: runLimit === null ? '' : String(runLimit),
  }
}

type Body = InputOf<'POST /series'>['body']

/** The form as a series: without what is chosen but not shown. The schema refuses what is missing. */
export function bodyOf(values: SeriesValues): Body {
  const { name, jobType, instanceId, messageIds, quietDays, quietPolicy, overlap } = values
  const forJob = { ...blankJob, ...values }
  return {
    ...{ name, jobType, instanceId, messageIds, quietDays, quietPolicy, overlap },
    ...recipientsOf(forJob),
    ...fallbacksOf(forJob),
    ...(hasSources(values) && values.isFrozen && { isFrozen: true }),
    rule: ruleOf(values.rule),
  }
}

/** Whether lists or sets are chosen, whose people or groups may change until a run. */
export const hasSources = ({ jobType, groupSetIds, listIds, excludedListIds }: SeriesValues) =>
  jobType === 'SendToGroups' ? groupSetIds.length > 0 : listIds.length + excludedListIds.length > 0

function ruleOf(rule: RuleValues): Body['rule'] {
  const { frequency, weekdays, month, times, startsOn, endsOn, runLimit, timeZone } = rule
  const every = {
    ...{ times, startsOn, timeZone },
    every: numberIn(rule.every),
    endsOn: endsOn === '' ? null : endsOn,
    runLimit: runLimit.trim() === '' ? null : numberIn(runLimit),
  }
  const monthDay = monthDayOf(rule.monthDay)
  switch (frequency) {
    case 'day':
      return { frequency, ...every }
    case 'week':
      return { frequency, weekdays: weekdays as Weekday[], ...every }
    case 'month':
      return { frequency, monthDay, ...every }
    case 'year':
      return { frequency, month, monthDay, ...every }
  }
}

function monthDayOf({ kind, day, nth, weekday }: RuleValues['monthDay']): MonthDay {
  if (kind === 'last') return { kind }
  if (kind === 'day') return { kind, day: numberIn(day) }
  return { kind, nth: nth as WeekdayPlace, weekday: weekday as Weekday }
}

type Weekday = Extract<MonthDay, { kind: 'weekday' }>['weekday']
type WeekdayPlace = Extract<MonthDay, { kind: 'weekday' }>['nth']

/** NaN for a text that is no number, and for none. */
const numberIn = (text: string) => (text.trim() === '' ? Number.NaN : Number(text))

export const SeriesFormSchema = z.preprocess((values) => bodyOf(values as SeriesValues), NewSeries)
