import { Code, Group, Stack, Text, TextInput } from '@mantine/core'
import type { InstanceRow } from '@sendroom/contract/instances'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { fieldTexts, reportFailure } from '../../api/failure.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { isAlreadyConnected } from './use-link.ts'

/** WhatsApp does not document how many minutes a code is valid. After this time the dialog asks for a new one. */
const CODE_MS = 150_000

type Props = { instance: InstanceRow; onClose: () => void }

/** Links an instance with a code that the user types on the phone, instead of scanning a QR code. */
export function PairingCodeModal({ instance, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <LinkDialog
      instance={instance}
      title={t('ACCOUNT.CODE_TITLE', { name: instance.name })}
      onClose={onClose}
    >
      {(onConnected) => <PairingCode instance={instance} onConnected={onConnected} />}
    </LinkDialog>
  )
}

type CodeProps = { instance: InstanceRow; onConnected: () => void }

function PairingCode({ instance, onConnected }: CodeProps) {
  const { t } = useTranslation()
  const [phone, setPhone] = useState(instance.whatsAppNumber)
  // A plain mutation instead of `useAction`: it changes nothing, and success shows a code instead of a toast.
  const ask = useMutation({
    mutationFn: () =>
      call('GET /instances/:id/connect-code', { params: { id: instance.id }, query: { phone } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (phone.trim() === '') window.alert(t('ACCOUNT.PHONE_REQUIRED'))
    // Callbacks of `mutate` run only while the component is mounted.
    else
      ask.mutate(undefined, {
        onError: (error) => (isAlreadyConnected(error) ? onConnected() : reportFailure(error)),
      })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('ACCOUNT.PHONE')}
          placeholder={t('ACCOUNT.PHONE_PLACEHOLDER')}
          type="tel"
          maxLength={50}
          data-autofocus
          error={fieldTexts(ask.error).phone}
          value={phone}
          onChange={(event) => setPhone(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <BusyButton type="submit" isBusy={ask.isPending}>
            {t('ACCOUNT.GET_CODE')}
          </BusyButton>
        </Group>
        {ask.data && <ShownCode key={ask.submittedAt} code={ask.data.code} isTest={instance.isTest} />}
      </Stack>
    </form>
  )
}

function ShownCode({ code, isTest }: { code: string; isTest: boolean }) {
  const { t } = useTranslation()
  const [isOld, setOld] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOld(true), CODE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack gap={4} align="center" role="status">
      <Text size="sm" c="dimmed" ta="center">
        {t(isOld ? 'ACCOUNT.CODE_OLD' : isTest ? 'ACCOUNT.CODE_HINT_TEST' : 'ACCOUNT.CODE_HINT')}
      </Text>
      {!isOld && (
        <Code fz="xl" px="md" py="xs" fw={700}>
          {code}
        </Code>
      )}
    </Stack>
  )
}
