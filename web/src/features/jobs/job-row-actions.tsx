import type { JobRow } from '@sendroom/contract/jobs'
import { IconBan, IconEye, IconRotateClockwise, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { RowAction } from '../../ui/row-action.tsx'
import { jobBarriers } from './job-barriers.ts'
import { jobStep } from './job-step.ts'
import { useJobActions } from './use-job-actions.ts'

export function JobRowActions({ job, isAllowed }: { job: JobRow; isAllowed: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const actions = useJobActions(job.id)
  const { restart, cancel, remove } = actions
  const barriers = jobBarriers(job, isAllowed)
  const step = jobStep(job, actions, barriers)
  const reason = (key: string | undefined) => key && t(key)
  return (
    <>
      <RowAction
        label={t('JOB.VIEW')}
        icon={IconEye}
        onClick={() => navigate({ to: paths.job, params: { id: String(job.id) } })}
      />
      <RowAction
        label={t(step.label)}
        icon={step.icon}
        reason={reason(step.barrier)}
        loading={step.action.isPending}
        onClick={step.action.ask}
      />
      <RowAction
        label={t('JOB.RESTART')}
        icon={IconRotateClockwise}
        reason={reason(barriers.restart)}
        loading={restart.isPending}
        onClick={restart.ask}
      />
      <RowAction
        label={t('JOB.CANCEL')}
        icon={IconBan}
        tone="warning"
        reason={reason(barriers.cancel)}
        loading={cancel.isPending}
        onClick={cancel.ask}
      />
      <RowAction
        label={t('COMMON.DELETE')}
        icon={IconTrash}
        tone="danger"
        reason={reason(barriers.remove)}
        loading={remove.isPending}
        onClick={() => remove.ask()}
      />
    </>
  )
}
