import { Select, type SelectProps } from '@mantine/core'
import type { Named } from '@sendroom/contract/values'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../format.ts'

/** A drop-down draws each of its options: beyond this many it asks for a search, which goes through all of them. */
const DRAWN = 300

/** What there is to choose from, as it was read. */
export type Choices = {
  /** Undefined until they are loaded. */
  options: Named[] | undefined
  hasFailed: boolean
  retry: () => unknown
}

type Props = {
  choices: Choices
  /** 0 is none. */
  value: number
  onChange: (id: number) => void
} & Omit<SelectProps, 'data' | 'value' | 'onChange'>

/** A searchable drop-down of things by name. */
export function NamedSelect({ choices, value, onChange, ...rest }: Props) {
  const { t } = useTranslation()
  const { options, hasFailed, retry } = choices
  const missing = hasFailed ? t('COMMON.LOAD_FAILED') : t('COMMON.LOADING')
  const count = options?.length ?? 0
  return (
    <Select
      searchable
      // It opens for who clicks or types, not for who passes by or is led here by an error.
      openOnFocus={false}
      limit={DRAWN}
      data={options?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      nothingFoundMessage={options ? t('COMMON.NO_DATA_FOUND') : missing}
      // Until they are loaded a chosen one has no name, and would look like none.
      placeholder={options ? undefined : missing}
      onDropdownOpen={() => hasFailed && retry()}
      description={count > DRAWN && t('FORM.TYPE_TO_SEARCH', { number: formatNumber(count) })}
      value={value === 0 ? null : String(value)}
      onChange={(id) => onChange(Number(id ?? 0))}
      {...rest}
    />
  )
}
