import { isLive } from '@sendroom/contract/job-life'
import type { JobRow } from '@sendroom/contract/jobs'
import {
  IconBan,
  IconEye,
  IconPlayerPause,
  IconPlayerPlay,
  IconRotateClockwise,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { RowAction } from '../../ui/row-action.tsx'
import { jobBarriers } from './job-barriers.ts'
import { useJobActions } from './use-job-actions.ts'

export function JobRowActions({ job, isAllowed }: { job: JobRow; isAllowed: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { pause, resume, restart, retry, cancel, remove } = useJobActions(job.id)
  const barriers = jobBarriers(job, isAllowed)
  const reason = (key: string | undefined) => key && t(key)
  return (
    <>
      <RowAction
        label={t('JOB.VIEW')}
        icon={IconEye}
        onClick={() => navigate({ to: paths.job, params: { id: String(job.id) } })}
      />
      {!isLive(job) && (
        <RowAction
          label={t('JOB.RETRY')}
          icon={IconSend}
          reason={reason(barriers.retry)}
          loading={retry.isPending}
          onClick={retry.ask}
        />
      )}
      {isLive(job) && job.isPaused && (
        <RowAction
          label={t('JOB.RESUME')}
          icon={IconPlayerPlay}
          reason={reason(barriers.resume)}
          loading={resume.isPending}
          onClick={resume.ask}
        />
      )}
      {isLive(job) && !job.isPaused && (
        <RowAction
          label={t('JOB.PAUSE')}
          icon={IconPlayerPause}
          reason={reason(barriers.pause)}
          loading={pause.isPending}
          onClick={pause.ask}
        />
      )}
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
