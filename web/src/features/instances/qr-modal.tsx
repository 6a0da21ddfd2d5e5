import { Button, Center, Image, Skeleton, Stack, Text } from '@mantine/core'
import type { InstanceRow } from '@sendroom/contract/instances'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { failureText } from '../../api/failure.ts'
import { useRead } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ConnectedNotice, useIsConnected } from './connected-notice.tsx'

const REFRESH_SECONDS = 30

type Props = { instance: InstanceRow; onClose: () => void }

/** The QR code, renewed every 30 seconds until the dialog closes or the account is connected. */
export function QrModal({ instance, onClose }: Props) {
  const { t } = useTranslation()
  const isConnected = useIsConnected(instance.id)
  return (
    <Dialog onClose={onClose} title={t('ACCOUNT.SCAN_TITLE', { name: instance.name })}>
      {isConnected ? <ConnectedNotice /> : <QrCode id={instance.id} />}
    </Dialog>
  )
}

function QrCode({ id }: { id: number }) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = useRead(
    'GET /instances/:id/qrcode-base64',
    { params: { id } },
    { gcTime: 0, meta: { isQuiet: true } },
  )
  const secondsLeft = useCountdown(REFRESH_SECONDS, refetch)
  return (
    <Stack align="center">
      <Text size="sm" c="dimmed" ta="center">
        {t('ACCOUNT.SCAN_HINT')}
      </Text>
      <Center w={264} h={264} bg="white" p="xs" style={{ borderRadius: 'var(--mantine-radius-md)' }}>
        {error && !isFetching ? (
          <Text size="sm" c="red.9" ta="center" role="alert">
            {failureText(error)}
          </Text>
        ) : data ? (
          <Image src={data.qr} alt={t('ACCOUNT.QR_ALT')} w={248} h={248} fit="contain" />
        ) : (
          <Skeleton w={248} h={248} />
        )}
      </Center>
      <Text size="sm" role="timer">
        {t('ACCOUNT.REFRESH_IN', { seconds: secondsLeft })}
      </Text>
      <Button variant="default" size="xs" loading={isFetching} onClick={() => refetch()}>
        {t('ACCOUNT.REFRESH_NOW')}
      </Button>
    </Stack>
  )
}

/** Counts down and begins again, calling `onZero` each time round. */
function useCountdown(seconds: number, onZero: () => void): number {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const timer = setTimeout(() => {
      if (left > 1) return setLeft(left - 1)
      onZero()
      setLeft(seconds)
    }, 1000)
    return () => clearTimeout(timer)
  }, [left, seconds, onZero])
  return left
}
