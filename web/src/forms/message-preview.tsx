import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import type { MessageContent } from '@sendroom/contract/message-content'
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { enumerated } from '../i18n/punctuation.ts'
import { Section } from '../ui/section.tsx'
import { WhatsAppMessage } from '../ui/whatsapp-message.tsx'
import type { ContactPreview } from './use-text-preview.ts'

type Props = {
  text: string
  imageUrl: string | null
  content: MessageContent | null
  /** The text for a contact, if it has variables. */
  forContact: ContactPreview | null
}

/** A preview of the message as WhatsApp shows it: for a contact, or with marks in the places of its variables. */
export function MessagePreview({ text, imageUrl, content, forContact }: Props) {
  const { t } = useTranslation()
  // Deferred: a long text is parsed on each keystroke and must not slow down the typing.
  const typed = useDeferredValue(text)
  const shown = forContact?.shown
  const isComplete = shown !== undefined && shown.contact !== null && shown.missing.length === 0
  return (
    <Section title={t('MESSAGE.PREVIEW')}>
      <Stack gap="sm">
        <WhatsAppMessage
          text={isComplete ? shown.text : typed}
          hasVariables={!isComplete}
          imageUrl={imageUrl}
          content={content}
          hint={t('MESSAGE.PREVIEW_EMPTY')}
        />
        {forContact && <PreviewedContact {...forContact} />}
      </Stack>
    </Section>
  )
}

function PreviewedContact({ shown, isPoll, isLoading, onlyProblems, showNext }: ContactPreview) {
  const { t } = useTranslation()
  const contact = shown?.contact && (shown.contact.name || shown.contact.phoneNumber)
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {contact && t('MESSAGE.PREVIEW_FOR', { contact })}
        {shown?.contact === null &&
          t(onlyProblems ? 'MESSAGE.PREVIEW_NO_PROBLEM' : 'MESSAGE.PREVIEW_NO_MORE')}
      </Text>
      {shown && shown.missing.length > 0 && (
        <Alert color="yellow">
          {t('MESSAGE.PREVIEW_MISSING', {
            contact,
            variables: enumerated(shown.missing.map((key) => `{{${key}}}`)),
          })}
        </Alert>
      )}
      {shown?.isTooLong && (
        <Alert color="yellow">
          {t('MESSAGE.PREVIEW_TOO_LONG', { contact, ...(isPoll && { messageText: limits.pollQuestion }) })}
        </Alert>
      )}
      <Group gap="xs">
        <Button size="compact-sm" variant="default" disabled={isLoading} onClick={() => showNext(false)}>
          {t('MESSAGE.PREVIEW_NEXT')}
        </Button>
        <Button size="compact-sm" variant="default" disabled={isLoading} onClick={() => showNext(true)}>
          {t('MESSAGE.PREVIEW_NEXT_PROBLEM')}
        </Button>
      </Group>
    </Stack>
  )
}
