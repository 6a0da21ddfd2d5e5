import { Alert, Anchor, Text } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { reviewColors } from '../shared/job-labels.tsx'

/** Says what a change means for the approval of a job, and which changes an approver has asked for. */
export function ReviewNote({ job: { id, review, approval } }: { job: Job }) {
  const { t } = useTranslation()
  if (!review || review === 'taken_back') return null
  const asked = approval?.history.find(({ what }) => what === 'changes_asked')
  const texts = {
    in_review: t('ERROR.in_review'),
    changes_asked: t('REASON.changes_asked_by', { user: asked?.by ?? '' }),
    approved: t('JOB.CHANGE_OF_APPROVED'),
    overdue: t('ERROR.approval_overdue'),
  }
  return (
    <Alert color={reviewColors[review]} role="note">
      {texts[review]}
      {review === 'changes_asked' && (
        <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }} dir="auto">
          {asked?.words}
        </Text>
      )}
      {review === 'in_review' && (
        <div>
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to="/jobs/$id" params={{ id: `${id}` }} />}
          >
            {t('JOB.TO_APPROVAL')}
          </Anchor>
        </div>
      )}
    </Alert>
  )
}
