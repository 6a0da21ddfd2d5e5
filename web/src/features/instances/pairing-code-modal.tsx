import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import type { InstanceRow } from '@sendroom/contract/instances'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { reportFailure } from '../../api/failure.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ConnectedNotice, useIsConnected } from './connected-notice.tsx'

type Props = { instance: InstanceRow; onClose: () => void }

/** A code to type on the phone, instead of scanning. */
export function PairingCodeModal({ instance, onClose }: Props) {
  const { t } = useTranslation()
  const [phone, setPhone] = useState(instance.whatsAppNumber)
  const isConnected = useIsConnected(instance.id)
  // Not an action: nothing changes, and a code is shown instead of a toast.
  const ask = useMutation({
    mutationFn: () =>
      call('GET /instances/:id/connect-code', { params: { id: instance.id }, query: { phone } }),
    onError: (error) => reportFailure(error),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (phone.trim() === '') window.alert(t('ACCOUNT.PHONE_REQUIRED'))
    else ask.mutate()
  }
  return (
    <Dialog onClose={onClose} title={t('ACCOUNT.CODE_TITLE', { name: instance.name })}>
      {isConnected ? (
        <ConnectedNotice />
      ) : (
        <form onSubmit={submit} noValidate>
          <Stack>
            <TextInput
              label={t('ACCOUNT.PHONE')}
              placeholder={t('ACCOUNT.PHONE_PLACEHOLDER')}
              type="tel"
              maxLength={50}
              data-autofocus
              value={phone}
              onChange={(event) => setPhone(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button type="submit" loading={ask.isPending}>
                {t('ACCOUNT.GET_CODE')}
              </Button>
            </Group>
            {ask.data && (
              <Stack gap={4} align="center" role="status">
                <Text size="sm" c="dimmed">
                  {t('ACCOUNT.CODE_HINT')}
                </Text>
                <Code fz="xl" px="md" py="xs" fw={700}>
                  {ask.data.code}
                </Code>
              </Stack>
            )}
          </Stack>
        </form>
      )}
    </Dialog>
  )
}
