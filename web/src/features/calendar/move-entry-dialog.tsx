import type { CalendarEntry } from '@sendroom/contract/calendar'
import { instant, key } from '@sendroom/contract/values'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { formatDateTime, instantAt, minuteOf } from '../../format.ts'
import { TimeDialog } from '../../forms/time-dialog.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { useMove } from './use-move.ts'

type Props = { entry: CalendarEntry; onClose: () => void }

/** Moves a waiting job or a single run to a time that is typed: what dragging does, for the keyboard and for phones. */
export function MoveEntryDialog({ entry, onClose }: Props) {
  const { t } = useTranslation()
  const move = useMove()
  // The name by which the server refuses the time.
  const field = entry.kind === 'job' ? 'scheduledAt' : 'dueAt'
  const schema = useMemo(() => formOf(field), [field])
  const { form, onSubmit } = useContractForm(schema, {
    initialValues: { [field]: minuteOf(new Date(entry.startsAt)) },
    send: (values) => move(entry, instantAt(values[field] ?? '')),
    onSent: onClose,
    isGuarded: false,
  })
  return (
    <TimeDialog
      title={t('CALENDAR.MOVE_TITLE')}
      text={t(entry.kind === 'job' ? 'CALENDAR.MOVE_JOB' : 'CALENDAR.MOVE_RUN', {
        name: entry.name,
        time: formatDateTime(entry.startsAt),
      })}
      zone={t('CALENDAR.ZONE')}
      field={form.getInputProps(field)}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onClose={onClose}
    />
  )
}

const formOf = (field: string) =>
  z.preprocess(
    (values) => ({ [field]: instantAt((values as Record<string, string>)[field] ?? '') }),
    z.object({
      [field]: instant(key('JOB.SCHEDULED_AT_INVALID')).refine((at) => Date.parse(at) > Date.now(), {
        error: 'CALENDAR.PASSED',
      }),
    }),
  )
