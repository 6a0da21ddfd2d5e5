import type { Job } from '@sendroom/contract/jobs'
import { jobs } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../../api/use-action.ts'
import { NoteDialog } from '../../../forms/note-dialog.tsx'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { useRefusal } from './use-review.ts'

const steps = {
  askChanges: { name: 'POST /jobs/:id/ask-changes', words: 'ASK_CHANGES', done: 'JOB.CHANGES_ASKED' },
  override: { name: 'POST /jobs/:id/override-approval', words: 'OVERRIDE', done: 'JOB.OVERRIDDEN' },
} as const

export type StepWithWords = keyof typeof steps

type Props = {
  job: Job
  step: StepWithWords
  /** The words from before: the user may have closed the dialog to look at the job again. */
  words: string
  onClose: (words: string) => void
}

/** Asks for the words of a step: the changes that are wanted, or the reason of an override. */
export function ReviewDialog({ job, step, words, onClose }: Props) {
  const { t } = useTranslation()
  const { name, words: key, done } = steps[step]
  const send = useAction(name, { success: done, failure: 'JOB.REVIEW_FAILED' })
  const onError = useRefusal()
  // The user has read this version. A later one has to be read first.
  const [version] = useState(job.version)
  const { form, onSubmit } = useContractForm(jobs[step].body, {
    initialValues: { version, words },
    send: (body) => send.mutateAsync({ params: { id: job.id }, body }, { onError }),
    onSent: () => onClose(''),
    isGuarded: false,
  })
  return (
    <NoteDialog
      title={t(`JOB.${key}`)}
      text={t(`JOB.${key}_HINT`)}
      field={{
        ...form.getInputProps('words'),
        label: t(`JOB.${key}_WORDS`),
        description: t(`JOB.${key}_WORDS_HINT`),
        maxLength: limits.reviewWords,
        required: true,
      }}
      answer={t(`JOB.${key}`)}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onClose={() => onClose(form.values.words)}
    />
  )
}
