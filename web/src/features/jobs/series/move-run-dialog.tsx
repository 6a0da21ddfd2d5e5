import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { series as endpoints, type Series, type SeriesRun } from '@sendroom/contract/series'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { useAction } from '../../../api/use-action.ts'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
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
    <Dialog title={t('SERIES.MOVE')} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text size="sm">{t('SERIES.MOVE_HINT', { time: formatRun(run.dueAt, timeZone) })}</Text>
          <TextInput
            label={t('SERIES.NEW_TIME')}
            description={timeZone}
            type="datetime-local"
            required
            max="2099-12-31T23:59"
            data-autofocus
            {...form.getInputProps('dueAt')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('COMMON.CANCEL')}
            </Button>
            <BusyButton type="submit" isBusy={form.submitting}>
              {t('SERIES.MOVE')}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
