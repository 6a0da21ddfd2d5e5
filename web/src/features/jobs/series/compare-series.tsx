import { describeRule } from '@sendroom/contract/describe-rule'
import type { Series } from '@sendroom/contract/series'
import { SeriesRule } from '@sendroom/contract/series-rule'
import i18next from 'i18next'
import { formatDay } from '../../../format.ts'
import {
  type Difference,
  differenceOf,
  GroupNames,
  InstanceNames,
  sorted,
} from '../../../forms/differences.tsx'
import { currentLanguage } from '../../../i18n/i18n.ts'
import { enumerated } from '../../../i18n/punctuation.ts'
import { bodyOf, type SeriesValues, valuesOf } from './series-values.ts'

/** Returns where the form differs from the series that somebody else has saved. */
export function compareSeries(mine: SeriesValues, series: Series): Difference[] {
  const theirs = valuesOf(series)
  const named = (rows: { id: number; name: string }[]) => (ids: number[]) => {
    const nameOf = new Map(rows.map(({ id, name }) => [id, name]))
    return enumerated(ids.map((id) => nameOf.get(id) ?? `#${id}`)) || '—'
  }
  const messages = series.messages.map(({ id, textContent }) => ({ id, name: textContent }))
  const showGroups = (ids: number[]) => <GroupNames instanceId={mine.instanceId} ids={ids} />
  const ofChoice = (field: 'overlap' | 'quietPolicy', words: string) =>
    differenceOf(words, mine[field], theirs[field], (value) => i18next.t(`${words}_${value.toUpperCase()}`))
  const ofSources = (
    field: 'groupSetIds' | 'listIds' | 'excludedListIds',
    words: string,
    rows: Series['lists'],
  ) => differenceOf(words, sorted(mine[field]), sorted(theirs[field]), named(rows))
  return [
    ...differenceOf('SERIES.NAME', mine.name, theirs.name),
    ...differenceOf('JOB.INSTANCE', mine.instanceId, theirs.instanceId, (id) => <InstanceNames ids={[id]} />),
    ...differenceOf('JOB.TYPE', mine.jobType, theirs.jobType, (type) =>
      i18next.t(`JOB.TYPE_${type.toUpperCase()}`),
    ),
    ...differenceOf('SERIES.MESSAGES', mine.messageIds, theirs.messageIds, named(messages)),
    ...differenceOf('FORM.GROUPS', sorted(mine.groupIds), sorted(theirs.groupIds), showGroups),
    ...ofSources('groupSetIds', 'JOB.GROUP_SETS', series.groupSets),
    ...ofSources('listIds', 'JOB.LISTS', series.lists),
    ...ofSources('excludedListIds', 'JOB.EXCLUDED_LISTS', series.excludedLists),
    ...differenceOf('JOB.CONTACTS', namesOf(mine.contacts), namesOf(theirs.contacts)),
    ...differenceOf('JOB.PHONE_NUMBERS', mine.phoneNumbers, theirs.phoneNumbers),
    ...differenceOf('SERIES.FROZEN_NOW', mine.isFrozen, theirs.isFrozen),
    ...differenceOf('SERIES.WHEN', ruleWords(mine), ruleWords(theirs)),
    ...differenceOf('SERIES.QUIET_DAYS', dayNames(mine), dayNames(theirs)),
    ...ofChoice('quietPolicy', 'SERIES.QUIET_POLICY'),
    ...ofChoice('overlap', 'SERIES.OVERLAP'),
  ]
}

const namesOf = (contacts: SeriesValues['contacts']) => enumerated(contacts.map(({ name }) => name))
const dayNames = ({ quietDays }: SeriesValues) => enumerated(quietDays.toSorted().map(formatDay))

/** A form that was sent has a valid rule. */
const ruleWords = (values: SeriesValues) =>
  describeRule(SeriesRule.parse(bodyOf(values).rule), currentLanguage())
