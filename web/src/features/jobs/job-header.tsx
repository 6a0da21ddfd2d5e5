import { ActionIcon, Button, Group, Loader } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { IconArrowLeft, IconBan, IconRotateClockwise, IconTrash, type TablerIcon } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { barred, busy } from '../../ui/barred.ts'
import { PageTitle } from '../../ui/page-title.tsx'
import { singly } from '../../ui/singly.ts'
import { jobBarriers } from './job-barriers.ts'
import classes from './job-detail.module.css'
import { JobStatusBadge } from './job-status-badge.tsx'
import { jobStep } from './job-step.ts'
import type { JobActions } from './use-job-actions.ts'

/** Which job it is, how it stands, and what can be done with it. */
export function JobHeader({ job, actions }: { job: Job; actions: JobActions }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { restart, cancel, remove } = actions
  const barriers = jobBarriers(job, mayDo('canCreateJobs', useCurrentUser()))
  return (
    <Group justify="space-between">
      <Group gap="xs">
        <ActionIcon
          component={Link}
          to={paths.jobs}
          variant="subtle"
          color="gray"
          size="lg"
          ml="-xs"
          aria-label={t('JOB.BACK')}
          title={t('JOB.BACK')}
        >
          <IconArrowLeft size={20} aria-hidden />
        </ActionIcon>
        <PageTitle>{t('JOB.DETAIL_TITLE', { id: job.id })}</PageTitle>
        <JobStatusBadge job={job} />
      </Group>
      <Group gap="xs" className={classes.buttons}>
        <ActionButton {...jobStep(job, actions, barriers)} />
        <ActionButton
          label="JOB.RESTART"
          icon={IconRotateClockwise}
          action={restart}
          barrier={barriers.restart}
        />
        <ActionButton label="JOB.CANCEL" icon={IconBan} action={cancel} barrier={barriers.cancel} />
        <ActionButton
          label="COMMON.DELETE"
          icon={IconTrash}
          action={{ ...remove, ask: () => remove.ask(() => navigate({ to: paths.jobs })) }}
          barrier={barriers.remove}
        />
      </Group>
    </Group>
  )
}

type ButtonProps = {
  /** A key, as is the barrier: why it can't be done. */
  label: string
  icon: TablerIcon
  action: { isPending: boolean; ask: () => unknown }
  barrier: string | undefined
}

function ActionButton({ label, icon: Icon, action, barrier }: ButtonProps) {
  const { t } = useTranslation()
  return (
    <Button
      variant="default"
      leftSection={
        action.isPending ? <Loader size={16} color="currentcolor" /> : <Icon size={16} aria-hidden />
      }
      onClick={singly(action.ask)}
      {...(barrier !== undefined && barred(t(barrier)))}
      {...(action.isPending && busy)}
    >
      {t(label)}
    </Button>
  )
}
