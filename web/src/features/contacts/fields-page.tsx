import { Group, Stack, Text } from '@mantine/core'
import type { ContactField } from '@sendroom/contract/contact-fields'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { useContactFields } from '../../forms/use-contact-fields.ts'
import { enumerated } from '../../i18n/punctuation.ts'
import { AddButton } from '../../lists/list-buttons.tsx'
import { RowActions } from '../../lists/row-actions.tsx'
import tableClasses from '../../lists/table.module.css'
import { type Column, Table } from '../../lists/table.tsx'
import { confirm } from '../../ui/confirm.ts'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Name } from '../../ui/name.tsx'
import { PageTitle } from '../../ui/page-title.tsx'

const columns: Column<ContactField>[] = [
  { header: 'CONTACT_FIELD.NAME', cell: ({ name }) => <Name>{name}</Name> },
  { header: 'CONTACT_FIELD.KEY', cell: ({ key }) => <code>{key}</code> },
  { header: 'CONTACT_FIELD.TYPE', cell: (field) => <FieldType field={field} /> },
]

/** The fields that contacts have. There are few, so they need no pages. */
export function FieldsPage() {
  const { t } = useTranslation()
  const { data: fields, isError, refetch } = useContactFields()
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{t('CONTACT_FIELD.TITLE')}</PageTitle>
        <AddButton to="/settings/fields/new" label="CONTACT_FIELD.ADD" reason={undefined} />
      </Group>
      <Text size="sm" c="dimmed">
        {t('CONTACT_FIELD.HINT')}
      </Text>
      {!fields && (isError ? <LoadFailed retry={refetch} /> : <Loading />)}
      {fields?.length === 0 && <Text>{t('CONTACT_FIELD.EMPTY')}</Text>}
      {fields && fields.length > 0 && (
        <div className={tableClasses.frame}>
          <Table
            label={t('CONTACT_FIELD.TITLE')}
            columns={columns}
            rows={fields}
            last={{
              className: tableClasses.actions,
              header: t('COMMON.ACTIONS'),
              cell: (field) => (
                <Group gap={2} wrap="nowrap" justify="flex-end">
                  <Actions field={field} />
                </Group>
              ),
            }}
          />
        </div>
      )}
    </Stack>
  )
}

function FieldType({ field: { type, choices } }: { field: ContactField }) {
  const { t } = useTranslation()
  return (
    <>
      {t(`CONTACT_FIELD.TYPE_${type.toUpperCase()}`)}
      {choices.length > 0 && (
        <Text size="xs" c="dimmed" lineClamp={2} title={choices.join('\n')}>
          {enumerated(choices)}
        </Text>
      )}
    </>
  )
}

function Actions({ field }: { field: ContactField }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const remove = useAction('DELETE /contact-fields/:id', {
    success: 'CONTACT_FIELD.DELETED',
    failure: 'CONTACT_FIELD.DELETE_FAILED',
  })
  const askAndRemove = async () => {
    const isSure = await confirm({
      title: t('CONTACT_FIELD.DELETE_TITLE'),
      message: t('CONTACT_FIELD.CONFIRM_DELETE', { name: field.name }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) remove.mutate({ params: { id: field.id } })
  }
  return (
    <RowActions
      actions={[
        {
          label: t('COMMON.EDIT'),
          icon: IconPencil,
          onClick: () => navigate({ to: '/settings/fields/edit/$id', params: { id: String(field.id) } }),
        },
        {
          label: t('COMMON.DELETE'),
          icon: IconTrash,
          tone: 'danger',
          reason: field.isUsed ? t('ERROR.contact_field_used') : undefined,
          loading: remove.isPending,
          onClick: askAndRemove,
        },
      ]}
    />
  )
}
