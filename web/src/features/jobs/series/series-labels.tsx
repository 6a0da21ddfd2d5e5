import { Badge, type MantineColor } from '@mantine/core'
import { describeRule } from '@sendroom/contract/describe-rule'
import type { SeriesRow } from '@sendroom/contract/series'
import type { SeriesRun } from '@sendroom/contract/series-runs'
import type { SeriesState } from '@sendroom/contract/series-states'
import { useTranslation } from 'react-i18next'
import { currentLanguage } from '../../../i18n/i18n.ts'

const stateColors: Record<SeriesState, MantineColor> = { active: 'green', paused: 'yellow', ended: 'gray' }

export function SeriesStateBadge({ state }: { state: SeriesState }) {
  const { t } = useTranslation()
  return (
    <Badge variant="light" color={stateColors[state]}>
      {t(`SERIES.STATE_${state.toUpperCase()}`)}
    </Badge>
  )
}

const runColors: Record<SeriesRun['state'], MantineColor> = {
  planned: 'yellow',
  waiting: 'yellow',
  made: 'cyan',
  missed: 'red',
  skipped: 'gray',
  failed: 'red',
}
const outcomeColors: Record<NonNullable<SeriesRun['outcome']>, MantineColor> = {
  completed: 'green',
  failed: 'red',
  cancelled: 'gray',
  deleted: 'gray',
}

/** The state of a run, or how its job has ended. */
export function RunBadge({ run: { state, outcome } }: { run: SeriesRun }) {
  const { t } = useTranslation()
  const [words, color] = outcome
    ? [`SERIES.OUTCOME_${outcome.toUpperCase()}`, outcomeColors[outcome]]
    : [`SERIES.RUN_${state.toUpperCase()}`, runColors[state]]
  return (
    <Badge variant="light" color={color}>
      {t(words)}
    </Badge>
  )
}

/** When a series sends, in words. */
export const ruleText = ({ rule }: Pick<SeriesRow, 'rule'>) => describeRule(rule, currentLanguage())
