import { Textarea } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { ContactSelect } from './contact-select.tsx'
import { NamedMultiSelect, useLists } from './list-select.tsx'
import type { Values } from './new-job-values.ts'

type Props = { form: UseFormReturnType<Values> }

/** The people of a job: lists, contacts and typed numbers, and lists to leave out. */
export function PeopleFields({ form }: Props) {
  const { t } = useTranslation()
  const user = useCurrentUser()
  const mayUse = mayDo('canUseContacts', user) || mayDo('canManageContacts', user)
  const { data: lists = [] } = useLists(mayUse)
  const listSelect = (field: 'listIds' | 'excludedListIds', label: string, description?: string) =>
    lists.length > 0 && (
      <NamedMultiSelect
        label={t(label)}
        description={description && t(description)}
        options={lists}
        value={form.values[field]}
        onChange={(ids) => form.setFieldValue(field, ids)}
        error={form.getInputProps(field).error}
      />
    )
  return (
    <>
      {listSelect('listIds', 'JOB.LISTS')}
      {mayUse && (
        <ContactSelect
          value={form.values.contacts}
          onChange={(contacts) => form.setFieldValue('contacts', contacts)}
          error={form.getInputProps('contactIds').error}
        />
      )}
      <Textarea
        label={t('JOB.PHONE_NUMBERS')}
        description={t('JOB.PHONE_NUMBERS_HINT')}
        placeholder={'0901234567\n+84 912 345 678'}
        required={!mayUse}
        autosize
        minRows={mayUse ? 2 : 4}
        maxRows={12}
        {...form.getInputProps('phoneNumbers')}
      />
      {listSelect('excludedListIds', 'JOB.EXCLUDED_LISTS', 'JOB.EXCLUDED_LISTS_HINT')}
    </>
  )
}
