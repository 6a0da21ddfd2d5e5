import type { RecipientCounts } from '@sendroom/contract/jobs'
import { useMutation } from '@tanstack/react-query'
import i18next from 'i18next'
import { call } from '../../api/client.ts'
import { reportFailure } from '../../api/failure.ts'
import { useAction } from '../../api/use-action.ts'
import { addToast } from '../../ui/toasts.ts'
import { askForRest, confirmCancel, confirmDelete, confirmRestart, restOf } from './job-questions.ts'

/** All that can be done with one job; what can't be taken back is asked about first. */
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
  const counts = useCounts(id)
  const input = { params: { id } }

  return {
    pause: { isPending: pause.isPending, ask: () => pause.mutate(input) },
    resume: { isPending: resume.isPending, ask: () => resume.mutate(input) },
    restart: {
      isPending: restart.isPending || counts.isReadFor('restart'),
      ask: () =>
        counts.read('restart', async (recipients) => {
          if (await confirmRestart(recipients)) restart.mutate(input)
        }),
    },
    retry: {
      isPending: retry.isPending || counts.isReadFor('retry'),
      ask: () =>
        counts.read('retry', async (recipients) => {
          if (restOf(recipients) + recipients.unknown === 0) return sayNothingToRetry()
          const body = await askForRest(recipients)
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

/** How the recipients stand at the moment of the question: a list does not know, and a page may be old. */
function useCounts(id: number) {
  const reading = useMutation({
    mutationFn: (_: Purpose) => call('GET /jobs/:id', { params: { id } }),
    onError: (error) => reportFailure(error, 'JOB.LOAD_FAILED'),
  })
  return {
    isReadFor: (purpose: Purpose) => reading.isPending && reading.variables === purpose,
    read: (purpose: Purpose, ask: (recipients: RecipientCounts) => void) =>
      reading.mutate(purpose, { onSuccess: ({ recipients }) => ask(recipients) }),
  }
}

const sayNothingToRetry = () => addToast({ type: 'info', msg: i18next.t('ERROR.job_nothing_to_retry') })
