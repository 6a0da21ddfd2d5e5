import { Divider, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCurrentUser } from '../../api/session.ts'
import { Sessions } from '../../lists/sessions.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { FactorSection } from './factor-section.tsx'

/** How the user signs in, and where they are signed in. */
export function SecurityPage() {
  const { t } = useTranslation()
  const user = useCurrentUser()
  return (
    <Stack>
      <PageTitle>{t('SECURITY.TITLE')}</PageTitle>
      <FactorSection />
      <Divider />
      {user && <Sessions userId={user.id} />}
    </Stack>
  )
}
