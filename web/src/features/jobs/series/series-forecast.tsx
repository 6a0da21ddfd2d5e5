import { Badge, Box, List, Stack, Text } from '@mantine/core'
import { describeRule } from '@sendroom/contract/describe-rule'
import { SeriesRule } from '@sendroom/contract/series-rule'
import { useDeferredValue, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../api/queries.ts'
import { currentLanguage } from '../../../i18n/i18n.ts'
import { Section } from '../../../ui/section.tsx'
import { formatRun } from './calendar-names.ts'
import { type ClockChange, clockChanges, nextRuns, type PlannedRun } from './series-plan.ts'
import { bodyOf, type SeriesValues } from './series-values.ts'

/** The next runs that the form would have after `from`. Undefined while the rule is incomplete. */
export function usePlan(values: SeriesValues, from: number) {
  const { instanceId, quietDays, quietPolicy: policy } = values
  const { data: instance } = useRead(
    'GET /instances/:id',
    { params: { id: instanceId } },
    { enabled: instanceId !== 0, meta: { isQuiet: true } },
  )
  // Deferred, so that finding the runs does not slow down the typing.
  const ruleText = useDeferredValue(JSON.stringify(bodyOf(values).rule))
  const quietText = useDeferredValue(JSON.stringify(quietDays))
  return useMemo(() => {
    const { data: rule } = SeriesRule.safeParse(JSON.parse(ruleText))
    if (!rule) return
    const hours = instance?.quietHours ?? null
    const quietHours = hours && instance ? { ...hours, timeZone: instance.timeZone } : null
    const quiet = { quietHours, quietDays: JSON.parse(quietText) as string[], policy }
    return { rule, runs: nextRuns(rule, quiet, from), changes: clockChanges(rule, from) }
  }, [ruleText, quietText, policy, instance, from])
}

export type Plan = NonNullable<ReturnType<typeof usePlan>>

type Props = {
  plan: Plan | undefined
  /** Whether the times of a series are changed, which holds from tomorrow on. */
  isChange: boolean
}

/** Says in words what will happen, with the next runs and what becomes of hard cases. */
export function SeriesForecast({ plan, isChange }: Props) {
  const { t } = useTranslation()
  return (
    <Section title={t('SERIES.FORECAST')}>
      {plan ? (
        <Forecast plan={plan} isChange={isChange} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('SERIES.FORECAST_EMPTY')}
        </Text>
      )}
    </Section>
  )
}

function Forecast({ plan: { rule, runs, changes }, isChange }: { plan: Plan; isChange: boolean }) {
  const { t } = useTranslation()
  const nextAt = firstOf(runs)
  return (
    <Stack gap="sm">
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {describeRule(rule, currentLanguage(), { nextAt })}
      </Text>
      {runs.length > 0 && (
        <Box>
          <Text size="xs" c="dimmed" id="next-runs">
            {t('SERIES.NEXT_RUNS')}
          </Text>
          <List size="sm" type="ordered" aria-labelledby="next-runs">
            {runs.map((run) => (
              <List.Item key={run.localTime}>
                <RunTime run={run} timeZone={rule.timeZone} />
              </List.Item>
            ))}
          </List>
        </Box>
      )}
      <List size="xs" c="dimmed" spacing={4}>
        {isChange && <List.Item>{t('SERIES.HINT_CHANGE')}</List.Item>}
        {changes.map((change) => (
          <List.Item key={change.kind}>
            <ChangeWords change={change} timeZone={rule.timeZone} />
          </List.Item>
        ))}
        <List.Item>{t('SERIES.HINT_OUTAGE')}</List.Item>
        <List.Item>{t('SERIES.HINT_RIGHTS')}</List.Item>
      </List>
    </Stack>
  )
}

/** The first moment at which a run sends. */
const firstOf = (runs: PlannedRun[]) =>
  runs.find(({ runsAt }) => runsAt !== null)?.runsAt ?? runs[0]?.dueAt ?? null

function RunTime({ run: { dueAt, runsAt }, timeZone }: { run: PlannedRun; timeZone: string }) {
  const { t } = useTranslation()
  return (
    <>
      {formatRun(runsAt ?? dueAt, timeZone)}{' '}
      {runsAt !== dueAt && (
        <Badge size="sm" variant="outline" color="gray" tt="none">
          {t(runsAt === null ? 'SERIES.IS_SKIPPED' : 'SERIES.IS_MOVED')}
        </Badge>
      )}
    </>
  )
}

function ChangeWords({ change, timeZone }: { change: ClockChange; timeZone: string }) {
  const { t } = useTranslation()
  const { kind, localTime, dueAt } = change
  const [, time = ''] = localTime.split('T')
  return t(`SERIES.CLOCK_${kind.toUpperCase()}`, { time, run: formatRun(dueAt, timeZone) })
}
