import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Marks a channel of WhatsApp among groups. */
export function ChannelBadge() {
  const { t } = useTranslation()
  return (
    <Badge size="sm" variant="light" component="span">
      {t('GROUP.CHANNEL')}
    </Badge>
  )
}
