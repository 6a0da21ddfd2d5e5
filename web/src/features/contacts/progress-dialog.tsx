import { Progress as Bar, Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../format.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { Progress } from './use-bulk.ts'

/** Shows how far a change of many contacts is. Closing the dialog stops the change. */
export function ProgressDialog({ done, total, stop }: Progress) {
  const { t } = useTranslation()
  const title = t('CONTACT.PROGRESS_TITLE')
  return (
    <Dialog title={title} onClose={stop}>
      <Stack>
        <Bar value={Math.min(100, (100 * done) / Math.max(1, total))} aria-label={title} />
        <Text size="sm" role="status">
          {t('CONTACT.PROGRESS', { number: formatNumber(done), total: formatNumber(Math.max(done, total)) })}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={stop}>
            {t('CONTACT.STOP')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
