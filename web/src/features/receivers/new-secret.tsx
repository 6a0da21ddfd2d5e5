import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ShownOnce } from '../../ui/shown-once.tsx'

/** The secret of a new receiver. */
export function NewSecret({ id, secret }: { id: number; secret: string }) {
  const { t } = useTranslation()
  return (
    <ShownOnce
      title={t('RECEIVER.SECRET_TITLE')}
      hint={t('RECEIVER.SECRET_HINT')}
      label={t('RECEIVER.SECRET')}
      secret={secret}
    >
      <Button
        renderRoot={(props) => <Link {...props} to="/settings/webhooks/$id" params={{ id: String(id) }} />}
      >
        {t('RECEIVER.SECRET_KEPT')}
      </Button>
    </ShownOnce>
  )
}
