import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../ui/section.tsx'
import { WhatsAppMessage } from '../ui/whatsapp-message.tsx'

type Props = { text: string; imageUrl: string | null }

/** A preview of the message as WhatsApp shows it. */
export function MessagePreview({ text, imageUrl }: Props) {
  const { t } = useTranslation()
  // Deferred: a long text is parsed on each keystroke and must not slow down the typing.
  const shown = useDeferredValue(text)
  return (
    <Section title={t('MESSAGE.PREVIEW')}>
      <WhatsAppMessage text={shown} imageUrl={imageUrl} hint={t('MESSAGE.PREVIEW_EMPTY')} />
    </Section>
  )
}
