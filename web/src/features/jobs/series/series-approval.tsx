import { Alert, Box, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { Series } from '@sendroom/contract/series'
import { ApproveSeries } from '@sendroom/contract/series-approval'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../../api/use-action.ts'
import { formatDateTime, formatNumber } from '../../../format.ts'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { counted } from '../../../i18n/words.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { lazyComponent } from '../../../ui/lazy-component.tsx'
import { Name } from '../../../ui/name.tsx'
import { Section } from '../../../ui/section.tsx'
import { WhatsAppMessage } from '../../../ui/whatsapp-message.tsx'
import { formatRun } from './calendar-names.ts'
import { useOnStale } from './use-on-stale.ts'

const SeriesChangesDialog = lazyComponent(
  async () => (await import('./series-changes-dialog.tsx')).SeriesChangesDialog,
)

type Approval = NonNullable<Series['approval']>

const Recipients = ApproveSeries.pick({ recipients: true })

/** Says whether a series on an account with approvals is approved. Whoever may approve it reads all of its messages. */
export function SeriesApproval({ series }: { series: Series }) {
  const { t } = useTranslation()
  const { approval } = series
  if (!approval || series.state === 'ended') return null
  const isWhole = approval.isApproved && approval.unapprovedRuns === 0
  return (
    <Section title={t('JOB.APPROVAL')}>
      <Stack>
        <Alert color={isWhole ? 'green' : 'yellow'} role="note">
          <State approval={approval} />
        </Alert>
        {approval.changesAsked && <Changes asked={approval.changesAsked} />}
        {approval.canApprove && !isWhole && (
          <>
            <ApproveForm series={series} approval={approval} />
            <AskChanges series={series} />
          </>
        )}
      </Stack>
    </Section>
  )
}

function State({ approval: { isApproved, unapprovedRuns, by, at, recipients } }: { approval: Approval }) {
  const { t } = useTranslation()
  if (by === null || at === null) return t('SERIES.NEEDS_APPROVAL')
  if (!isApproved) return t('SERIES.APPROVAL_VOIDED', { user: by })
  if (unapprovedRuns > 0) return t('SERIES.RUNS_NEED_APPROVAL', counted(unapprovedRuns))
  return t('SERIES.APPROVED_BY', {
    user: by,
    time: formatDateTime(at),
    number: formatNumber(recipients ?? 0),
  })
}

function Changes({ asked: { by, at, words } }: { asked: NonNullable<Approval['changesAsked']> }) {
  const { t } = useTranslation()
  return (
    <Alert
      color="orange"
      role="note"
      title={t('SERIES.CHANGES_ASKED_BY', { user: by, time: formatDateTime(at) })}
    >
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        <Name>{words}</Name>
      </Text>
    </Alert>
  )
}

function ApproveForm({ series, approval }: { series: Series; approval: Approval }) {
  const { t } = useTranslation()
  const approve = useAction('POST /series/:id/approve', {
    success: 'SERIES.APPROVED',
    failure: 'SERIES.ACTION_FAILED',
  })
  const onError = useOnStale('SERIES.APPROVAL_STALE')
  const { id, version } = series
  const { form, onSubmit } = useContractForm(Recipients, {
    initialValues: { recipients: series.frozenCount ?? approval.recipients ?? Number.NaN },
    send: (values) => approve.mutateAsync({ params: { id }, body: { ...values, version } }, { onError }),
    isGuarded: false,
  })
  const { recipients } = form.values
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <Messages series={series} />
        <TextInput
          label={t('SERIES.APPROVE_FOR')}
          description={t('SERIES.APPROVE_FOR_HINT')}
          type="number"
          inputMode="numeric"
          min={1}
          required
          maw="20rem"
          error={form.getInputProps('recipients').error}
          value={Number.isNaN(recipients) ? '' : recipients}
          onChange={(event) => form.setFieldValue('recipients', event.currentTarget.valueAsNumber)}
        />
        <Group>
          <BusyButton type="submit" isBusy={form.submitting}>
            {t('SERIES.APPROVE')}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  )
}

/** All that the series sends: its messages in turn, and those of single runs. */
function Messages({ series: { messages, changedRuns, jobType, rule } }: { series: Series }) {
  const { t } = useTranslation()
  const show = ({ textContent, imageUrl, content }: Series['messages'][number]) => (
    <WhatsAppMessage
      text={textContent}
      imageUrl={imageUrl}
      content={content}
      hasVariables={jobType === 'SendToUsers'}
    />
  )
  return (
    <Group align="start" wrap="wrap">
      {messages.map((message, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message may be there twice
        <Box key={`${place} ${message.id}`} maw="100%">
          {show(message)}
        </Box>
      ))}
      {changedRuns.map(({ id, dueAt, message }) => (
        <Box key={id} maw="100%">
          <Text size="sm" fw={500}>
            {t('SERIES.ONLY_RUN', { time: formatRun(dueAt, rule.timeZone) })}
          </Text>
          {message && show(message)}
        </Box>
      ))}
    </Group>
  )
}

/** Stands beside the form to approve: a dialog in that form would submit it, too. */
function AskChanges({ series }: { series: Series }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const [words, setWords] = useState('')
  return (
    <>
      <Group>
        <Button variant="default" onClick={() => setIsOpen(true)}>
          {t('JOB.ASK_CHANGES')}
        </Button>
      </Group>
      {isOpen && (
        <SeriesChangesDialog
          series={series}
          words={words}
          onClose={(left) => {
            setWords(left)
            setIsOpen(false)
          }}
        />
      )}
    </>
  )
}
