import { Alert, Button, Code, Group, Image, Loader, Stack, Text, TextInput } from '@mantine/core'
import { FactorCode } from '@sendroom/contract/factor'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type OutputOf, readUserAgain } from '../../api/client.ts'
import { fieldTexts, reportFailure } from '../../api/failure.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'

type Begun = OutputOf<'POST /auth/factor'>
type Props = { onDone: () => void; onCancel?: () => void }

/** Sets up a second factor: the QR code, the first code, and then the recovery codes, which are shown once. */
export function FactorSetup({ onDone, onCancel }: Props) {
  const [begun, setBegun] = useState<Begun | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const [codes, setCodes] = useState<string[] | null>(null)
  const isAsked = useRef(false)
  const begin = () => {
    setHasFailed(false)
    call('POST /auth/factor', {}).then(setBegun, (error) => {
      reportFailure(error)
      setHasFailed(true)
      onCancel?.()
    })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, since each call makes another secret
  useEffect(() => {
    if (isAsked.current) return
    isAsked.current = true
    begin()
  }, [])
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (hasFailed) return <LoadFailed retry={begin} />
  return begun ? <FirstCode begun={begun} onCodes={setCodes} onCancel={onCancel} /> : <Loader />
}

type FirstCodeProps = { begun: Begun; onCodes: (codes: string[]) => void; onCancel: (() => void) | undefined }

function FirstCode({ begun: { qr, secret }, onCodes, onCancel }: FirstCodeProps) {
  const { t } = useTranslation()
  const { form, onSubmit } = useContractForm(FactorCode, {
    initialValues: { code: '' },
    isGuarded: false,
    send: async (body) => {
      try {
        onCodes((await call('POST /auth/factor/finish', { body })).recoveryCodes)
      } catch (error) {
        if (Object.keys(fieldTexts(error)).length === 0) reportFailure(error)
        throw error
      }
    },
    // The field says what is missing.
    onInvalid: () => {},
  })
  // Another tab may have set a factor up, or an Admin may no longer ask for one. This ends with the first code: a user
  // who leaves to save the recovery codes must find them here afterwards.
  useEffect(() => {
    if (form.submitting) return
    document.addEventListener('visibilitychange', readUserAgain)
    return () => document.removeEventListener('visibilitychange', readUserAgain)
  }, [form.submitting])
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <Text>{t('FACTOR.SCAN')}</Text>
        <Image
          src={qr}
          alt={t('FACTOR.QR_ALT')}
          w={232}
          h={232}
          p="xs"
          bg="white"
          fit="contain"
          radius="md"
          style={{ alignSelf: 'center' }}
        />
        <div>
          <Text size="sm" c="dimmed">
            {t('FACTOR.SECRET')}
          </Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{secret.replace(/.{4}(?=.)/g, '$& ')}</Code>
        </div>
        <TextInput
          label={t('FACTOR.CODE')}
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          data-autofocus
          {...form.getInputProps('code')}
        />
        <Group justify="flex-end">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {t('COMMON.CANCEL')}
            </Button>
          )}
          <BusyButton type="submit" isBusy={form.submitting}>
            {t('FACTOR.FINISH')}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  )
}

/** The codes for whoever loses the phone. Nobody can see them again. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const { t } = useTranslation()
  const done = () => {
    // The user has a factor from now on.
    readUserAgain()
    onDone()
  }
  return (
    <Stack>
      <Alert color="yellow">{t('FACTOR.CODES_HINT')}</Alert>
      <Stack component="ul" gap="xs" m={0} p={0} aria-label={t('FACTOR.CODES_TITLE')}>
        {codes.map((code) => (
          <Code key={code} component="li" style={{ display: 'block' }}>
            {code}
          </Code>
        ))}
      </Stack>
      <Group justify="flex-end">
        <CopyButton text={codes.join('\n')} />
        <Button onClick={done}>{t('FACTOR.CODES_KEPT')}</Button>
      </Group>
    </Stack>
  )
}
