import { Paper, Title } from '@mantine/core'
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { WhatsAppMessage } from '../../ui/whatsapp-message.tsx'

type Props = { text: string; imageUrl: string | null }

/** The message as WhatsApp shows it, while it is written. */
export function MessagePreview({ text, imageUrl }: Props) {
  const { t } = useTranslation()
  // A long text is read anew with each key: the typing goes first.
  const shown = useDeferredValue(text)
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="message-preview">
      <Title order={2} size="h5" id="message-preview" mb="sm">
        {t('MESSAGE.PREVIEW')}
      </Title>
      <WhatsAppMessage text={shown} imageUrl={imageUrl} hint={t('MESSAGE.PREVIEW_EMPTY')} />
    </Paper>
  )
}
