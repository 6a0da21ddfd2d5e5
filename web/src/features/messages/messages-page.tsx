import { Badge } from '@mantine/core'
import type { MessageRow } from '@sendroom/contract/messages'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { formatDateTime } from '../../format.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { AddButton, BulkDeleteButton } from '../../lists/list-buttons.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { MessageTitle } from '../../ui/message-title.tsx'
import { Name } from '../../ui/name.tsx'
import { MessageActions } from './message-actions.tsx'
import { whyReadOnly } from './read-only.ts'

const columns: Column<MessageRow>[] = [
  { header: 'MESSAGE.ID', cell: (message) => message.id, sortBy: 'id', line: 1 },
  {
    header: 'MESSAGE.TITLE',
    cell: ({ textContent, imageUrl, content }) => (
      <MessageTitle text={textContent} imageUrl={imageUrl} content={content} />
    ),
    sortBy: 'textContent',
    line: 2,
  },
  { header: 'MESSAGE.INSTANCE', cell: (message) => <InstanceName message={message} />, line: 1 },
  {
    header: 'MESSAGE.CREATED_BY',
    cell: (message) => <Name>{message.createdByUserName}</Name>,
    sortBy: 'createdByUserName',
    line: 3,
  },
  {
    header: 'MESSAGE.CREATED_AT',
    cell: (message) => formatDateTime(message.createdAt),
    isOneLine: true,
    sortBy: 'createdAt',
    line: 3,
  },
]

export function MessagesPage() {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const reason = mayDo('canWriteMessages', user) ? undefined : t('MESSAGE.NOT_ALLOWED')
  /** Why the user may not delete these messages. */
  const reasonToKeep = (messages: MessageRow[]) => {
    const why = messages.map((message) => whyReadOnly(message, user)).find((key) => key !== undefined)
    return why === undefined ? reason : t(why)
  }
  const removeAll = useAction('POST /messages/bulk-delete', { success: 'MESSAGE.ALL_DELETED' })
  const list = useList({
    feature: 'messages',
    sortFields: ['id', 'textContent', 'createdByUserName', 'createdAt'],
    sortDirection: 'desc',
    load: (query, signal) => call('GET /messages', { query }, signal),
  })
  return (
    <ListPage
      title="MESSAGE.LIST_TITLE"
      list={list}
      buttons={<AddButton to="/messages/new" label="MESSAGE.ADD" reason={reason} />}
      bulk={
        <BulkDeleteButton
          selected={list.selected}
          question="MESSAGE.CONFIRM_DELETE_ALL"
          isBusy={removeAll.isPending}
          reason={reasonToKeep(list.selected)}
          onDelete={(ids) => removeAll.mutate({ body: { ids } })}
        />
      }
    >
      <DataTable
        list={list}
        label="MESSAGE.LIST_TITLE"
        columns={columns}
        empty={
          list.query.search !== ''
            ? 'COMMON.NO_DATA_FOUND'
            : reason === undefined
              ? 'MESSAGE.EMPTY'
              : 'COMMON.NO_DATA'
        }
        rowName={(message) => `${t('MESSAGE.ID')} ${message.id}`}
        actions={(message) => <MessageActions message={message} reason={reasonToKeep([message])} />}
      />
    </ListPage>
  )
}

function InstanceName({ message }: { message: MessageRow }) {
  const { t } = useTranslation()
  if (!message.isShared) return <Name>{message.instanceName ?? '–'}</Name>
  return (
    <Badge variant="light" color="gray" title={t('MESSAGE.SHARED_HINT')}>
      {t('MESSAGE.SHARED')}
    </Badge>
  )
}
