import { Button, Group, Stack, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { NamedSelect } from '../../forms/named-select.tsx'
import { counted } from '../../i18n/words.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useLists } from './use-lists.ts'

/** `save` resolves to whether it worked. Otherwise the dialog stays. */
type Props = { count: number; save: (listId: number) => Promise<boolean>; onClose: () => void }

/** Adds the chosen contacts to a fixed list, or to a new one. */
export function ListDialog({ count, save, onClose }: Props) {
  const { t } = useTranslation()
  const choices = useLists('fixed')
  const create = useAction('POST /lists', { failure: 'CONTACT.LIST_NOT_CREATED' })
  const [isBusy, setBusy] = useState(false)
  const [listId, setListId] = useState(0)
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  /** A new list is chosen afterwards, so that a second try does not create it again. */
  const createList = async () => {
    const { id } = await create.mutateAsync({ body: { name } })
    setListId(id)
    setName('')
    return id
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setMissing(listId === 0 && name.trim() === '')
    if (isBusy || (listId === 0 && name.trim() === '')) return
    setBusy(true)
    const isDone = await (listId === 0 ? createList() : Promise.resolve(listId)).then(save, () => false)
    setBusy(false)
    if (isDone) onClose()
  }
  return (
    <Dialog title={t('CONTACT.LIST_TITLE', counted(count))} onClose={onClose}>
      <Stack component="form" pt={2} onSubmit={submit}>
        <NamedSelect
          choices={choices}
          label={t('CONTACT.LIST')}
          clearable
          clearButtonProps={{ 'aria-label': t('CONTACT.CLEAR_LIST') }}
          disabled={name !== ''}
          value={listId}
          onChange={setListId}
          error={isMissing && t('CONTACT.LIST_MISSING')}
          data-autofocus
        />
        <TextInput
          label={t('CONTACT.NEW_LIST')}
          autoComplete="off"
          maxLength={limits.listName}
          disabled={listId !== 0}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('COMMON.CANCEL')}
          </Button>
          <BusyButton type="submit" isBusy={isBusy}>
            {t('COMMON.SAVE')}
          </BusyButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
