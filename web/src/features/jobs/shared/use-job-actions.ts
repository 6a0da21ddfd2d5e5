import type { RecipientCounts } from '@sendroom/contract/jobs'
import { useMutation } from '@tanstack/react-query'
import i18next from 'i18next'
import { call } from '../../../api/client.ts'
import { reportFailure } from '../../../api/failure.ts'
import { useAction } from '../../../api/use-action.ts'
import { addToast } from '../../../ui/toasts.ts'
import { askForRetry, confirmCancel, confirmDelete, confirmRestart, remainingOf } from './job-questions.ts'

/** The actions on one job. Actions that can't be undone ask first. */
export function useJobActions(id: number) {
  const pause = useAction('POST /jobs/:id/pause', { success: 'JOB.PAUSE_DONE', failure: 'JOB.PAUSE_FAILED' })
  const resume = useAction('POST /jobs/:id/resume', {
    success: 'JOB.RESUME_DONE',
    failure: 'JOB.RESUME_FAILED',
  })
  const restart = useAction('POST /jobs/:id/restart', {
    success: 'JOB.RESTARTED',
    failure: 'JOB.RESTART_FAILED',
  })
  const retry = useAction('POST /jobs/:id/retry-failed', {
    success: 'JOB.RETRY_DONE',
    failure: 'JOB.RETRY_FAILED',
  })
  const cancel = useAction('POST /jobs/:id/cancel', {
    success: 'JOB.CANCELLED',
    failure: 'JOB.CANCEL_FAILED',
  })
  const remove = useAction('DELETE /jobs/:id', { success: 'JOB.DELETED', failure: 'JOB.DELETE_FAILED' })
  const counts = useRecipientCounts(id)
  const input = { params: { id } }

  return {
    pause: { isPending: pause.isPending, ask: () => pause.mutate(input) },
    resume: { isPending: resume.isPending, ask: () => resume.mutate(input) },
    restart: {
      isPending: restart.isPending || counts.isReadingFor('restart'),
      ask: () =>
        counts.read('restart', async (recipients) => {
          if (await confirmRestart(recipients)) restart.mutate(input)
        }),
    },
    retry: {
      isPending: retry.isPending || counts.isReadingFor('retry'),
      ask: () =>
        counts.read('retry', async (recipients) => {
          if (remainingOf(recipients) + recipients.unknown === 0) return showNothingToRetry()
          const body = await askForRetry(recipients)
          if (body) retry.mutate({ ...input, body })
        }),
    },
    cancel: {
      isPending: cancel.isPending,
      ask: async () => {
        if (await confirmCancel()) cancel.mutate(input)
      },
    },
    remove: {
      isPending: remove.isPending,
      isDone: remove.isSuccess,
      ask: async (onRemoved?: () => void) => {
        if (await confirmDelete()) remove.mutate(input, { onSuccess: () => onRemoved?.() })
      },
    },
  }
}

export type JobActions = ReturnType<typeof useJobActions>

type Purpose = 'restart' | 'retry'

/** Reads the recipient counts for a question. Lists do not have them, and those of a page may be stale. */
function useRecipientCounts(id: number) {
  const reading = useMutation({
    mutationFn: (_: Purpose) => call('GET /jobs/:id', { params: { id } }),
    onError: (error) => reportFailure(error, 'JOB.LOAD_FAILED'),
  })
  return {
    isReadingFor: (purpose: Purpose) => reading.isPending && reading.variables === purpose,
    read: (purpose: Purpose, ask: (recipients: RecipientCounts) => void) =>
      reading.mutate(purpose, { onSuccess: ({ recipients }) => ask(recipients) }),
  }
}

const showNothingToRetry = () => addToast({ type: 'info', msg: i18next.t('ERROR.job_nothing_to_retry') })
