import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core'
import type { Contact } from '@sendroom/contract/contacts'
import type { ContactList } from '@sendroom/contract/lists'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { formatNumber } from '../../format.ts'
import { contactName } from '../../forms/contact-name.ts'
import { counted } from '../../i18n/words.ts'
import { DataTable } from '../../lists/data-table.tsx'
import { SearchBox } from '../../lists/search-box.tsx'
import type { Column } from '../../lists/table.tsx'
import { useList } from '../../lists/use-list.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Name } from '../../ui/name.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { FilterWords } from './filter-words.tsx'
import { SharedWith } from './shared-with.tsx'
import { useRemoveList } from './use-remove-list.ts'

/** The page of a list, with its people. */
export function ListPeoplePage() {
  const id = idOf(useParams({ strict: false })) ?? 0
  const { data: list, isError } = useRead(
    'GET /lists/:id',
    { params: { id } },
    { meta: { words: 'LIST.LOAD_FAILED' } },
  )
  useRedirectOnFailure(isError && !list, '/lists')
  return list ? <LoadedList key={id} list={list} /> : <Loading />
}

function LoadedList({ list }: { list: ContactList }) {
  const { t } = useTranslation()
  const isManager = mayDo('canManageContacts', useCurrentUser())
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{list.name}</PageTitle>
        {isManager && <Buttons list={list} />}
      </Group>
      {isManager && (
        <>
          {list.kind === 'filter' ? (
            <FilterWords list={list} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('LIST.ADD_HINT')}
            </Text>
          )}
          <Text size="sm">
            {`${t('LIST.SHARED')}: `}
            <SharedWith {...list} />
          </Text>
        </>
      )}
      <People list={list} isManager={isManager} />
    </Stack>
  )
}

function Buttons({ list }: { list: ContactList }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { ask, isPending } = useRemoveList(() => navigate({ to: '/lists' }))
  return (
    <Group gap="xs">
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/lists/edit/$id" params={{ id: String(list.id) }} />}
        leftSection={<IconPencil size={16} aria-hidden />}
      >
        {t('COMMON.EDIT')}
      </Button>
      <BusyButton
        variant="default"
        isBusy={isPending}
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => ask(list)}
      >
        {t('COMMON.DELETE')}
      </BusyButton>
    </Group>
  )
}

const columnsFor = (isManager: boolean): Column<Contact>[] => [
  {
    header: 'CONTACT.NAME',
    cell: (contact) => (isManager ? <ContactLink contact={contact} /> : <Name>{contactName(contact)}</Name>),
    sortBy: 'name',
    line: 1,
  },
  { header: 'CONTACT.NUMBERS', cell: ({ phoneNumbers }) => phoneNumbers[0], isOneLine: true, line: 2 },
  {
    header: 'CONTACT.TAGS',
    cell: ({ tags }) => (
      <Group gap={4} maw="20rem">
        {tags.map(({ id, name }) => (
          <Badge key={id} variant="light" color="gray" tt="none" title={name}>
            {name}
          </Badge>
        ))}
      </Group>
    ),
    line: 3,
  },
]

const ContactLink = ({ contact }: { contact: Contact }) => (
  <Anchor
    size="sm"
    fw={500}
    renderRoot={(props) => <Link {...props} to="/contacts/$id" params={{ id: String(contact.id) }} />}
  >
    <Name>{contactName(contact)}</Name>
  </Anchor>
)

function People({ list: { id, kind }, isManager }: { list: ContactList; isManager: boolean }) {
  const { t } = useTranslation()
  // Not in the address, because it may be a name or a number.
  const [search, setSearch] = useState('')
  const people = useList({
    feature: 'lists',
    sortFields: ['name', 'createdAt', 'id'],
    sortDirection: 'asc',
    hidden: { key: { id, search }, search, setSearch },
    load: (query, signal) => call('POST /lists/:id/contacts/search', { params: { id }, body: query }, signal),
  })
  const takeOff = useAction('POST /lists/:id/contacts/remove', { success: 'LIST.TAKEN_OFF' })
  const isChangeable = isManager && kind === 'fixed'
  const chosen = people.selected.map((contact) => contact.id)
  return (
    <>
      <Group justify="space-between" gap="xs">
        <SearchBox value={search} onSearch={setSearch} />
        <Group gap="xs">
          {people.pagination && (
            <Text size="sm" c="dimmed">
              {t('LIST.PEOPLE', counted(people.pagination.totalCount))}
            </Text>
          )}
          {isChangeable && (
            <BusyButton
              variant="default"
              isBusy={takeOff.isPending}
              disabled={chosen.length === 0}
              onClick={() => takeOff.mutate({ params: { id }, body: { ids: chosen } })}
            >
              {t('LIST.TAKE_OFF', { number: formatNumber(chosen.length) })}
            </BusyButton>
          )}
        </Group>
      </Group>
      <DataTable
        list={people}
        label="LIST.SIZE"
        columns={columnsFor(isManager)}
        empty={search ? 'COMMON.NO_DATA_FOUND' : 'LIST.NOBODY'}
        {...(isChangeable && { rowName: contactName })}
      />
    </>
  )
}
