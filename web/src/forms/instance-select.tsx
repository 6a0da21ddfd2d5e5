import type { SelectProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { NamedSelect } from './named-select.tsx'
import { useInstances } from './use-choices.ts'

type Props = {
  pageSize: number
  /** An instance's id; 0 for none. */
  value: number
  onChange: (id: number) => void
} & Pick<SelectProps, 'label' | 'required' | 'description' | 'error' | 'onBlur' | 'clearable'>

export function InstanceSelect({ pageSize, ...rest }: Props) {
  const { t } = useTranslation()
  const { data, isLoadingError, refetch } = useInstances(pageSize)
  const options = data?.map(({ id, name, isActive }) => ({
    id,
    name: isActive ? name : t('FORM.INACTIVE', { name }),
  }))
  const choices = { options, hasFailed: isLoadingError, retry: refetch }
  return <NamedSelect label={t('FORM.INSTANCE')} choices={choices} {...rest} />
}

/** The id of the only instance that can send. Undefined if there are several or none. */
export function useOnlyInstance(pageSize: number): number | undefined {
  const active = useInstances(pageSize).data?.filter(({ isActive }) => isActive)
  return active?.length === 1 ? active[0]?.id : undefined
}
