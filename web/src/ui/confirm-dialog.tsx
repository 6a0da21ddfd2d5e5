import { Button, Checkbox, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useQuestion } from './confirm.ts'
import { Dialog } from './dialog.tsx'

type Asked = NonNullable<ReturnType<typeof useQuestion>>

/** Shows the questions of `confirm()`. The app renders it once. */
export function ConfirmDialog() {
  const question = useQuestion()
  return question && <Question question={question} />
}

function Question({ question }: { question: Asked }) {
  const { t } = useTranslation()
  const [isOptionChosen, setOptionChosen] = useState(false)
  const { title, message, confirmText, cancelText, confirmColor, option, answer } = question
  const cancel = () => answer({ isConfirmed: false, isOptionChosen: false })
  return (
    <Dialog onClose={cancel} title={title ?? t('CONFIRM.TITLE')}>
      <Text style={{ whiteSpace: 'pre-line' }}>{message ?? t('CONFIRM.MESSAGE')}</Text>
      {option && (
        <Checkbox
          mt="md"
          label={option.label}
          description={option.hint}
          checked={isOptionChosen}
          onChange={(event) => setOptionChosen(event.currentTarget.checked)}
        />
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={cancel}>
          {cancelText ?? t('CONFIRM.CANCEL')}
        </Button>
        <Button
          color={confirmColor}
          disabled={option?.isRequired === true && !isOptionChosen}
          onClick={() => answer({ isConfirmed: true, isOptionChosen })}
          data-autofocus
        >
          {confirmText ?? t('CONFIRM.CONFIRM')}
        </Button>
      </Group>
    </Dialog>
  )
}
