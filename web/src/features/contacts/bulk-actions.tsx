import { Button, Group, Text } from '@mantine/core'
import type { Contact } from '@sendroom/contract/contacts'
import { IconTag, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../format.ts'
import type { List } from '../../lists/use-list.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { useBulk } from './use-bulk.ts'
import type { Chosen } from './use-chosen.ts'

const ProgressDialog = lazyComponent(async () => (await import('./progress-dialog.tsx')).ProgressDialog)
const TagDialog = lazyComponent(async () => (await import('./tag-dialog.tsx')).TagDialog)

type Props = { list: List<Contact>; chosen: Chosen }

/** Actions for the selected contacts, or for all that match. */
export function BulkActions({ list, chosen }: Props) {
  const { t } = useTranslation()
  const bulk = useBulk()
  const { selection, count, areAll, chooseAll } = chosen
  const [isTagging, setTagging] = useState(false)
  const remove = async () => {
    const isSure = await confirm({
      title: t('CONTACT.DELETE_TITLE'),
      message: t('CONTACT.CONFIRM_DELETE_ALL', { count, number: formatNumber(count) }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure)
      bulk.run(count, () => call('POST /contacts/bulk-delete', { body: selection }), 'CONTACT.DELETED')
  }
  if (count === 0) return null
  const total = list.pagination?.totalCount ?? 0
  return (
    <>
      <Group gap="xs" mb="md">
        <Text size="sm" fw={500} role="status">
          {t(areAll ? 'CONTACT.ALL_CHOSEN' : 'FORM.CHOSEN', { number: formatNumber(count) })}
        </Text>
        {!areAll && list.isAllSelected && total > count && (
          <Button variant="subtle" size="compact-sm" onClick={chooseAll}>
            {t('CONTACT.CHOOSE_ALL', { number: formatNumber(total) })}
          </Button>
        )}
        <Button
          variant="default"
          size="xs"
          leftSection={<IconTag size={14} aria-hidden />}
          onClick={() => setTagging(true)}
        >
          {t('CONTACT.CHANGE_TAGS')}
        </Button>
        <BusyButton
          variant="default"
          size="xs"
          leftSection={<IconTrash size={14} aria-hidden />}
          isBusy={bulk.isBusy}
          onClick={remove}
        >
          {t('COMMON.DELETE_SELECTED', { count: formatNumber(count) })}
        </BusyButton>
      </Group>
      {isTagging && (
        <TagDialog
          count={count}
          onClose={() => setTagging(false)}
          save={(tags) =>
            bulk.run(
              count,
              () => call('POST /contacts/bulk-tag', { body: { ...selection, ...tags } }),
              'CONTACT.TAGGED',
            )
          }
        />
      )}
      {bulk.progress && <ProgressDialog {...bulk.progress} />}
    </>
  )
}
