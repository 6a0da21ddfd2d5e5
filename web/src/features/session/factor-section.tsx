import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { readUserAgain } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { formatDateTime, formatNumber } from '../../format.ts'
import { confirm } from '../../ui/confirm.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { FactorSetup, RecoveryCodes } from './factor-setup.tsx'

/** The user's second factor, with what can be done about it. */
export function FactorSection() {
  const { t } = useTranslation()
  const { data, isError, refetch } = useRead('GET /auth/factor', {})
  const [isSettingUp, setIsSettingUp] = useState(false)
  const [codes, setCodes] = useState<string[] | null>(null)
  const newCodes = useAction('POST /auth/factor/recovery-codes', {})
  const remove = useAction('DELETE /auth/factor', { success: 'TOAST.FACTOR_OFF' })
  if (!data) return isError ? <LoadFailed retry={refetch} /> : <Loading />
  const { hasFactor, isRequired, since, recoveryCodesLeft } = data
  const done = () => {
    setIsSettingUp(false)
    setCodes(null)
    refetch()
  }
  const askAndRemove = async () => {
    const question = {
      title: t('FACTOR.TITLE'),
      message: t('FACTOR.CONFIRM_REMOVE'),
      confirmText: t('FACTOR.REMOVE'),
      confirmColor: 'red',
    }
    if (await confirm(question)) remove.mutate({}, { onSuccess: readUserAgain })
  }
  const due =
    since === null ? t('FACTOR.REQUIRED') : t('FACTOR.REQUIRED_FROM', { time: formatDateTime(since) })
  return (
    <Stack component="section" gap="sm" align="flex-start">
      <Group gap="xs">
        <Title order={2} size="h4">
          {t('FACTOR.TITLE')}
        </Title>
        <Badge variant="light" color={hasFactor ? 'green' : 'gray'}>
          {t(hasFactor ? 'FACTOR.ON' : 'FACTOR.OFF')}
        </Badge>
      </Group>
      <Text size="sm">{t('FACTOR.HINT')}</Text>
      {isRequired && <Text size="sm">{due}</Text>}
      {hasFactor && (
        <Text size="sm">{t('FACTOR.CODES_LEFT', { number: formatNumber(recoveryCodesLeft) })}</Text>
      )}
      <Group>
        <Button variant={hasFactor ? 'default' : 'filled'} onClick={() => setIsSettingUp(true)}>
          {t(hasFactor ? 'FACTOR.REPLACE' : 'FACTOR.SET_UP')}
        </Button>
        {hasFactor && (
          <Button
            variant="default"
            loading={newCodes.isPending}
            onClick={() => newCodes.mutate({}, { onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes) })}
          >
            {t('FACTOR.NEW_CODES')}
          </Button>
        )}
        {hasFactor && !isRequired && (
          <Button variant="default" loading={remove.isPending} onClick={askAndRemove}>
            {t('FACTOR.REMOVE')}
          </Button>
        )}
      </Group>
      {isSettingUp && (
        <Dialog title={t('FACTOR.SET_UP_TITLE')} onClose={done}>
          <FactorSetup onDone={done} onCancel={done} />
        </Dialog>
      )}
      {codes && (
        <Dialog title={t('FACTOR.CODES_TITLE')} onClose={done}>
          <RecoveryCodes codes={codes} onDone={done} />
        </Dialog>
      )}
    </Stack>
  )
}
