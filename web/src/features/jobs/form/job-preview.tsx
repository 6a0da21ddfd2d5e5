import { Alert, Box, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Message } from '@sendroom/contract/messages'
import type { JobPreview as Preview } from '@sendroom/contract/new-jobs'
import { IconClock } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { Failure, failureText } from '../../../api/failure.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../../format.ts'
import { enumerated } from '../../../i18n/punctuation.ts'
import { counted, holdText } from '../../../i18n/words.ts'
import { Section } from '../../../ui/section.tsx'
import { WhatsAppMessage } from '../../../ui/whatsapp-message.tsx'
import { IncompleteTexts } from './incomplete-texts.tsx'
import classes from './job-preview.module.css'
import { reachText } from './mention-all.tsx'
import type { Draft } from './new-job-values.ts'

/** The preview is asked for after this time without a change. */
const SETTLED_MS = 400

type Props = {
  draft: Draft
  /** The message as far as it is written, or the chosen one once it is read. */
  message: Pick<Message, 'textContent' | 'hasVariables' | 'imageUrl' | 'content'> | undefined
  texts: Omit<ComponentProps<typeof IncompleteTexts>, 'incomplete'>
}

/** A preview of the job while its form is filled in. Failures are shown in place, without a toast. */
export function JobPreview({ draft, message, texts }: Props) {
  const { t } = useTranslation()
  const [settled] = useDebouncedValue(draft, SETTLED_MS)
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['preview', settled],
    queryFn: ({ signal }) => call('POST /jobs/preview', { body: settled }, signal),
    enabled: isForSomebody(draft) && isForSomebody(settled),
    placeholderData: keepPreviousData,
    // No cache: drafts can be large, and each one is read only once.
    gcTime: 0,
    meta: { isQuiet: true },
  })
  return (
    <Section title={t('JOB.PREVIEW')}>
      {!isForSomebody(draft) ? (
        <Hint>{t('JOB.PREVIEW_EMPTY')}</Hint>
      ) : data ? (
        // The previous preview stays, dimmed, while the next one loads.
        <Box aria-busy={settled !== draft || isPlaceholderData} opacity={isPlaceholderData ? 0.6 : 1}>
          <PreviewFacts preview={data} hasInstance={Boolean(draft.instanceId)} />
          <Box mt="sm">
            <IncompleteTexts incomplete={data.incomplete} {...texts} />
          </Box>
        </Box>
      ) : isTooMany(error) ? (
        <Alert color="red" title={failureText(error)} />
      ) : (
        <Hint>{t(error ? 'JOB.PREVIEW_FAILED' : 'COMMON.LOADING')}</Hint>
      )}
      {message && (
        <Box mt="md">
          <WhatsAppMessage
            text={message.textContent}
            hasVariables={message.hasVariables}
            imageUrl={message.imageUrl}
            content={message.content}
            hint={t('MESSAGE.PREVIEW_EMPTY')}
          />
        </Box>
      )}
    </Section>
  )
}

const isForSomebody = (draft: Draft) => {
  const { groupIds = [], groupSetIds = [], phoneNumbers = '', listIds = [], contactIds = [] } = draft
  return draft.jobType === 'SendToUsers'
    ? phoneNumbers.trim() !== '' || listIds.length + contactIds.length > 0
    : groupIds.length + groupSetIds.length > 0
}

const isTooMany = (error: unknown) => error instanceof Failure && error.code === 'too_many_recipients'

const Hint = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

function PreviewFacts({ preview, hasInstance }: { preview: Preview; hasInstance: boolean }) {
  const { t } = useTranslation()
  const { recipients, duplicates, leftOut, withoutNumber, mentions, durationSeconds, endsAt } = preview
  return (
    <Stack gap="sm">
      <dl className={classes.facts}>
        <Fact name="JOB.COUNT_TOTAL">{formatNumber(recipients)}</Fact>
        {duplicates > 0 && <Fact name="JOB.PREVIEW_DUPLICATES">{formatNumber(duplicates)}</Fact>}
        {leftOut > 0 && <Fact name="JOB.PREVIEW_LEFT_OUT">{formatNumber(leftOut)}</Fact>}
        {withoutNumber > 0 && <Fact name="JOB.PREVIEW_WITHOUT_NUMBER">{formatNumber(withoutNumber)}</Fact>}
        {durationSeconds !== null && (
          <Fact name="JOB.PREVIEW_DURATION">
            {durationSeconds === 0
              ? t('JOB.PREVIEW_AT_ONCE')
              : t('JOB.ABOUT', { time: formatDuration(roughly(durationSeconds) * 1000) })}
          </Fact>
        )}
        {endsAt !== null && <Fact name="JOB.ENDS_AT">{formatDateTime(endsAt)}</Fact>}
      </dl>
      {mentions && mentions.members > 0 && <Text size="sm">{reachText(mentions, t)}</Text>}
      <Hint>{t(timeNote(durationSeconds, hasInstance))}</Hint>
      {preview.hold && (
        <Alert color="gray" icon={<IconClock size={18} aria-hidden />} role="note">
          {holdText(preview.hold)}
        </Alert>
      )}
      <Trouble
        color="red"
        some={preview.unreadable}
        nameOf={String}
        title="JOB.PREVIEW_UNREADABLE"
        hint="JOB.PREVIEW_REFUSED"
      />
      <Trouble
        color="red"
        some={preview.leftGroups}
        nameOf={groupName}
        title="JOB.PREVIEW_LEFT"
        hint="JOB.PREVIEW_REFUSED"
      />
      <Trouble
        color="red"
        some={preview.tooLong}
        nameOf={String}
        title="JOB.PREVIEW_TOO_LONG"
        hint="JOB.PREVIEW_REFUSED"
      />
      {preview.optedOut > 0 && (
        <Alert color="yellow" title={t('JOB.PREVIEW_OPTED_OUT', counted(preview.optedOut))}>
          {t('JOB.PREVIEW_OPTED_OUT_HINT')}
        </Alert>
      )}
      {preview.notOnWhatsapp > 0 && (
        <Alert color="yellow" title={t('JOB.PREVIEW_NOT_ON_WHATSAPP', counted(preview.notOnWhatsapp))}>
          {t('JOB.PREVIEW_NOT_ON_WHATSAPP_HINT')}
        </Alert>
      )}
      {mentions && (
        <Trouble
          color="yellow"
          some={mentions.mentionedBefore}
          nameOf={groupName}
          title="JOB.PREVIEW_MENTIONED"
          hint="JOB.PREVIEW_MENTIONED_HINT"
        />
      )}
      <Trouble
        color="yellow"
        some={preview.leftInSets}
        nameOf={groupName}
        title="JOB.PREVIEW_LEFT"
        hint="JOB.PREVIEW_LEFT_IN_SETS"
      />
      <Trouble
        color="orange"
        some={preview.closedGroups}
        nameOf={groupName}
        title="JOB.PREVIEW_CLOSED"
        hint="JOB.PREVIEW_CLOSED_HINT"
      />
    </Stack>
  )
}

/** Rounds durations from ten minutes on to whole minutes, because the estimate is not exact to the second. */
const roughly = (seconds: number) => (seconds < 600 ? seconds : Math.round(seconds / 60) * 60)

const groupName = ({ name }: { name: string }) => name

function timeNote(durationSeconds: number | null, hasInstance: boolean): string {
  if (durationSeconds !== null) return 'JOB.PREVIEW_NOTE'
  return hasInstance ? 'JOB.PREVIEW_NO_TIME' : 'JOB.PREVIEW_NO_ACCOUNT'
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <div>
      <dt>{t(name)}</dt>
      <dd>{children}</dd>
    </div>
  )
}

type TroubleProps<One> = {
  color: string
  some: { total: number; first: One[] }
  nameOf: (one: One) => string
  /** Translation keys: the number of cases, and what they mean. */
  title: string
  hint: string
}

function Trouble<One>({ color, some, nameOf, title, hint }: TroubleProps<One>) {
  const { t } = useTranslation()
  if (some.total === 0) return null
  const unnamed = some.total - some.first.length
  return (
    <Alert color={color} title={t(title, counted(some.total))}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {enumerated(some.first.map(nameOf))}
        {unnamed > 0 && ` ${t('COMMON.AND_MORE', { number: formatNumber(unnamed) })}`}
      </Text>
      <Text size="sm" mt={4}>
        {t(hint, counted(some.total))}
      </Text>
    </Alert>
  )
}
