import type { Job } from '@sendroom/contract/jobs'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Failure } from '../../../api/failure.ts'
import { useAction } from '../../../api/use-action.ts'
import { formatDateTime } from '../../../format.ts'
import { counted } from '../../../i18n/words.ts'
import { confirm } from '../../../ui/confirm.ts'
import { giveFocus } from '../../../ui/focus.ts'
import { addToast } from '../../../ui/toasts.ts'

const failure = 'JOB.REVIEW_FAILED'

/** The steps of an approval without words. Each sends the version of the job that the user has seen. */
export function useReview(job: Job) {
  const approve = useAction('POST /jobs/:id/approve', { success: 'JOB.APPROVED', failure })
  const takeBack = useAction('POST /jobs/:id/take-back', { success: 'JOB.TAKEN_BACK', failure })
  const ask = useAction('POST /jobs/:id/ask-approval', { success: 'JOB.APPROVAL_ASKED', failure })
  // The button has disappeared by then.
  const after = { onError: useRefusal(), onSuccess: () => setTimeout(() => giveFocus()) }
  const seen = { params: { id: job.id }, body: { version: job.version } }
  return {
    approve: {
      isPending: approve.isPending,
      ask: async () => {
        if (await confirmApproval(job)) approve.mutate(seen, after)
      },
    },
    takeBack: { isPending: takeBack.isPending, ask: () => takeBack.mutate(seen, after) },
    askAgain: { isPending: ask.isPending, ask: () => ask.mutate(seen, after) },
  }
}

function confirmApproval({ recipientCount, instanceName, scheduledAt }: Job): Promise<boolean> {
  const { t } = i18next
  const to = { ...counted(recipientCount), account: instanceName }
  return confirm({
    title: t('JOB.APPROVE'),
    message: scheduledAt
      ? t('JOB.CONFIRM_APPROVE_AT', { ...to, time: formatDateTime(scheduledAt) })
      : t('JOB.CONFIRM_APPROVE', to),
    confirmText: t('JOB.APPROVE'),
  })
}

/**
 * Shows the job as it is now after a step was refused: somebody else has changed it or was faster. The refusal of an
 * old version has no toast of its own.
 */
export function useRefusal() {
  const client = useQueryClient()
  return (error: unknown) => {
    if (error instanceof Failure && error.code === 'stale_version')
      addToast({ type: 'error', msg: i18next.t('JOB.REVIEW_STALE') })
    return client.invalidateQueries({ queryKey: ['jobs'] })
  }
}
