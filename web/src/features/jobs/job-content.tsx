import { Group, Text } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { useTranslation } from 'react-i18next'
import { Picture } from '../../ui/picture.tsx'
import classes from './job-detail.module.css'
import { JobSection } from './job-section.tsx'

/** What the job sends: its own copy, whatever became of the message since. */
export function JobContent({ job }: { job: Job }) {
  const { t } = useTranslation()
  return (
    <JobSection title={t('JOB.MESSAGE')}>
      <Group align="flex-start" gap="md">
        {job.imageUrl && (
          <Picture src={job.imageUrl} alt={t('JOB.IMAGE')} w="auto" maw={200} mah={200} fit="contain" />
        )}
        {/* A long text scrolls, so the keyboard must reach it. */}
        <Text size="sm" className={classes.text} tabIndex={0}>
          {job.textContent}
        </Text>
      </Group>
    </JobSection>
  )
}
