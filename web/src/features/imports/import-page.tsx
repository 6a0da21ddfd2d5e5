import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import type { ContactFilter } from '@sendroom/contract/contacts'
import type { Import } from '@sendroom/contract/imports'
import { limits } from '@sendroom/contract/limits'
import { IconAddressBook, IconArrowBackUp, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { formatNumber } from '../../format.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { Loading } from '../../ui/loading.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { CheckResult, ImportResult } from './import-counts.tsx'
import { isActive, POLL_MS, useSourceName } from './import-words.ts'
import { StatusBadge } from './imports-page.tsx'
import { ReadingSection } from './reading-section.tsx'
import { StartForm } from './start-form.tsx'

/** An import, from the check of its rows to its undoing. */
export function ImportPage() {
  const id = idOf(useParams({ strict: false })) ?? 0
  const { data, isError } = useRead(
    'GET /imports/:id',
    { params: { id } },
    {
      refetchInterval: ({ state }) => (state.data && isActive(state.data) ? POLL_MS : false),
      meta: { words: 'IMPORT.LOAD_FAILED' },
    },
  )
  useRedirectOnFailure(isError && !data, '/imports')
  const name = useSourceName()
  if (!data) return <Loading />
  const hasBegun = data.startedAt !== null
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <PageTitle>{name(data)}</PageTitle>
          <StatusBadge row={data} />
        </Group>
        {hasBegun ? (
          <Group gap="xs">
            <ContactsButton of={data} />
            <UndoButton of={data} />
          </Group>
        ) : (
          <RemoveButton of={data} />
        )}
      </Group>
      {!hasBegun && <ReadingSection of={data} />}
      <ProgressOf of={data} />
      <Fault of={data} />
      {data.status === 'checked' && !data.fault && <CheckResult of={data} />}
      {!hasBegun && <StartForm of={data} />}
      {hasBegun && <ImportResult of={data} />}
    </Stack>
  )
}

type Props = { of: Import }

/** Leads to the contacts of the import, to tag them, add them to a list or export them. */
function ContactsButton({ of: { id } }: Props) {
  const { t } = useTranslation()
  const contactFilter: ContactFilter = { search: '', tagIds: [], fields: [], importId: id }
  return (
    <Button
      variant="default"
      leftSection={<IconAddressBook size={16} aria-hidden />}
      // The page of contacts keeps its filter in the state of the history, which the router does not know.
      renderRoot={(props) => <Link {...props} to="/contacts" state={{ contactFilter } as never} />}
    >
      {t('IMPORT.SHOW_CONTACTS')}
    </Button>
  )
}

function ProgressOf({ of: { status, progress } }: Props) {
  const { t } = useTranslation()
  if (!progress) return null
  const { done, total } = progress
  const text = t(`IMPORT.${status.toUpperCase()}`, {
    done: formatNumber(Math.min(done, total ?? done)),
    total: formatNumber(total ?? 0),
  })
  return (
    <Stack gap={4} role="status">
      <Text size="sm">{text}</Text>
      <Progress value={total ? (100 * done) / total : 100} animated={total === null} aria-label={text} />
    </Stack>
  )
}

function Fault({ of: { fault } }: Props) {
  const { t } = useTranslation()
  if (!fault) return null
  return (
    <Alert color="red" role="alert">
      {t(`ERROR.${fault.code}`, { ...limits, ...fault.params })}
    </Alert>
  )
}

function RemoveButton({ of: { id } }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const remove = useAction('DELETE /imports/:id', { success: 'IMPORT.REMOVED_FILE' })
  return (
    <BusyButton
      variant="default"
      isBusy={remove.isPending}
      leftSection={<IconTrash size={16} aria-hidden />}
      onClick={() =>
        remove.mutate({ params: { id } }, { onSuccess: () => void navigate({ to: '/imports' }) })
      }
    >
      {t('IMPORT.REMOVE')}
    </BusyButton>
  )
}

function UndoButton({ of: { id, added, changed, canBeUndone } }: Props) {
  const { t } = useTranslation()
  const undo = useAction('POST /imports/:id/undo', {
    success: 'IMPORT.UNDO_BEGUN',
    failure: 'IMPORT.UNDO_FAILED',
  })
  if (!canBeUndone) return null
  const askAndUndo = async () => {
    const isSure = await confirm({
      title: t('IMPORT.UNDO'),
      message: t('IMPORT.CONFIRM_UNDO', { added: formatNumber(added), changed: formatNumber(changed) }),
      confirmText: t('IMPORT.UNDO'),
      confirmColor: 'red',
    })
    if (isSure) undo.mutate({ params: { id } })
  }
  return (
    <BusyButton
      variant="default"
      isBusy={undo.isPending}
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      onClick={askAndUndo}
    >
      {t('IMPORT.UNDO')}
    </BusyButton>
  )
}
