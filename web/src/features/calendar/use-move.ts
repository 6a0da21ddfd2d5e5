import type { CalendarEntry } from '@sendroom/contract/calendar'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Failure } from '../../api/failure.ts'
import { useAction } from '../../api/use-action.ts'
import { instantAt, minuteOf } from '../../format.ts'
import { addToast } from '../../ui/toasts.ts'

const CONFLICT_MS = 8000

/**
 * Moves a waiting job or a single run to another time (ISO 8601). If somebody else has changed the entry meanwhile, a
 * toast says so and the calendar is read again.
 */
export function useMove() {
  const queryClient = useQueryClient()
  const words = { success: 'CALENDAR.MOVED', failure: 'CALENDAR.MOVE_FAILED' }
  const job = useAction('PUT /jobs/:id', words, ['calendar'])
  const run = useAction('POST /series/:id/runs/:runId/move', words, ['calendar'])

  const send = ({ kind, id, seriesId, version }: CalendarEntry, at: string): Promise<unknown> =>
    kind === 'job'
      ? job.mutateAsync({ params: { id }, body: { version: version ?? 0, scheduledAt: at } })
      : run.mutateAsync({ params: { id: seriesId ?? 0, runId: id }, body: { dueAt: at } })

  return async (entry: CalendarEntry, at: string): Promise<void> => {
    try {
      await send(entry, at)
    } catch (error) {
      if (!(error instanceof Failure && error.status === 409)) throw error
      if (error.code === 'stale_version')
        addToast({ type: 'error', msg: i18next.t('CALENDAR.CHANGED_MEANWHILE'), timeout: CONFLICT_MS })
      await queryClient.invalidateQueries({ queryKey: ['calendar'] })
    }
  }
}

/** The same time of another day. */
export const onDay = (startsAt: string, day: string) =>
  instantAt(`${day}T${minuteOf(new Date(startsAt)).slice(11)}`)
