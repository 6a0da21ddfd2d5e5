import { Button, Group, Stack, Text } from '@mantine/core'
import type { ContactSelection } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { Failure, failureText, reportFailure } from '../../api/failure.ts'
import { SUCCESS_MS } from '../../api/use-action.ts'
import { formatNumber } from '../../format.ts'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { counted } from '../../i18n/words.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { addToast } from '../../ui/toasts.ts'

type Props = { contacts: ContactSelection; count: number; onClose: () => void }

/** Asks for a check whether the chosen contacts are on WhatsApp, through an account of the user. */
export function NumberCheckDialog({ contacts, count, onClose }: Props) {
  const { t } = useTranslation()
  const [instanceId, setInstanceId] = useState(0)
  const [isMissing, setMissing] = useState(false)
  const { isBusy, request } = useNumberChecks()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setMissing(instanceId === 0)
    if (isBusy || instanceId === 0) return
    if (await request({ instanceId, contacts })) onClose()
  }
  return (
    <Dialog title={t('NUMBER_CHECK.DIALOG_TITLE', counted(count))} onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <Stack pt={2}>
          <Text size="sm">
            {t('NUMBER_CHECK.HINT', {
              day: formatNumber(limits.numberChecksPerDay),
              days: limits.numberCheckDays,
            })}
          </Text>
          <InstanceSelect
            pageSize={limits.pageSizeMax}
            required
            value={instanceId}
            onChange={(id) => {
              setInstanceId(id)
              setMissing(false)
            }}
            error={isMissing && t('NUMBER_CHECK.INSTANCE_MISSING')}
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

type Order = { instanceId: number; contacts: ContactSelection; allowsMetered?: boolean }

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
