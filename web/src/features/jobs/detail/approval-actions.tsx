import { Button, Group, Stack, Text } from '@mantine/core'
import type { JobApproval as Approval } from '@sendroom/contract/job-approval'
import { jobCan } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isAdmin, mayDo, useCurrentUser } from '../../../api/session.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { ignoreDoubleClick } from '../../../ui/button-props.ts'
import { lazyComponent } from '../../../ui/lazy-component.tsx'
import type { StepWithWords } from './review-dialog.tsx'
import { useReview } from './use-review.ts'

const ReviewDialog = lazyComponent(async () => (await import('./review-dialog.tsx')).ReviewDialog)

type Props = { job: Job; approval: Approval }

/** A button. Its label is a translation key. */
type Step = { label: string; isNext?: boolean; isPending: boolean; ask: () => unknown }

/** The steps that the user can take: as an approver, as somebody who makes jobs, and as an Admin. */
export function ApprovalActions({ job, approval: { canReview } }: Props) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const { approve, takeBack, askAgain } = useReview(job)
  const [dialog, setDialog] = useState<StepWithWords | null>(null)
  const [words, setWords] = useState({ askChanges: '', override: '' })
  const isOwn = jobCan('approve', job) && mayDo('canApproveJobs', user) && !canReview
  const mayChange = mayDo('canCreateJobs', user)
  const steps: Step[] = [
    canReview && { label: 'JOB.APPROVE', isNext: true, ...approve },
    canReview && openFor('askChanges', 'JOB.ASK_CHANGES'),
    mayChange && jobCan('ask', job) && { label: 'JOB.ASK_AGAIN', ...askAgain },
    mayChange && jobCan('takeBack', job) && { label: 'JOB.TAKE_BACK', ...takeBack },
    isAdmin(user) && jobCan('override', job) && openFor('override', 'JOB.OVERRIDE'),
  ].filter((step) => step !== false)
  return (
    <Stack gap="xs">
      {isOwn && (
        <Text size="sm" c="dimmed">
          {t('ERROR.approval_of_own')}
        </Text>
      )}
      <Group gap="xs">
        {mayChange && needsChange(job) && (
          <Button
            renderRoot={(props) => <Link {...props} to="/jobs/edit/$id" params={{ id: `${job.id}` }} />}
          >
            {t('JOB.CHANGE')}
          </Button>
        )}
        {steps.map(({ label, isNext, isPending, ask }) => (
          <BusyButton
            key={label}
            variant={isNext ? 'filled' : 'default'}
            isBusy={isPending}
            onClick={ignoreDoubleClick(ask)}
          >
            {t(label)}
          </BusyButton>
        ))}
      </Group>
      {dialog && (
        <ReviewDialog
          job={job}
          step={dialog}
          words={words[dialog]}
          onClose={(left) => {
            setWords({ ...words, [dialog]: left })
            setDialog(null)
          }}
        />
      )}
    </Stack>
  )

  function openFor(step: StepWithWords, label: string) {
    return { label, isPending: false, ask: () => setDialog(step) }
  }
}

/** Whether the next step is a change: an overdue job needs a new time. */
const needsChange = ({ review }: Job) =>
  review === 'changes_asked' || review === 'taken_back' || review === 'overdue'
