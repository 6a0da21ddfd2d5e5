import { useTranslation } from 'react-i18next'
import { NamedSelect } from '../../forms/named-select.tsx'
import { useLists } from './use-lists.ts'

type Props = { chosen: number; onChange: (id: number) => void }

/** Filters contacts by one list. */
export function ListFilter({ chosen, onChange }: Props) {
  const { t } = useTranslation()
  const choices = useLists()
  if (choices.options?.length === 0 && chosen === 0) return null
  return (
    <NamedSelect
      choices={choices}
      aria-label={t('CONTACT.LIST')}
      clearable
      clearButtonProps={{ 'aria-label': t('CONTACT.CLEAR_LIST') }}
      value={chosen}
      onChange={onChange}
      {...(choices.options && { placeholder: t('CONTACT.FILTER_LIST') })}
    />
  )
}
