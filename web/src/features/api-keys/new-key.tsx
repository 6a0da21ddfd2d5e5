import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ShownOnce } from '../../ui/shown-once.tsx'

export function NewKey({ secret }: { secret: string }) {
  const { t } = useTranslation()
  return (
    <ShownOnce
      title={t('API_KEY.SECRET_TITLE')}
      hint={t('API_KEY.SECRET_HINT')}
      label={t('API_KEY.KEY')}
      secret={secret}
    >
      <Button renderRoot={(props) => <Link {...props} to="/api-keys" />}>{t('API_KEY.KEPT')}</Button>
    </ShownOnce>
  )
}
