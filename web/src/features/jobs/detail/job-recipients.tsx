import { Button, Text } from '@mantine/core'
import type { Job } from '@sendroom/contract/jobs'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../format.ts'
import { Section } from '../../../ui/section.tsx'
import classes from './job-detail.module.css'

const SHOWN = 20

/** The job's recipients. A long list is folded at first. */
export function JobRecipients({ job }: { job: Job }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const isToGroups = job.jobType === 'SendToGroups'
  const names = isToGroups
    ? job.assignedGroups.map(({ name }) => name)
    : job.targetPhoneNumbers.map((number) => `+${number}`)
  const shown = isOpen ? names : names.slice(0, SHOWN)
  const { total } = job.recipients
  const title = t(isToGroups ? 'JOB.ASSIGNED_GROUPS' : 'JOB.TARGET_NUMBERS', { number: formatNumber(total) })
  return (
    <Section title={title}>
      <ul className={classes.recipients}>
        {shown.map((name, i) => (
          // Two groups may have the same name. The order of the list never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={i}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      {isOpen && total > names.length && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('COMMON.AND_MORE', { number: formatNumber(total - names.length) })}
        </Text>
      )}
      {names.length > SHOWN && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt="xs"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t('JOB.SHOW_LESS') : t('JOB.SHOW_ALL', { number: formatNumber(names.length) })}
        </Button>
      )}
    </Section>
  )
}
