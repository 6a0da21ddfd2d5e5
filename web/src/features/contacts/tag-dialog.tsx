import { Button, Group, MultiSelect, Stack, TagsInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { formatNumber } from '../../format.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type Tags = { add: string[]; remove: string[] }
/** `save` resolves to whether it worked. Otherwise the dialog stays, with what was typed. */
type Props = { count: number; save: (tags: Tags) => Promise<boolean>; onClose: () => void }

/** Adds tags to the selected contacts, and removes others. */
export function TagDialog({ count, save, onClose }: Props) {
  const { t } = useTranslation()
  const { data } = useRead('GET /tags', {})
  const [isBusy, setBusy] = useState(false)
  const [tags, setTags] = useState<Tags>({ add: [], remove: [] })
  const known = data?.tags.map(({ name }) => name) ?? []
  const submit = async () => {
    if (tags.add.length + tags.remove.length === 0) return onClose()
    setBusy(true)
    const isDone = await save(tags)
    setBusy(false)
    if (isDone) onClose()
  }
  return (
    <Dialog title={t('CONTACT.TAG_TITLE', { count, number: formatNumber(count) })} onClose={onClose}>
      <Stack pt={2}>
        <TagsInput
          label={t('CONTACT.ADD_TAGS')}
          description={t('CONTACT.TAGS_HINT')}
          data={known}
          maxTags={limits.contactTags}
          maxLength={limits.tagName}
          acceptValueOnBlur
          value={tags.add}
          onChange={(add) => setTags({ ...tags, add })}
          data-autofocus
        />
        <MultiSelect
          label={t('CONTACT.REMOVE_TAGS')}
          nothingFoundMessage={t('COMMON.NO_DATA_FOUND')}
          searchable
          maxValues={limits.contactTags}
          limit={100}
          data={known.filter((name) => !tags.add.includes(name))}
          value={tags.remove}
          onChange={(remove) => setTags({ ...tags, remove })}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('COMMON.CANCEL')}
          </Button>
          <BusyButton isBusy={isBusy} onClick={submit}>
            {t('COMMON.SAVE')}
          </BusyButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
