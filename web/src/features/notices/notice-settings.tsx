import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { type NoticeChannel, type NoticeKind, noticeChannels } from '@sendroom/contract/notice-kinds'
import type { NoticeSettings as Settings } from '@sendroom/contract/notices'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { labelled } from '../../i18n/punctuation.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import classes from './notice-settings.module.css'

/** A dialog in which users choose the troubles they are told of, and how. */
export function NoticeSettings({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { data, isError, refetch } = useRead(
    'GET /notices/settings',
    {},
    { gcTime: 0, meta: { isQuiet: true } },
  )
  return (
    <Dialog title={t('NOTICE.SETTINGS')} size="lg" onClose={onClose}>
      {data ? (
        <SettingsForm settings={data} onClose={onClose} />
      ) : isError ? (
        <LoadFailed retry={refetch} />
      ) : (
        <Loading />
      )}
    </Dialog>
  )
}

function SettingsForm({ settings, onClose }: { settings: Settings; onClose: () => void }) {
  const { t } = useTranslation()
  const [choices, setChoices] = useState(settings.choices)
  const save = useAction('PUT /notices/settings', { success: 'NOTICE.SAVED', failure: 'NOTICE.SAVE_FAILED' })
  const channels = noticeChannels.filter((channel) => channel === 'bell' || settings.email !== null)

  const toggle = (kind: NoticeKind, channel: NoticeChannel) =>
    setChoices(
      choices.map((choice) =>
        choice.kind === kind ? { ...choice, channels: toggled(choice.channels, channel) } : choice,
      ),
    )

  return (
    <Stack>
      <Text size="sm">{t('NOTICE.SETTINGS_HINT')}</Text>
      <Text size="sm">{t('NOTICE.ALWAYS')}</Text>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('NOTICE.KIND')}</th>
            {channels.map((channel) => (
              <th key={channel} scope="col">
                {t(`NOTICE.CHANNEL.${channel}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {choices.map((choice) => (
            <tr key={choice.kind}>
              <th scope="row">{t(`NOTICE.BEGIN.${choice.kind}`)}</th>
              {channels.map((channel) => (
                <td key={channel}>
                  <Checkbox
                    aria-label={labelled(t(`NOTICE.BEGIN.${choice.kind}`), t(`NOTICE.CHANNEL.${channel}`))}
                    checked={choice.channels.includes(channel)}
                    onChange={() => toggle(choice.kind, channel)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {settings.email === null ? (
        <Text size="sm" c="dimmed">
          {t('NOTICE.NO_EMAIL')}
        </Text>
      ) : (
        <TestEmail email={settings.email} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('COMMON.CANCEL')}
        </Button>
        <BusyButton
          isBusy={save.isPending}
          onClick={() => save.mutate({ body: { choices } }, { onSuccess: onClose })}
        >
          {t('COMMON.SAVE')}
        </BusyButton>
      </Group>
    </Stack>
  )
}

const toggled = (channels: NoticeChannel[], channel: NoticeChannel) =>
  channels.includes(channel) ? channels.filter((other) => other !== channel) : [...channels, channel]

function TestEmail({ email }: { email: string }) {
  const { t } = useTranslation()
  const test = useAction('POST /notices/test-email', {
    success: 'NOTICE.TEST_SENT',
    failure: 'NOTICE.TEST_FAILED',
  })
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" className={classes.address}>
        {t('NOTICE.EMAIL_TO', { email })}
      </Text>
      <BusyButton variant="default" size="sm" isBusy={test.isPending} onClick={() => test.mutate({})}>
        {t('NOTICE.TEST')}
      </BusyButton>
    </Group>
  )
}
