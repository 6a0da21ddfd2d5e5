import type { Job } from '@sendroom/contract/jobs'
import { IconBan, IconPencil, IconRotateClockwise, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { ActionButton, DetailHeader } from '../shared/detail-header.tsx'
import { jobDisabledReasons } from '../shared/disabled-reasons.ts'
import { JobStatusBadge } from '../shared/job-labels.tsx'
import { primaryAction } from '../shared/primary-action.ts'
import type { JobActions } from '../shared/use-job-actions.ts'

/** The job's number, status and actions. */
export function JobHeader({ job, actions }: { job: Job; actions: JobActions }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { restart, cancel, remove } = actions
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  const disabledReasons = jobDisabledReasons(job, isAllowed)
  const change = {
    isPending: false,
    ask: () => navigate({ to: '/jobs/edit/$id', params: { id: `${job.id}` } }),
  }
  return (
    <DetailHeader
      back={{ to: '/jobs', label: t('JOB.BACK') }}
      title={t(job.name === '' ? 'JOB.DETAIL_TITLE' : 'JOB.NAMED_TITLE', job)}
      badge={<JobStatusBadge job={job} />}
    >
      <ActionButton {...primaryAction(job, actions, disabledReasons)} />
      <ActionButton
        label="JOB.CHANGE"
        icon={IconPencil}
        action={change}
        disabledReason={isAllowed ? undefined : 'JOB.NOT_ALLOWED'}
      />
      <ActionButton
        label="JOB.RESTART"
        icon={IconRotateClockwise}
        action={restart}
        disabledReason={disabledReasons.restart}
      />
      <ActionButton
        label="JOB.CANCEL"
        icon={IconBan}
        action={cancel}
        disabledReason={disabledReasons.cancel}
      />
      <ActionButton
        label="COMMON.DELETE"
        icon={IconTrash}
        action={{ ...remove, ask: () => remove.ask(() => navigate({ to: '/jobs' })) }}
        disabledReason={disabledReasons.remove}
      />
    </DetailHeader>
  )
}
