import { Button, Group, Stack, Text } from '@mantine/core'
import type { ContactSelection } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type InputOf } from '../../api/client.ts'
import { Failure, failureText, reportFailure } from '../../api/failure.ts'
import { SUCCESS_MS } from '../../api/use-action.ts'
import { formatNumber } from '../../format.ts'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { counted } from '../../i18n/words.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { addToast } from '../../ui/toasts.ts'
import { TypedNumbers } from './typed-numbers.tsx'

type Props = {
  /** Null for numbers that are typed or pasted. */
  contacts: { selection: ContactSelection; count: number } | null
  onClose: () => void
}

/** Asks for a check whether contacts or typed numbers are on WhatsApp, through an account of the user. */
export function NumberCheckDialog({ contacts, onClose }: Props) {
  const { t } = useTranslation()
  const [instanceId, setInstanceId] = useState(0)
  const [phoneNumbers, setPhoneNumbers] = useState('')
  const [isMissing, setMissing] = useState(false)
  const { isBusy, request } = useNumberChecks()
  const isEmpty = contacts === null && phoneNumbers.trim() === ''
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setMissing(true)
    if (isBusy || instanceId === 0 || isEmpty) return
    const order = contacts ? { contacts: contacts.selection } : { phoneNumbers }
    if (await request({ instanceId, ...order })) onClose()
  }
  return (
    <Dialog
      title={contacts ? t('NUMBER_CHECK.DIALOG_TITLE', counted(contacts.count)) : t('NUMBER_CHECK.LIST')}
      onClose={onClose}
    >
      <form noValidate onSubmit={submit}>
        <Stack pt={2}>
          <Text size="sm">
            {t(contacts ? 'NUMBER_CHECK.HINT' : 'NUMBER_CHECK.LIST_HINT', {
              day: formatNumber(limits.numberChecksPerDay),
              days: limits.numberCheckDays,
            })}
          </Text>
          {!contacts && (
            <TypedNumbers
              value={phoneNumbers}
              onChange={setPhoneNumbers}
              error={isMissing && isEmpty && t('NUMBER_CHECK.PHONE_REQUIRED')}
            />
          )}
          <InstanceSelect
            pageSize={limits.pageSizeMax}
            required
            value={instanceId}
            onChange={setInstanceId}
            error={isMissing && instanceId === 0 && t('NUMBER_CHECK.INSTANCE_MISSING')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('COMMON.CANCEL')}
            </Button>
            <BusyButton type="submit" isBusy={isBusy}>
              {t('NUMBER_CHECK.START')}
            </BusyButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

type Order = InputOf<'POST /number-checks'>['body']

/** `request` resolves to whether the numbers are queued. Before the calls of a trial are used up it asks. */
function useNumberChecks() {
  const queryClient = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  async function send(order: Order): Promise<boolean> {
    try {
      const { queued, known } = await call('POST /number-checks', { body: order })
      const words = i18next.t('NUMBER_CHECK.QUEUED', counted(queued))
      const more = known > 0 ? ` ${i18next.t('NUMBER_CHECK.KNOWN', counted(known))}` : ''
      addToast({ type: 'success', msg: words + more, timeout: SUCCESS_MS })
      await queryClient.invalidateQueries({ queryKey: ['number-checks'] })
      return true
    } catch (error) {
      if (!order.allowsMetered && error instanceof Failure && error.code === 'number_check_metered')
        return (await allowTrial(error)) && send({ ...order, allowsMetered: true })
      reportFailure(error)
      return false
    }
  }
  const request = async (order: Order) => {
    setBusy(true)
    return send(order).finally(() => setBusy(false))
  }
  return { isBusy, request }
}

const allowTrial = (error: Failure) =>
  confirm({
    title: i18next.t('NUMBER_CHECK.TRIAL'),
    message: failureText(error),
    confirmText: i18next.t('NUMBER_CHECK.START'),
  })
