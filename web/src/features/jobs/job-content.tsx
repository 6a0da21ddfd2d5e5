import type { Job } from '@sendroom/contract/jobs'
import { useTranslation } from 'react-i18next'
import { WhatsAppMessage } from '../../ui/whatsapp-message.tsx'
import { JobSection } from './job-section.tsx'

/** What the job sends: its own copy, whatever became of the message since. */
export function JobContent({ job }: { job: Job }) {
  const { t } = useTranslation()
  return (
    <JobSection title={t('JOB.MESSAGE')}>
      <WhatsAppMessage text={job.textContent} imageUrl={job.imageUrl} />
    </JobSection>
  )
}
