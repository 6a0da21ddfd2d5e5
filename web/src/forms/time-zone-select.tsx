import { Select, type SelectProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

const MAX_RENDERED = 100

type Props = { hint: string; value?: string } & Pick<SelectProps, 'onChange' | 'error' | 'onBlur' | 'onFocus'>

/** Chooses a time zone by its name. */
export function TimeZoneSelect({ hint, value = '', ...rest }: Props) {
  const { t } = useTranslation()
  // Some browsers list Ho Chi Minh only under its old name, and some list zones like CET, which the server refuses.
  const places = Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/'))
  const zones = new Set(['Asia/Ho_Chi_Minh', value, 'UTC', ...places])
  return (
    <Select
      label={t('ACCOUNT_FORM.TIME_ZONE')}
      description={hint}
      searchable
      openOnFocus={false}
      allowDeselect={false}
      limit={MAX_RENDERED}
      data={[...zones].filter((zone) => zone !== '')}
      nothingFoundMessage={t('COMMON.NO_DATA_FOUND')}
      value={value}
      {...rest}
    />
  )
}
