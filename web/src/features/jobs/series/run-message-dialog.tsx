import { limits } from '@sendroom/contract/limits'
import type { Series } from '@sendroom/contract/series'
import { RunMessage, type SeriesRun } from '@sendroom/contract/series-runs'
import type { Named } from '@sendroom/contract/values'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { useAction } from '../../../api/use-action.ts'
import { truncate } from '../../../format.ts'
import { FieldDialog } from '../../../forms/field-dialog.tsx'
import { NamedSelect } from '../../../forms/named-select.tsx'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { sentences } from '../../../i18n/words.ts'
import { useMessages } from '../form/job-choices.ts'
import { formatRun } from './calendar-names.ts'
import { useOnStale } from './use-on-stale.ts'

type Props = { series: Series; run: SeriesRun; onClose: () => void }

/** The option for no message of its own. */
const IN_TURN = -1

const idOf = (chosen: number) => (chosen === IN_TURN ? null : chosen)

const Chosen = z.preprocess(
  ({ messageId }: { messageId: number }) => ({ messageId: idOf(messageId) }),
  RunMessage.pick({ messageId: true }),
)

/** Gives a single run another message, or takes it away again. */
export function RunMessageDialog({ series, run, onClose }: Props) {
  const { t } = useTranslation()
  const messages = useMessages()
  const options = useMemo(
    () =>
      messages.options && [
        { id: IN_TURN, name: t('SERIES.RUN_MESSAGE_IN_TURN') },
        ...withOwn(messages.options, run),
      ],
    [messages.options, run, t],
  )
  const onError = useOnStale('SERIES.CHANGED_MEANWHILE')
  const save = useAction('POST /series/:id/runs/:runId/message', {
    success: 'SERIES.RUN_MESSAGE_SAVED',
    failure: 'SERIES.ACTION_FAILED',
  })
  const { id, version, approval } = series
  const { form, onSubmit } = useContractForm(Chosen, {
    initialValues: { messageId: run.message?.id ?? IN_TURN },
    send: ({ messageId }) =>
      save.mutateAsync(
        { params: { id, runId: run.id }, body: { messageId: idOf(messageId), version } },
        { onError },
      ),
    onSent: onClose,
    isGuarded: false,
  })
  const time = formatRun(run.dueAt, series.rule.timeZone)
  const hint = t('SERIES.RUN_MESSAGE_HINT', { time })
  return (
    <FieldDialog
      title={t('SERIES.RUN_MESSAGE')}
      text={sentences([hint, approval && t('SERIES.RUN_MESSAGE_APPROVAL')])}
      answer={t('COMMON.SAVE')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <NamedSelect
        label={t('JOB.MESSAGE')}
        choices={{ ...messages, options }}
        value={form.values.messageId}
        onChange={(messageId) => form.setFieldValue('messageId', messageId)}
        error={form.getInputProps('messageId').error}
        data-autofocus
      />
    </FieldDialog>
  )
}

/** The messages, with that of the run, which the user may not see otherwise. */
const withOwn = (messages: Named[], { message }: SeriesRun): Named[] =>
  message && !messages.some(({ id }) => id === message.id)
    ? [
        { id: message.id, name: `#${message.id} ${truncate(message.textContent, limits.titleLength)}` },
        ...messages,
      ]
    : messages
