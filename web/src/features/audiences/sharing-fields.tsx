import { Checkbox, MultiSelect } from '@mantine/core'
import type { Named } from '@sendroom/contract/values'
import { useTranslation } from 'react-i18next'

export type Sharing = { isForAll: boolean; userIds: number[] }

type Props = {
  value: Sharing
  onChange: (change: Partial<Sharing>) => void
  /** The users to choose from. Undefined until they are loaded. */
  users: Named[] | undefined
  /** Translation keys. */
  words: { all: string; hint: string }
}

/** Shares something with all Members, or with chosen ones. */
export function SharingFields({ value: { isForAll, userIds }, onChange, users, words }: Props) {
  const { t } = useTranslation()
  const known = new Set(users?.map(({ id }) => id))
  return (
    <>
      <Checkbox
        label={t(words.all)}
        checked={isForAll}
        onChange={(event) => onChange({ isForAll: event.currentTarget.checked })}
      />
      {!isForAll && (
        <MultiSelect
          label={t('LIST.SHARED')}
          description={t(words.hint)}
          placeholder={users ? t('FORM.CHOOSE') : t('COMMON.LOADING')}
          nothingFoundMessage={t('COMMON.NO_DATA_FOUND')}
          searchable
          limit={100}
          disabled={!users}
          data={users?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
          // A user who has lost the right is not offered any more, and goes with the next save.
          value={users ? userIds.filter((id) => known.has(id)).map(String) : []}
          onChange={(ids) => onChange({ userIds: ids.map(Number) })}
        />
      )}
    </>
  )
}
