import { Alert, Button, FileButton, Group, Text, Textarea, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { type Added, NewOptOuts } from '@sendroom/contract/opt-outs'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { formatNumber } from '../../format.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { useFileDrop } from '../../forms/use-file-drop.ts'
import { enumerated, labelled } from '../../i18n/punctuation.ts'
import { counted } from '../../i18n/words.ts'
import { giveFocus } from '../../ui/focus.ts'
import { addToast } from '../../ui/toasts.ts'

/** A list of 100,000 numbers takes less. */
const MAX_FILE_BYTES = 4_000_000

/** Enters opt-outs by hand: one number, or a whole list from a file. */
export function OptOutFormPage() {
  const [results, setResults] = useState<Added[]>([])
  const onAdded = (added: Added) => {
    setResults([...results, added])
    // The form with the focus is replaced by an empty one.
    setTimeout(() => giveFocus())
  }
  return <OptOutForm key={results.length} last={results.at(-1)} onAdded={onAdded} />
}

type Props = { last: Added | undefined; onAdded: (added: Added) => void }

function OptOutForm({ last, onAdded }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const added = useRef<Added>(undefined)
  const create = useAction('POST /opt-outs', { failure: 'OPT_OUT.SAVE_FAILED' }, [
    'contacts',
    'possible-opt-outs',
  ])
  const toList = () => navigate({ to: '/opt-outs' })
  const { form, onSubmit, change } = useContractForm(NewOptOuts, {
    initialValues: { phoneNumbers: '', note: '' },
    send: async (body) => {
      added.current = await create.mutateAsync({ body })
    },
    onSent: () => added.current && onAdded(added.current),
  })
  const takeFile = async (file: File | null) => {
    if (!file) return
    if (file.size > MAX_FILE_BYTES) return addToast({ type: 'error', msg: t('OPT_OUT.FILE_INVALID') })
    const numbers = await file.text()
    // A workbook, or another file that is no text.
    if (numbers.includes('\0')) return addToast({ type: 'error', msg: t('OPT_OUT.FILE_INVALID') })
    const typed = form.getValues().phoneNumbers.trim()
    change({ phoneNumbers: typed ? `${typed}\n${numbers}` : numbers })
  }
  useFileDrop(takeFile)
  return (
    <FormPage
      title={t('OPT_OUT.ADD')}
      submitText={t('OPT_OUT.OPT_OUT')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onCancel={toList}
    >
      <Text size="sm" c="dimmed">
        {t('OPT_OUT.ADD_HINT')}
      </Text>
      <Textarea
        label={t('OPT_OUT.NUMBERS')}
        description={t('OPT_OUT.NUMBERS_HINT')}
        required
        autosize
        minRows={4}
        maxRows={12}
        autoComplete="off"
        {...form.getInputProps('phoneNumbers')}
      />
      <Group>
        <FileButton accept=".csv,.txt,.tsv,text/csv,text/plain" onChange={takeFile}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {t('OPT_OUT.CHOOSE_FILE')}
            </Button>
          )}
        </FileButton>
      </Group>
      <TextInput
        label={t('OPT_OUT.NOTE')}
        description={t('OPT_OUT.NOTE_HINT')}
        autoComplete="off"
        maxLength={limits.optOutNote}
        {...form.getInputProps('note')}
      />
      {last && <Result added={last} />}
    </FormPage>
  )
}

/** The outcome of a list. Entries that are no numbers are named, so that they can be corrected. */
function Result({ added: { added, known, duplicates, unreadable } }: { added: Added }) {
  const { t } = useTranslation()
  const unnamed = unreadable.total - unreadable.first.length
  return (
    <Alert
      color={unreadable.total > 0 ? 'orange' : 'green'}
      role="status"
      title={t('OPT_OUT.ADDED', counted(added))}
    >
      {known > 0 && <Text size="sm">{t('OPT_OUT.ADDED_KNOWN', counted(known))}</Text>}
      {duplicates > 0 && <Text size="sm">{t('OPT_OUT.ADDED_DUPLICATES', counted(duplicates))}</Text>}
      {unreadable.total > 0 && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {labelled(t('OPT_OUT.ADDED_UNREADABLE', counted(unreadable.total)), enumerated(unreadable.first))}
          {unnamed > 0 && ` ${t('COMMON.AND_MORE', { number: formatNumber(unnamed) })}`}
        </Text>
      )}
    </Alert>
  )
}
