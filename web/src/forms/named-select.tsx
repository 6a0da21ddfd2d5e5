import { Select, type SelectProps } from '@mantine/core'
import type { Named } from '@sendroom/contract/values'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../format.ts'

/** Mantine renders every option. Beyond this many, the user is asked to search, which covers all options. */
const MAX_RENDERED = 300

/** Options and the state of reading them. */
export type Choices = {
  /** Undefined until they are loaded. */
  options: Named[] | undefined
  hasFailed: boolean
  retry: () => unknown
}

type Props = {
  choices: Choices
  /** An option's id; 0 for none. */
  value: number
  onChange: (id: number) => void
} & Omit<SelectProps, 'data' | 'value' | 'onChange'>

/** A searchable drop-down of named options. */
export function NamedSelect({ choices, value, onChange, ...rest }: Props) {
  const { t } = useTranslation()
  const { options, hasFailed, retry } = choices
  const missing = hasFailed ? t('COMMON.LOAD_FAILED') : t('COMMON.LOADING')
  const count = options?.length ?? 0
  return (
    <Select
      searchable
      // Opens on click or typing only. Tabbing past it, or being focused for an error, must not open it.
      openOnFocus={false}
      // Choosing the chosen option again must not empty a field that can't be cleared otherwise.
      allowDeselect={rest.clearable ?? false}
      limit={MAX_RENDERED}
      data={options?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      nothingFoundMessage={options ? t('COMMON.NO_DATA_FOUND') : missing}
      // Until the options are loaded, a chosen one has no name and would look like no choice.
      placeholder={options ? t('FORM.CHOOSE') : missing}
      onDropdownOpen={() => hasFailed && retry()}
      description={count > MAX_RENDERED && t('FORM.TYPE_TO_SEARCH', { number: formatNumber(count) })}
      value={value === 0 ? null : String(value)}
      onChange={(id) => onChange(Number(id ?? 0))}
      {...rest}
    />
  )
}
