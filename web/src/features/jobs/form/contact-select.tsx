import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@sendroom/contract/limits'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../api/client.ts'
import type { ChosenContact } from './new-job-values.ts'

/** Contacts are searched after this time without a change. */
const SETTLED_MS = 300

type Props = { value: ChosenContact[]; onChange: (contacts: ChosenContact[]) => void; error: ReactNode }

/** Chooses single contacts by a search for their names and numbers. */
export function ContactSelect({ value, onChange, error }: Props) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search.trim(), SETTLED_MS)
  const { data, isError, isFetching } = useQuery({
    queryKey: ['contacts', 'choices', settled],
    queryFn: ({ signal }) => call('POST /contacts/choices', { body: { search: settled } }, signal),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
    meta: { isQuiet: true },
  })
  const found = settled === '' ? [] : (data?.contacts ?? [])
  const known = new Map([...found.map(chosenOf), ...value].map((contact) => [contact.id, contact]))
  const nothing = isError ? 'COMMON.LOAD_FAILED' : isFetching ? 'COMMON.LOADING' : 'COMMON.NO_DATA_FOUND'
  return (
    <MultiSelect
      label={t('JOB.CONTACTS')}
      placeholder={value.length === 0 ? t('JOB.CONTACTS_PLACEHOLDER') : ''}
      searchable
      openOnFocus={false}
      hidePickedOptions
      maxValues={limits.pageSizeMax}
      searchValue={search}
      onSearchChange={setSearch}
      // The server has searched, also without accents and by number.
      filter={({ options }) => options}
      nothingFoundMessage={search.trim() === '' ? t('JOB.CONTACTS_PLACEHOLDER') : t(nothing)}
      data={[...known.values()].map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value.map(({ id }) => String(id))}
      onChange={(ids) => onChange(ids.flatMap((id) => known.get(Number(id)) ?? []))}
      error={error}
    />
  )
}

const chosenOf = ({ id, name, phoneNumber }: ChosenContact & { phoneNumber: string }): ChosenContact => ({
  id,
  name: name === '' ? phoneNumber : `${name} ${phoneNumber}`,
})
