import { series as endpoints, type Series } from '@sendroom/contract/series'
import type { SeriesRun } from '@sendroom/contract/series-runs'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { useAction } from '../../../api/use-action.ts'
import { TimeDialog } from '../../../forms/time-dialog.tsx'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { formatRun } from './calendar-names.ts'
import { minutesIn } from './zone-minutes.ts'

type Props = { series: Series; run: SeriesRun; onClose: () => void }

/** Moves a single run to another time, by the clock of the series. */
export function MoveRunDialog({ series, run, onClose }: Props) {
  const { t } = useTranslation()
  const { timeZone } = series.rule
  const { minuteOf, instantAt } = useMemo(() => minutesIn(timeZone), [timeZone])
  const move = useAction('POST /series/:id/runs/:runId/move', {
    success: 'SERIES.MOVED',
    failure: 'SERIES.ACTION_FAILED',
  })
  const schema = useMemo(
    () =>
      z.preprocess(
        (values) => ({ dueAt: instantAt((values as { dueAt: string }).dueAt) }),
        endpoints.moveRun.body,
      ),
    [instantAt],
  )
  const { form, onSubmit } = useContractForm(schema, {
    initialValues: { dueAt: minuteOf(Date.parse(run.dueAt)) },
    send: ({ dueAt }) =>
      move.mutateAsync({ params: { id: series.id, runId: run.id }, body: { dueAt: instantAt(dueAt) } }),
    onSent: onClose,
    isGuarded: false,
  })
  return (
    <TimeDialog
      title={t('SERIES.MOVE')}
      text={t('SERIES.MOVE_HINT', { time: formatRun(run.dueAt, timeZone) })}
      zone={timeZone}
      field={form.getInputProps('dueAt')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onClose={onClose}
    />
  )
}
