import { Anchor, Badge, Button, Checkbox, Group, Text } from '@mantine/core'
import type { Contact } from '@sendroom/contract/contacts'
import { IconFileImport, IconPencil, IconPhoneCheck, IconTrash, IconX } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { formatDateTime } from '../../format.ts'
import { ContactFilterBar } from '../../forms/contact-filter-bar.tsx'
import { contactName } from '../../forms/contact-name.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { AddButton } from '../../lists/list-buttons.tsx'
import { ListPage } from '../../lists/list-page.tsx'
import { RowActions } from '../../lists/row-actions.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Name } from '../../ui/name.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { useContactFilter } from './contact-filter.ts'
import { ExportButtons } from './export-buttons.tsx'
import { ListFilter } from './list-filter.tsx'
import { NumberCheckProgress } from './number-check-progress.tsx'
import { useChosen } from './use-chosen.ts'
import { useRemoveContact } from './use-remove-contact.ts'
import { WhatsappFilter } from './whatsapp-filter.tsx'

const NumberCheckDialog = lazyComponent(
  async () => (await import('./number-check-dialog.tsx')).NumberCheckDialog,
)

const columns: Column<Contact>[] = [
  {
    header: 'CONTACT.NAME',
    cell: (contact) => (
      <>
        <ContactLink contact={contact} />
        <OptedOut contact={contact} />
      </>
    ),
    sortBy: 'name',
    line: 1,
  },
  { header: 'CONTACT.NUMBERS', cell: (contact) => <Numbers contact={contact} />, isOneLine: true, line: 3 },
  { header: 'CONTACT.TAGS', cell: ({ tags }) => <Tags tags={tags} />, line: 2 },
  {
    header: 'CONTACT.CREATED_AT',
    cell: ({ createdAt }) => formatDateTime(createdAt),
    sortBy: 'createdAt',
    isOneLine: true,
    line: 3,
  },
]

export function ContactsPage() {
  const { t } = useTranslation()
  const { filter, setFilter, isFiltered, clear } = useContactFilter()
  const { search, ...others } = filter
  const list = useList({
    feature: 'contacts',
    sortFields: ['name', 'createdAt', 'id'],
    sortDirection: 'asc',
    hidden: { key: others, search, setSearch: (text) => setFilter({ search: text }) },
    load: (query, signal) => call('POST /contacts/search', { body: { ...query, ...others } }, signal),
  })
  const chosen = useChosen(list, filter)
  const total = list.pagination?.totalCount ?? 0
  return (
    <ListPage
      title="CONTACT.TITLE"
      list={list}
      buttons={<TopButtons />}
      bulk={
        total > 0 && (
          <ExportButtons
            selection={chosen.count > 0 ? chosen.selection : { filter }}
            count={chosen.count > 0 ? chosen.count : total}
          />
        )
      }
    >
      <ContactFilterBar filter={filter} setFilter={setFilter}>
        <ListFilter chosen={filter.listId ?? 0} onChange={(id) => setFilter({ listId: id || undefined })} />
        <Checkbox
          label={t('CONTACT.ONLY_OPTED_OUT')}
          checked={filter.isOptedOut === true}
          onChange={(event) => setFilter({ isOptedOut: event.currentTarget.checked || undefined })}
        />
        <WhatsappFilter chosen={filter.onWhatsapp} onChange={(onWhatsapp) => setFilter({ onWhatsapp })} />
        {filter.importId && (
          <Button
            variant="light"
            rightSection={<IconX size={16} aria-hidden />}
            onClick={() => setFilter({ importId: undefined })}
          >
            {t('CONTACT.ONLY_IMPORT', { number: filter.importId })}
          </Button>
        )}
      </ContactFilterBar>
      <NumberCheckProgress />
      <BulkActions list={list} chosen={chosen} />
      <DataTable
        list={list}
        label="CONTACT.TITLE"
        columns={columns}
        empty={isFiltered ? 'COMMON.NO_DATA_FOUND' : 'CONTACT.EMPTY'}
        emptyButtons={
          isFiltered ? (
            search === '' && (
              <Button variant="default" size="xs" onClick={clear}>
                {t('COMMON.CLEAR_SEARCH')}
              </Button>
            )
          ) : (
            <Group gap="xs" justify="center">
              <TopButtons />
            </Group>
          )
        }
        rowName={contactName}
        actions={(contact) => <Actions contact={contact} />}
      />
    </ListPage>
  )
}

function TopButtons() {
  const { t } = useTranslation()
  const [isChecking, setChecking] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPhoneCheck size={16} aria-hidden />}
        onClick={() => setChecking(true)}
      >
        {t('NUMBER_CHECK.LIST')}
      </Button>
      {isChecking && <NumberCheckDialog contacts={null} onClose={() => setChecking(false)} />}
      <Button
        variant="default"
        component={Link}
        to="/imports"
        leftSection={<IconFileImport size={16} aria-hidden />}
      >
        {t('CONTACT.IMPORT')}
      </Button>
      <AddButton to="/contacts/new" label="CONTACT.ADD" reason={undefined} />
    </>
  )
}

const ContactLink = ({ contact }: { contact: Contact }) => (
  <Anchor
    size="sm"
    fw={500}
    renderRoot={(props) => <Link {...props} to="/contacts/$id" params={{ id: String(contact.id) }} />}
  >
    <Name>{contactName(contact)}</Name>
  </Anchor>
)

function OptedOut({ contact: { optedOutAt } }: { contact: Contact }) {
  const { t } = useTranslation()
  if (optedOutAt === null) return null
  return (
    <div>
      <Badge
        variant="light"
        color="red"
        title={t('OPT_OUT.SINCE_TIME', { time: formatDateTime(optedOutAt) })}
      >
        {t('OPT_OUT.HOLDS')}
      </Badge>
    </div>
  )
}

/** The number that messages go to, and how many others there are. */
function Numbers({ contact: { phoneNumbers } }: { contact: Contact }) {
  const { t } = useTranslation()
  const [first, ...others] = phoneNumbers
  if (first === undefined)
    return (
      <Text size="sm" c="dimmed">
        {t('CONTACT.NO_NUMBER')}
      </Text>
    )
  if (others.length === 0) return first
  return (
    <span title={others.join('\n')}>
      {first} <Text span size="xs" c="dimmed">{`+${others.length}`}</Text>
    </span>
  )
}

const SHOWN_TAGS = 4

function Tags({ tags }: Pick<Contact, 'tags'>) {
  const others = tags.slice(SHOWN_TAGS)
  if (tags.length === 0) return null
  return (
    <Group gap={4} maw="20rem">
      {tags.slice(0, SHOWN_TAGS).map(({ id, name }) => (
        <Badge key={id} variant="light" color="gray" tt="none" maw="100%" title={name}>
          {name}
        </Badge>
      ))}
      {others.length > 0 && (
        <Text
          size="xs"
          c="dimmed"
          title={others.map(({ name }) => name).join('\n')}
        >{`+${others.length}`}</Text>
      )}
    </Group>
  )
}

function Actions({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { ask, isPending } = useRemoveContact()
  return (
    <RowActions
      actions={[
        {
          label: t('COMMON.EDIT'),
          icon: IconPencil,
          onClick: () => navigate({ to: '/contacts/edit/$id', params: { id: String(contact.id) } }),
        },
        {
          label: t('COMMON.DELETE'),
          icon: IconTrash,
          tone: 'danger',
          loading: isPending,
          onClick: () => ask(contact),
        },
      ]}
    />
  )
}
