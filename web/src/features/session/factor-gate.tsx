import { Alert, Paper, Stack, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { FactorSetup } from './factor-setup.tsx'

/** Stands in place of every page for a user who has to set up a second factor first. */
export function FactorGate() {
  const { t } = useTranslation()
  return (
    <Stack maw={640}>
      <title>{`${t('FACTOR.SET_UP_TITLE')} · Sendroom`}</title>
      <Title order={1} size="h3">
        {t('FACTOR.SET_UP_TITLE')}
      </Title>
      <Alert>{t('FACTOR.GATE_HINT')}</Alert>
      <Paper withBorder p="lg">
        <FactorSetup onDone={() => {}} />
      </Paper>
    </Stack>
  )
}
