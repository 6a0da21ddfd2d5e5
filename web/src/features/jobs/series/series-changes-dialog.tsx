import { limits } from '@sendroom/contract/limits'
import type { Series } from '@sendroom/contract/series'
import { AskSeriesChanges } from '@sendroom/contract/series-approval'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../../api/use-action.ts'
import { NoteDialog } from '../../../forms/note-dialog.tsx'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { useOnStale } from './use-on-stale.ts'

type Props = {
  series: Series
  /** The words from before: the user may have closed the dialog to look at the series again. */
  words: string
  onClose: (words: string) => void
}

/** Asks for the changes that somebody wants before they approve a series. */
export function SeriesChangesDialog({ series, words, onClose }: Props) {
  const { t } = useTranslation()
  const onError = useOnStale('SERIES.APPROVAL_STALE')
  const ask = useAction('POST /series/:id/ask-changes', {
    success: 'SERIES.CHANGES_ASKED',
    failure: 'SERIES.ACTION_FAILED',
  })
  // The user has read this version. A later one has to be read first.
  const [version] = useState(series.version)
  const { form, onSubmit } = useContractForm(AskSeriesChanges, {
    initialValues: { version, words },
    send: (body) => ask.mutateAsync({ params: { id: series.id }, body }, { onError }),
    onSent: () => onClose(''),
    isGuarded: false,
  })
  return (
    <NoteDialog
      title={t('JOB.ASK_CHANGES')}
      text={t('SERIES.ASK_CHANGES_HINT')}
      field={{
        ...form.getInputProps('words'),
        label: t('JOB.ASK_CHANGES_WORDS'),
        description: t('SERIES.ASK_CHANGES_WORDS_HINT'),
        maxLength: limits.reviewWords,
        required: true,
      }}
      answer={t('JOB.ASK_CHANGES')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onClose={() => onClose(form.values.words)}
    />
  )
}
