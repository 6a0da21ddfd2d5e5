import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import { useAll } from '../../../api/use-all.ts'
import { PAGE_SIZE } from './job-choices.ts'

/** All lists of contacts that the user may use, by name. */
export const useLists = (enabled: boolean) =>
  useAll(['lists', 'named'], { pageSize: PAGE_SIZE, words: 'JOB.LISTS_FAILED', enabled }, (page, signal) =>
    call('GET /lists', { query: page }, signal),
  )

type Props = {
  options: { id: number; name: string }[]
  value: number[]
  onChange: (ids: number[]) => void
} & Pick<MultiSelectProps, 'label' | 'description' | 'error'>

/** Chooses any number of options by name. */
export function NamedMultiSelect({ options, value, onChange, ...rest }: Props) {
  const { t } = useTranslation()
  return (
    <MultiSelect
      searchable
      openOnFocus={false}
      hidePickedOptions
      limit={300}
      maxValues={limits.jobLists}
      placeholder={value.length === 0 ? t('FORM.CHOOSE') : ''}
      nothingFoundMessage={t('COMMON.NO_DATA_FOUND')}
      data={options.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value.map(String)}
      onChange={(ids) => onChange(ids.map(Number))}
      {...rest}
    />
  )
}
