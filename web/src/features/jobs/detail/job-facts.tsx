import { SimpleGrid, Text } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { useTranslation } from 'react-i18next'
import { formatSecond } from '../../../format.ts'
import { Fact } from '../../../ui/fact.tsx'
import { Name } from '../../../ui/name.tsx'
import { Section } from '../../../ui/section.tsx'
import { JobTypeName } from '../shared/job-labels.tsx'
import { SeriesLink } from '../shared/series-link.tsx'

/** The fields that were set when the job was created, and its times. */
export function JobFacts({ job }: { job: Job }) {
  const { t } = useTranslation()
  return (
    <Section title={t('JOB.FACTS')}>
      <SimpleGrid component="dl" cols={2} m={0}>
        <Fact name={t('JOB.TYPE')}>
          <JobTypeName type={job.jobType} />
        </Fact>
        <Fact name={t('JOB.INSTANCE')}>
          <Name>{job.instanceName}</Name>
        </Fact>
        {job.mentionsAll && <Fact name={t('JOB.MENTIONS')}>{t('JOB.MENTIONS_EVERYBODY')}</Fact>}
        {job.series && (
          <Fact name={t('SERIES.TITLE')}>
            <SeriesLink series={job.series} />
          </Fact>
        )}
        <Fact name={t('JOB.CREATED_BY')}>
          <Name>{job.createdByUserName}</Name>
        </Fact>
        <Fact name={t('JOB.CREATED_AT')}>{formatSecond(job.createdAt)}</Fact>
        <Fact name={t('JOB.SCHEDULED_AT')}>{formatSecond(job.scheduledAt)}</Fact>
        <Fact name={t('JOB.STARTED_AT')}>{formatSecond(job.startedAt)}</Fact>
        <Fact name={t('JOB.COMPLETED_AT')}>{formatSecond(job.completedAt)}</Fact>
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt="sm">
        {t('JOB.TIME_ZONE')}
      </Text>
    </Section>
  )
}
