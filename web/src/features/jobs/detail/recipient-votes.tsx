import { Anchor, Text } from '@mantine/core'
import type { JobRecipient } from '@sendroom/contract/job-rows'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { formatNumber, formatSecond } from '../../../format.ts'
import { lazyComponent } from '../../../ui/lazy-component.tsx'
import classes from './job-poll.module.css'

const VotersDialog = lazyComponent(async () => (await import('./voters-dialog.tsx')).VotersDialog)

type Props = {
  jobId: number
  options: string[]
  recipient: JobRecipient
  votes: NonNullable<JobRecipient['votes']>
}

/** The votes of one recipient by option. A press shows who has voted in a group, to whoever may export members. */
export function RecipientVotes({ jobId, options, recipient, votes }: Props) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const isAllowed = mayDo('canExportParticipants', useCurrentUser())
  const total = options.reduce((sum, name) => sum + (votes.counts[name] ?? 0), 0)
  return (
    <div title={formatSecond(votes.updatedAt)}>
      <ul className={classes.votes}>
        {options.map((name) => (
          <li key={name}>
            <Text size="sm" component="bdi">
              {name}
            </Text>
            <span className={classes.number}>{formatNumber(votes.counts[name] ?? 0)}</span>
          </li>
        ))}
      </ul>
      {isAllowed && total > 0 && recipient.recipientId.endsWith('@g.us') && (
        <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)}>
          {t('JOB.SHOW_VOTERS')}
        </Anchor>
      )}
      {isOpen && (
        <VotersDialog jobId={jobId} options={options} recipient={recipient} onClose={() => setOpen(false)} />
      )}
    </div>
  )
}
