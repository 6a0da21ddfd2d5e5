import { Center, Image, Skeleton, Stack, Text } from '@mantine/core'
import type { InstanceRow } from '@sendroom/contract/instances'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure, failureText } from '../../api/failure.ts'
import { useRead } from '../../api/queries.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { useNow } from '../../ui/use-now.ts'
import { LinkDialog } from './link-dialog.tsx'
import { isAlreadyConnected } from './use-link.ts'

const REFRESH_MS = 30_000
/** The delay while the provider is still creating the first code. */
const SOON_MS = 5000
const refreshDelay = (error: unknown) =>
  error instanceof Failure && error.code === 'qr_not_ready' ? SOON_MS : REFRESH_MS

type Props = { instance: InstanceRow; onClose: () => void }

/** Links an instance with a QR code, which is renewed every 30 seconds until the dialog closes or the link is made. */
export function QrModal({ instance, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <LinkDialog
      instance={instance}
      title={t('ACCOUNT.SCAN_TITLE', { name: instance.name })}
      onClose={onClose}
    >
      {(onConnected) => <QrCode instance={instance} onConnected={onConnected} />}
    </LinkDialog>
  )
}

function QrCode({ instance, onConnected }: { instance: InstanceRow; onConnected: () => void }) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch, dataUpdatedAt, errorUpdatedAt } = useRead(
    'GET /instances/:id/qrcode-base64',
    { params: { id: instance.id } },
    // Each code costs a call to the provider. TanStack Query pauses the interval in hidden tabs.
    { gcTime: 0, refetchInterval: ({ state }) => refreshDelay(state.error), meta: { isQuiet: true } },
  )
  useEffect(() => {
    if (isAlreadyConnected(error)) onConnected()
  }, [error, onConnected])
  const hasFailed = error !== null && !isFetching
  return (
    <Stack align="center">
      <Text size="sm" c="dimmed" ta="center">
        {t(instance.isTest ? 'ACCOUNT.SCAN_HINT_TEST' : 'ACCOUNT.SCAN_HINT')}
      </Text>
      {hasFailed ? (
        <Center mih={264} maw={320}>
          <Text c="var(--mantine-color-error)" ta="center" role="alert">
            {failureText(error)}
          </Text>
        </Center>
      ) : (
        <Center w={264} h={264} bg="white" p="xs" style={{ borderRadius: 'var(--mantine-radius-md)' }}>
          {data && !error ? (
            <Image src={data.qr} alt={t('ACCOUNT.QR_ALT')} w={248} h={248} fit="contain" />
          ) : (
            <Skeleton w={248} h={248} aria-label={t('COMMON.LOADING')} />
          )}
        </Center>
      )}
      <Countdown
        endsAt={Math.max(dataUpdatedAt, errorUpdatedAt) + refreshDelay(error)}
        words={hasFailed ? 'ACCOUNT.RETRY_IN' : 'ACCOUNT.REFRESH_IN'}
        isHidden={isFetching}
      />
      <BusyButton variant="default" size="xs" isBusy={isFetching} onClick={() => refetch()}>
        {t(hasFailed ? 'COMMON.RETRY' : 'ACCOUNT.REFRESH_NOW')}
      </BusyButton>
    </Stack>
  )
}

type CountdownProps = { endsAt: number; words: string; isHidden: boolean }

/** Counts down to `endsAt`. Keeps its space while it is hidden. */
function Countdown({ endsAt, words, isHidden }: CountdownProps) {
  const { t } = useTranslation()
  const now = useNow()
  const seconds = Math.min(REFRESH_MS / 1000, Math.max(0, Math.ceil((endsAt - now) / 1000)))
  return (
    <Text size="sm" role="timer" mih="1.55em">
      {!isHidden && t(words, { seconds })}
    </Text>
  )
}
