import { ActionIcon, Button, Group, Loader } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import {
  IconArrowLeft,
  IconBan,
  IconPencil,
  IconRotateClockwise,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { busyProps, disabledProps, ignoreDoubleClick } from '../../../ui/button-props.ts'
import { PageTitle } from '../../../ui/page-title.tsx'
import { jobDisabledReasons } from '../shared/disabled-reasons.ts'
import { JobStatusBadge } from '../shared/job-labels.tsx'
import { primaryAction } from '../shared/primary-action.ts'
import type { JobActions } from '../shared/use-job-actions.ts'
import classes from './job-detail.module.css'

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
    <Group justify="space-between">
      <Group gap="xs">
        <ActionIcon
          component={Link}
          to="/jobs"
          variant="subtle"
          color="gray"
          size="lg"
          ml="-xs"
          aria-label={t('JOB.BACK')}
          title={t('JOB.BACK')}
        >
          <IconArrowLeft size={20} aria-hidden />
        </ActionIcon>
        <PageTitle>{t(job.name === '' ? 'JOB.DETAIL_TITLE' : 'JOB.NAMED_TITLE', job)}</PageTitle>
        <JobStatusBadge job={job} />
      </Group>
      <Group gap="xs" className={classes.buttons}>
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
      </Group>
    </Group>
  )
}

type ButtonProps = {
  /** A translation key. */
  label: string
  icon: TablerIcon
  action: { isPending: boolean; ask: () => unknown }
  /** Translation key of the reason why the action is unavailable. */
  disabledReason: string | undefined
}

function ActionButton({ label, icon: Icon, action, disabledReason }: ButtonProps) {
  const { t } = useTranslation()
  return (
    <Button
      variant="default"
      leftSection={
        action.isPending ? <Loader size={16} color="currentcolor" /> : <Icon size={16} aria-hidden />
      }
      onClick={ignoreDoubleClick(action.ask)}
      {...(disabledReason !== undefined && disabledProps(t(disabledReason)))}
      {...(action.isPending && busyProps)}
    >
      {t(label)}
    </Button>
  )
}
