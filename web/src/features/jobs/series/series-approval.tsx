import { Alert, Group, Stack, TextInput } from '@mantine/core'
import type { Series } from '@sendroom/contract/series'
import { ApproveSeries } from '@sendroom/contract/series-approval'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../../api/failure.ts'
import { useAction } from '../../../api/use-action.ts'
import { formatDateTime, formatNumber } from '../../../format.ts'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { Section } from '../../../ui/section.tsx'
import { addToast } from '../../../ui/toasts.ts'
import { WhatsAppMessage } from '../../../ui/whatsapp-message.tsx'

type Approval = NonNullable<Series['approval']>

const Recipients = ApproveSeries.pick({ recipients: true })

/** Says whether a series on an account with approvals is approved. Whoever may approve it reads all of its messages. */
export function SeriesApproval({ series }: { series: Series }) {
  const { t } = useTranslation()
  const { approval } = series
  if (!approval || series.state === 'ended') return null
  return (
    <Section title={t('JOB.APPROVAL')}>
      <Stack>
        <Alert color={approval.isApproved ? 'green' : 'yellow'} role="note">
          <State approval={approval} />
        </Alert>
        {approval.canApprove && !approval.isApproved && <ApproveForm series={series} approval={approval} />}
      </Stack>
    </Section>
  )
}

function State({ approval: { isApproved, by, at, recipients } }: { approval: Approval }) {
  const { t } = useTranslation()
  if (by === null || at === null) return t('SERIES.NEEDS_APPROVAL')
  if (!isApproved) return t('SERIES.APPROVAL_VOIDED', { user: by })
  return t('SERIES.APPROVED_BY', {
    user: by,
    time: formatDateTime(at),
    number: formatNumber(recipients ?? 0),
  })
}

function ApproveForm({ series, approval }: { series: Series; approval: Approval }) {
  const { t } = useTranslation()
  const approve = useAction('POST /series/:id/approve', {
    success: 'SERIES.APPROVED',
    failure: 'SERIES.ACTION_FAILED',
  })
  const client = useQueryClient()
  const onError = (error: unknown) => {
    if (error instanceof Failure && error.code === 'stale_version')
      addToast({ type: 'error', msg: t('SERIES.APPROVAL_STALE') })
    return client.invalidateQueries({ queryKey: ['series'] })
  }
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
        <Group align="start" wrap="wrap">
          {series.messages.map(({ id, textContent, imageUrl }, place) => (
            <WhatsAppMessage
              // biome-ignore lint/suspicious/noArrayIndexKey: a message may be there twice
              key={`${place} ${id}`}
              text={textContent}
              imageUrl={imageUrl}
              hasVariables={series.jobType === 'SendToUsers'}
            />
          ))}
        </Group>
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
