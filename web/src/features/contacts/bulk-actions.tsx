import { Button, Group, Text } from '@mantine/core'
import type { Contact } from '@sendroom/contract/contacts'
import { IconListDetails, IconPhoneCheck, IconTag, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../format.ts'
import { counted } from '../../i18n/words.ts'
import type { List } from '../../lists/use-list.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { useBulk } from './use-bulk.ts'
import type { Chosen } from './use-chosen.ts'

const ProgressDialog = lazyComponent(async () => (await import('./progress-dialog.tsx')).ProgressDialog)
const ListDialog = lazyComponent(async () => (await import('./list-dialog.tsx')).ListDialog)
const NumberCheckDialog = lazyComponent(
  async () => (await import('./number-check-dialog.tsx')).NumberCheckDialog,
)
const TagDialog = lazyComponent(async () => (await import('./tag-dialog.tsx')).TagDialog)

type Props = { list: List<Contact>; chosen: Chosen }

/** Actions for the selected contacts, or for all that match. */
export function BulkActions({ list, chosen }: Props) {
  const { t } = useTranslation()
  const bulk = useBulk()
  const { selection, count, areAll, chooseAll } = chosen
  const [dialog, setDialog] = useState<'tags' | 'list' | 'check' | null>(null)
  const close = () => setDialog(null)
  const remove = async () => {
    const isSure = await confirm({
      title: t('CONTACT.DELETE_TITLE'),
      message: t('CONTACT.CONFIRM_DELETE_ALL', counted(count)),
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
          onClick={() => setDialog('tags')}
        >
          {t('CONTACT.CHANGE_TAGS')}
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconListDetails size={14} aria-hidden />}
          onClick={() => setDialog('list')}
        >
          {t('CONTACT.ADD_TO_LIST')}
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPhoneCheck size={14} aria-hidden />}
          onClick={() => setDialog('check')}
        >
          {t('NUMBER_CHECK.ACTION')}
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
      {dialog === 'tags' && (
        <TagDialog
          count={count}
          onClose={close}
          save={(tags) =>
            bulk.run(
              count,
              () => call('POST /contacts/bulk-tag', { body: { ...selection, ...tags } }),
              'CONTACT.TAGGED',
            )
          }
        />
      )}
      {dialog === 'list' && (
        <ListDialog
          count={count}
          onClose={close}
          save={(id) =>
            bulk.run(
              count,
              () => call('POST /lists/:id/contacts', { params: { id }, body: selection }),
              'CONTACT.ADDED_TO_LIST',
            )
          }
        />
      )}
      {dialog === 'check' && <NumberCheckDialog contacts={{ selection, count }} onClose={close} />}
      {bulk.progress && <ProgressDialog {...bulk.progress} />}
    </>
  )
}
