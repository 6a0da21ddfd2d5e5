import type { JobRow } from '@sendroom/contract/jobs'
import { IconBan, IconEye, IconRotateClockwise, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { RowActions } from '../../../lists/row-actions.tsx'
import { jobDisabledReasons } from '../shared/disabled-reasons.ts'
import { primaryAction } from '../shared/primary-action.ts'
import { useJobActions } from '../shared/use-job-actions.ts'

export function JobRowActions({ job, isAllowed }: { job: JobRow; isAllowed: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const actions = useJobActions(job.id)
  const { restart, cancel, remove } = actions
  const disabledReasons = jobDisabledReasons(job, isAllowed)
  const primary = primaryAction(job, actions, disabledReasons)
  const reason = (key: string | undefined) => key && t(key)
  return (
    <RowActions
      actions={[
        {
          label: t('JOB.VIEW'),
          icon: IconEye,
          onClick: () => navigate({ to: '/jobs/$id', params: { id: String(job.id) } }),
        },
        {
          label: t(primary.label),
          icon: primary.icon,
          reason: reason(primary.disabledReason),
          loading: primary.action.isPending,
          onClick: primary.action.ask,
        },
        {
          label: t('JOB.RESTART'),
          icon: IconRotateClockwise,
          reason: reason(disabledReasons.restart),
          loading: restart.isPending,
          onClick: restart.ask,
        },
        {
          label: t('JOB.CANCEL'),
          icon: IconBan,
          tone: 'warning',
          reason: reason(disabledReasons.cancel),
          loading: cancel.isPending,
          onClick: cancel.ask,
        },
        {
          label: t('COMMON.DELETE'),
          icon: IconTrash,
          tone: 'danger',
          reason: reason(disabledReasons.remove),
          loading: remove.isPending,
          onClick: () => remove.ask(),
        },
      ]}
    />
  )
}
